import Domain
import Basics
import UseCases

/// The key of an operator's text, such as `es/invitation.txt`.
struct CustomTextKey: Hashable, Sendable {
    /// A part of an e-mail; its raw value is the ending of the file name.
    enum Part: String, CaseIterable, Sendable {
        // The longer ending comes first: each file is matched with the first ending that fits.
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

/// An operator's own text with placeholders for values.
struct CustomText: Sendable {
    enum Piece: Sendable, Equatable {
        case literal(String)
        case value(MailValue)
    }

    let part: CustomTextKey.Part
    let pieces: [Piece]

    /// Returns the text with its values. A value is never searched for placeholders, and is escaped
    /// in HTML.
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
