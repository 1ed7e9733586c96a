import Domain
import Markup
import UseCases

/// Which of an operator's texts: `es/invitation.txt`.
struct CustomTextKey: Hashable, Sendable {
    /// A part of an e-mail, by how its file's name ends.
    enum Part: String, CaseIterable, Sendable {
        // The longer ending first: each file has the first that fits.
        case subject = ".subject.txt"
        case text = ".txt"
        case html = ".html"
    }

    let language: LanguageTag
    let name: MailKind
    let part: Part

    init(_ language: LanguageTag, _ name: MailKind, _ part: Part) {
        self.language = language
        self.name = name
        self.part = part
    }
}

/// A text of an operator's, with places for values.
struct CustomText: Sendable {
    enum Piece: Sendable, Equatable {
        case literal(String)
        case value(MailValue)
    }

    let part: CustomTextKey.Part
    let pieces: [Piece]

    /// The text with its values. What a value contains is never read as a place for another, and is
    /// escaped in HTML.
    func filled(with values: MailValues) -> String {
        let text = pieces.map { piece in
            switch piece {
            case .literal(let text): text
            case .value(let value) where part == .html: HTML.escaped(values[value])
            case .value(let value): values[value]
            }
        }.joined()
        return part == .subject ? HeaderText.singleLine(text) : text
    }

    var values: [MailValue] {
        pieces.compactMap { piece in
            if case .value(let value) = piece { value } else { nil }
        }
    }
}
