import UseCases

/// The parser state at the end of an HTML document's text so far, to decide which values may
/// follow.
struct MarkupPlace {
    private enum State: Equatable {
        case text
        /// Between `<` and `>`, except in quoted values.
        case tag
        case quoted(Character)
        case comment
        /// Within an element whose content is not markup, such as `style`.
        case raw(String)
    }

    private var state = State.text
    /// Text of the current tag, comment or raw content so far.
    private var passed = ""

    private static let rawElements = ["script", "style", "textarea", "title"]

    /// Parses more of the document.
    mutating func pass(_ markup: some StringProtocol) {
        for character in markup { pass(character) }
    }

    private mutating func pass(_ character: Character) {
        switch state {
        case .text:
            if character == "<" { begin(.tag) }
        case .tag:
            passed.append(character)
            if passed == "!--" {
                begin(.comment)
            } else if character == "\"" || character == "'" {
                state = .quoted(character)
            } else if character == ">" {
                let name = passed.lowercased().prefix { $0.isLetter || $0.isNumber }
                begin(Self.rawElements.contains(String(name)) ? .raw(String(name)) : .text)
            }
        case .quoted(let quote):
            if character == quote { state = .tag }
        case .comment:
            passed.append(character)
            if passed.hasSuffix("-->") { begin(.text) }
        case .raw(let name):
            passed.append(character)
            guard character == ">" else { return }
            let end = passed.lowercased().filter { !$0.isWhitespace }
            if end.hasSuffix("</\(name)>") { begin(.text) }
        }
    }

    private mutating func begin(_ next: State) {
        state = next
        passed = ""
    }

    /// Returns the reason why a value is not allowed here; nil if it is.
    ///
    /// Texts that people choose are allowed only between tags, where they are escaped; in an
    /// attribute such as `href` a name could become an address.
    func problem(of value: MailValue) -> String? {
        switch state {
        case .text: nil
        // In a title, only the end tag is markup, and an escaped value can't contain it.
        case .raw("title"): nil
        case .quoted where value.isLink: nil
        case .quoted:
            "\(value.placeholder) stands in an attribute, where only links may; put it between tags"
        case .tag: "\(value.placeholder) stands within a tag; put it between tags, or in quotes"
        case .comment, .raw:
            "\(value.placeholder) stands in a comment, a script or a style; put it between tags"
        }
    }
}
