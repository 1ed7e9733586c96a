/// Quoted-printable text: lines of ASCII, at most 76 characters long (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// Returns the encoded text; every line, even the last, ends with CR LF. Line breaks of any
    /// kind in the text become CR LF.
    static func encoded(_ text: String) -> String {
        var lines: [Substring] = text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        // A line break at the end does not begin another line.
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines.map { line(Array($0.utf8)) }.joined()
    }

    private static func line(_ bytes: [UInt8]) -> String {
        var output = ""
        var length = 0
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isBlank = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let piece =
                isPlain || (isBlank && !isLast)
                ? String(Unicode.Scalar(byte)) : "=" + HeaderText.hex(byte)
            // 75 characters and the "=" of a soft line break.
            if length + piece.utf8.count > 75 {
                output += "=\r\n"
                length = 0
            }
            output += piece
            length += piece.utf8.count
        }
        return output + "\r\n"
    }
}
