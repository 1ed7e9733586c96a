/// Canonical form of a statement's text, which ignores redundant parentheses in its conditions.
///
/// PostgreSQL prints `(a AND b) AND c` as it was written, but flattens it to `a AND b AND c` when
/// it reads its own output. A constraint that a dump or a remedy recreated from its printed text is
/// therefore printed differently. Only such differences are ignored: quoted text stays as it is,
/// and parentheses stay wherever they affect the meaning.
package struct CanonicalWords {
    private let bytes: [UInt8]
    private var offset = 0

    /// Returns the canonical form, which is equal for two texts that differ only in redundant
    /// parentheses.
    package static func of(_ text: String) -> String {
        var words = CanonicalWords(bytes: Array(text.utf8))
        return words.group().text
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The content of parentheses: parts joined by AND or OR.
    private struct Group {
        var parts: [Part] = []
        var operators: [String] = []

        /// The operator between all parts; nil if there is none or they differ.
        var onlyOperator: String? {
            guard let first = operators.first, operators.allSatisfy({ $0 == first }) else {
                return nil
            }
            return first
        }

        /// Whether the content has commas outside nested parentheses.
        var isList: Bool {
            parts.contains { part in
                part.pieces.contains { piece in
                    if case .words(let words) = piece { words.contains(",") } else { false }
                }
            }
        }

        /// The content without the surrounding parentheses.
        var text: String {
            var texts: [String] = []
            for part in parts {
                // Parts joined by the same word need no inner parentheses, and double parentheses
                // are redundant; but `f((a, b))` has one argument, a row.
                if let inner = part.soleGroup,
                    operators.isEmpty
                        ? !inner.isList : onlyOperator != nil && inner.onlyOperator == onlyOperator
                {
                    texts.append(inner.text)
                } else {
                    texts.append(part.text)
                }
            }
            var text = texts.first ?? ""
            for (word, next) in zip(operators, texts.dropFirst()) { text += " \(word) \(next)" }
            return text
        }
    }

    private struct Part {
        enum Piece {
            case words(String)
            case group(Group)
        }
        var pieces: [Piece] = []

        /// The group, if the part consists of a single group and nothing else.
        var soleGroup: Group? {
            guard pieces.count == 1, case .group(let group)? = pieces.first else { return nil }
            return group
        }

        var text: String {
            pieces.map { piece in
                switch piece {
                case .words(let words): words
                case .group(let group): "(\(group.text))"
                }
            }.joined(separator: " ")
        }
    }

    /// Reads to the closing parenthesis, or to the end.
    private mutating func group() -> Group {
        var group = Group()
        var part = Part()
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "("):
                offset += 1
                part.pieces.append(.group(self.group()))
            case UInt8(ascii: ")"):
                offset += 1
                group.parts.append(part)
                return group
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"): offset += 1
            default:
                let word = self.word()
                if word == "AND" || word == "OR" {
                    group.parts.append(part)
                    group.operators.append(word)
                    part = Part()
                } else {
                    part.pieces.append(.words(word))
                }
            }
        }
        group.parts.append(part)
        return group
    }

    /// Reads to the next space or parenthesis outside quotes.
    private mutating func word() -> String {
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: " "), UInt8(ascii: "\n"),
                UInt8(ascii: "\t"):
                return text(from: start)
            case UInt8(ascii: "'"), UInt8(ascii: "\""): skip(to: [bytes[offset]])
            case UInt8(ascii: "$"):
                // A dollar quote such as `$function$`. Any other text with a dollar sign is a word.
                let tag = bytes[(offset + 1)...].prefix {
                    ($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z"))
                        || $0 == UInt8(ascii: "_")
                }
                if tag.endIndex < bytes.count, bytes[tag.endIndex] == UInt8(ascii: "$") {
                    let quote = Array(bytes[offset...tag.endIndex])
                    offset = tag.endIndex
                    skip(to: quote)
                } else {
                    offset += 1
                }
            default: offset += 1
            }
        }
        return text(from: start)
    }

    /// Skips the quoted text at the current position, including its closing quote.
    private mutating func skip(to quote: [UInt8]) {
        offset += 1
        while offset < bytes.count, !bytes[offset...].starts(with: quote) { offset += 1 }
        offset = min(offset + quote.count, bytes.count)
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<offset], as: UTF8.self)
    }
}
