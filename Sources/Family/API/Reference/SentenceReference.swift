import Domain

/// Content of `ErrorSentences+English.swift` in the Swift client: the message of every refusal,
/// generated from the error table.
enum SentenceReference {
    private static let columns = 100
    private static let indent = "            "

    static var text: String {
        """
        // Made from the error table by scripts/update-docs; don't edit it by hand.

        extension ErrorCode {
            /// Message of a refusal in the error table; nil for a fault.
            var refusalMessage: String? {
                switch self {
        \(RefusalCode.allCases.map { entry(of: $0) }.joined(separator: "\n"))
                default: nil
                }
            }
        }

        """
    }

    // A case of the client has the same name as that of the server, or the client does not compile.
    private static func entry(of code: RefusalCode) -> String {
        let label = "        case .\(code):"
        let message = code.response.message
            .replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let literal = "\"\(message)\""
        if label.count + 1 + literal.count <= columns { return "\(label) \(literal)" }
        if indent.count + literal.count <= columns { return "\(label)\n\(indent)\(literal)" }
        let quotes = "\(indent)\"\"\""
        // All lines but the last end with a blank and a backslash.
        let lines = wrapped(message, to: columns - indent.count - 2)
            .map { indent + $0 }.joined(separator: " \\\n")
        return "\(label)\n\(quotes)\n\(lines)\n\(quotes)"
    }

    private static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
