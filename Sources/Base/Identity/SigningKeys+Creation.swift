import Glibc

extension SigningKeys {
    /// The line before a key that records when the key was created: `Created:
    /// 2026-02-08T12:00:00Z`. Programs that read PEM ignore text before a key (RFC 7468).
    enum CreationLine {
        private static let prefix = "Created: "

        /// Returns the line, with its end, for a time in seconds since 1970.
        static func text(_ seconds: Int) -> String {
            var (time, parts) = (time_t(seconds), tm())
            gmtime_r(&time, &parts)
            let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
            let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Int.init)
            return prefix + date.map(twoDigits).joined(separator: "-") + "T"
                + clock.map(twoDigits).joined(separator: ":") + "Z\n"
        }

        /// Returns the time in seconds since 1970 if the line, without its end, is one that
        /// ``text(_:)`` returns.
        static func seconds(in line: Substring) -> Int? {
            guard line.hasPrefix(prefix) else { return nil }
            let numbers = line.dropFirst(prefix.count).split { !("0"..."9").contains($0) }
                .compactMap { Int32($0) }
            guard numbers.count == 6 else { return nil }
            var parts = tm()
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
                numbers[0] &- 1900, numbers[1] &- 1, numbers[2]
            )
            (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
            let seconds = Int(timegm(&parts))
            return text(seconds) == "\(line)\n" ? seconds : nil
        }

        private static func twoDigits(_ number: Int) -> String {
            number < 10 ? "0\(number)" : "\(number)"
        }
    }
}
