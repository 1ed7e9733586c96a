/// The accent colour of pages and e-mails: one for light and one for dark backgrounds.
package struct AccentColors: Sendable, Equatable {
    /// Colour on light backgrounds; buttons of this colour have white labels.
    package let light: Color
    /// Colour on dark backgrounds; buttons of this colour have dark labels.
    package let dark: Color

    /// The minimum contrast of text (WCAG 2.2, success criterion 1.4.3).
    package static let minimumContrast = 4.5

    private static let white = Color(red: 255, green: 255, blue: 255)
    /// Backgrounds of text on pages, and labels of their buttons.
    private static let lightGrounds = [white]
    private static let darkGrounds = [
        Color(red: 0x22, green: 0x1C, blue: 0x17), Color(red: 0x22, green: 0x15, blue: 0x0C),
    ]

    /// Reasons why colours can't be used, one sentence each.
    package struct Mistakes: Error, Equatable {
        package let sentences: [String]
    }

    /// Parses `#rrggbb`, or two of them separated by a comma, for light and for dark backgrounds. A
    /// colour for dark backgrounds that is left out is the first one, lightened as far as needed.
    package init(_ text: String) throws(Mistakes) {
        let words = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        let colors = words.compactMap { Color($0) }
        guard (1...2).contains(words.count), colors.count == words.count else {
            throw Mistakes(sentences: ["expected a colour such as #1d5f8a, or two"])
        }
        light = colors[0]
        dark = colors.count == 2 ? colors[1] : Self.readable(colors[0], on: Self.darkGrounds)
        let problems = [
            Self.problem(of: light, on: Self.lightGrounds, "light"),
            Self.problem(of: dark, on: Self.darkGrounds, "dark"),
        ].compactMap { $0 }
        if !problems.isEmpty { throw Mistakes(sentences: problems) }
    }

    /// Returns the reasons why colours can't be used; empty if they can.
    package static func problems(_ text: String) -> [String] {
        do throws(Mistakes) {
            _ = try AccentColors(text)
            return []
        } catch {
            return error.sentences
        }
    }

    private static func problem(
        of color: Color, on grounds: [Color], _ surrounding: String
    ) -> String? {
        let contrast = color.contrast(to: grounds)
        guard contrast < minimumContrast else { return nil }
        // Rounded down, so that the shown number never looks sufficient.
        let shown = Double(Int(contrast * 10)) / 10
        return "\(color.hex) has a contrast of \(shown) on \(surrounding) pages, expected at least "
            + "\(minimumContrast); \(readable(color, on: grounds).hex) would do"
    }

    /// Returns the colour nearest to `color` that can be read on the backgrounds.
    private static func readable(_ color: Color, on grounds: [Color]) -> Color {
        let end = grounds[0].luminance > 0.5 ? Color(red: 0, green: 0, blue: 0) : white
        for step in 0..<100 {
            let mixed = color.mixed(with: end, share: Double(step) / 100)
            if mixed.contrast(to: grounds) >= minimumContrast { return mixed }
        }
        return end
    }

    /// A colour of sRGB.
    package struct Color: Sendable, Equatable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8

        init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// Parses `#rrggbb`.
        init?(_ text: String) {
            guard text.utf8.count == 7, text.hasPrefix("#"),
                text.dropFirst().allSatisfy(\.isHexDigit),
                let number = UInt32(text.dropFirst(), radix: 16)
            else { return nil }
            self.init(
                red: UInt8(truncatingIfNeeded: number >> 16),
                green: UInt8(truncatingIfNeeded: number >> 8),
                blue: UInt8(truncatingIfNeeded: number))
        }

        /// The colour as `#rrggbb`.
        package var hex: String {
            "#"
                + [red, green, blue].map { part in
                    let digits = String(part, radix: 16)
                    return digits.utf8.count == 1 ? "0" + digits : digits
                }.joined()
        }

        /// Relative luminance, 0 to 1 (WCAG 2.2).
        var luminance: Double {
            func linear(_ part: UInt8) -> Double {
                let value = Double(part) / 255
                if value <= 0.04045 { return value / 12.92 }
                return Self.power((value + 0.055) / 1.055)
            }
            return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }

        /// Returns the 2.4th power of a number from 0 to 1, as its square times the fifth root of
        /// its square, which Newton's method finds.
        private static func power(_ base: Double) -> Double {
            let square = base * base
            var root = 1.0
            for _ in 0..<60 {
                let fourth = root * root * root * root
                root -= (fourth * root - square) / (5 * fourth)
            }
            return square * root
        }

        /// Returns the lowest of the contrasts to these colours.
        func contrast(to others: [Color]) -> Double {
            others.map { other in
                let (one, two) = (luminance + 0.05, other.luminance + 0.05)
                return max(one, two) / min(one, two)
            }.min() ?? 1
        }

        func mixed(with other: Color, share: Double) -> Color {
            func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
                UInt8((Double(one) * (1 - share) + Double(two) * share).rounded())
            }
            return Color(
                red: mix(red, other.red), green: mix(green, other.green),
                blue: mix(blue, other.blue))
        }
    }
}
