/// Header text that people have chosen, such as names, encoded as RFC 2047 requires.
enum HeaderText {
    /// Maximum length of an encoded word's content: 75 characters less `=?UTF-8?Q?` and `?=`.
    private static let wordLength = 63

    /// Returns the text as a header value: unchanged if it is plain, otherwise as folded encoded
    /// words.
    ///
    /// - Parameter offset: The length of what precedes the value on the first line.
    static func encoded(_ text: String, offset: Int) -> String {
        let line = singleLine(text)
        let isPlain = line.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isPlain, line.utf8.count <= 60, !line.contains("=?") { return line }
        var words: [String] = []
        var word = ""
        for scalar in line.unicodeScalars {
            let piece = encoded(scalar)
            let length = words.isEmpty ? wordLength - offset : wordLength
            if word.utf8.count + piece.utf8.count > length {
                words.append(word)
                word = ""
            }
            word += piece
        }
        words.append(word)
        return words.map { "=?UTF-8?Q?\($0)?=" }.joined(separator: "\r\n ")
    }

    /// Returns the text with each run of line breaks, controls and blanks replaced by one blank.
    static func singleLine(_ text: some StringProtocol) -> String {
        text.unicodeScalars
            .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }

    /// Encodes one scalar, which is never split between words.
    private static func encoded(_ scalar: Unicode.Scalar) -> String {
        if scalar == " " { return "_" }
        let isSafe =
            scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!*+-/".unicodeScalars.contains(scalar))
        return isSafe ? String(scalar) : String(scalar).utf8.map { "=" + hex($0) }.joined()
    }

    static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}
