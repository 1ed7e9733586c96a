import Configuration
import Domain

/// Parses one of an operator's texts and finds the mistakes in it.
struct CustomTextReader {
    private let key: CustomTextKey
    private var pieces: [CustomText.Piece] = []
    private var place = MarkupPlace()
    private var line = 1
    private(set) var mistakes: [String] = []

    /// Maximum length of a subject: headers and message lists show no more of it.
    private static let longestSubject = 200

    init(_ key: CustomTextKey) { self.key = key }

    /// Parses the text; use the result only if there are no mistakes.
    mutating func read(_ source: String) -> CustomText {
        var text = source.replacing("\r\n", with: "\n")
        if key.part == .subject {
            if text.hasSuffix("\n") { text.removeLast() }
            if text.isEmpty || text.contains(where: \.isNewline) || text.count > Self.longestSubject
            {
                note("a subject is one line of 1 to \(Self.longestSubject) characters")
            }
        }
        var rest = text[...]
        while let start = rest.firstRange(of: "{{") {
            add(rest[..<start.lowerBound])
            let behind = rest[start.upperBound...]
            let end = behind.firstRange(of: "}}")
            guard let end, !behind[..<end.lowerBound].contains(where: \.isNewline) else {
                note("{{ has no }} on its line")
                rest = behind
                continue
            }
            addValue(behind[..<end.lowerBound])
            rest = behind[end.upperBound...]
        }
        add(rest)
        let found = CustomText(part: key.part, pieces: pieces)
        if key.part != .subject {
            for value in key.name.needed where !found.values.contains(value) {
                mistakes.append(
                    "\(value.placeholder) is missing: without it the e-mail is of no use")
            }
        }
        return found
    }

    private mutating func add(_ literal: Substring) {
        if literal.isEmpty { return }
        pieces.append(.literal(String(literal)))
        if key.part == .html { place.pass(literal) }
        line += literal.count { $0 == "\n" }
    }

    private mutating func addValue(_ word: Substring) {
        let name = word.filter { $0 != " " }
        let known = (key.name.needed + key.name.allowed).filter { value in
            !value.isInWords || key.language.ownLanguage != nil
        }
        guard let value = known.first(where: { $0.rawValue == name }) else {
            let near = nearest(to: name, among: known.map(\.rawValue))
            note(
                "{{\(name.printable)}} is unknown in this e-mail"
                    + (near.map { "; did you mean {{\($0)}}?" } ?? ".") + " It has "
                    + known.map(\.placeholder).joined(separator: ", "))
            return
        }
        if key.part == .html, let problem = place.problem(of: value) { note(problem) }
        pieces.append(.value(value))
    }

    private mutating func note(_ mistake: String) { mistakes.append("line \(line): \(mistake)") }
}
