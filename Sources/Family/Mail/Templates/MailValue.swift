package import Domain
package import UseCases

extension MailValue {
    /// As it stands in files.
    var placeholder: String { "{{\(rawValue)}}" }

    /// Whether it is a link, so that it may stand in an attribute.
    var isLink: Bool { self == .link || self == .appLink || self == .refusal }

    /// Whether people chose it, who may be anybody.
    var isName: Bool {
        switch self {
        case .recipient, .family, .inviter, .admin, .guardian, .requester: true
        default: false
        }
    }

    /// Whether it is made of words of a language, so that it can't be had in others.
    var isInWords: Bool { self == .greeting || self == .side || self == .identity }
}

/// What is known for an e-mail. Names are people's own and may contain anything.
package struct MailFacts: Sendable {
    /// An empty one is written in words such as `Somebody`, where there are some for its value;
    /// for a missing one nothing is written.
    package var texts: [MailValue: String]
    /// The end of an invitation.
    package var until: Timestamp?
    /// The side on which somebody enters a family.
    package var side: MemberRole?
    /// A way to sign in.
    package var identity: IdentityKind?

    package init(
        _ texts: [MailValue: String] = [:], until: Timestamp? = nil, side: MemberRole? = nil
    ) {
        self.texts = texts
        self.until = until
        self.side = side
    }
}

/// What is written for an e-mail's values in a language. Each is one line.
struct MailValues {
    private let texts: [MailValue: String]

    subscript(_ value: MailValue) -> String { texts[value] ?? "" }

    /// Whether there is something to write.
    func has(_ value: MailValue) -> Bool { !self[value].isEmpty }

    /// - Parameter day: How a day is written.
    init(_ facts: MailFacts, in writer: any MailWriter.Type, day: (MailDate.Day) -> String) {
        var texts = facts.texts.mapValues { HeaderText.singleLine($0) }
        for (value, text) in texts {
            if text.isEmpty {
                texts[value] = writer.unknown(value)
            } else if value.isName {
                texts[value] = UnlinkedText.of(text)
            }
        }
        texts[.greeting] = writer.greeting(texts[.recipient] ?? "")
        texts[.until] = facts.until.map { day(MailDate.day(secondsSince1970: $0.seconds)) } ?? ""
        texts[.identity] = facts.identity.map { writer.identity($0) } ?? ""
        texts[.side] = facts.side.map { writer.side($0) } ?? ""
        self.texts = texts
    }

    /// The placeholders themselves, for files that begin an operator's own texts.
    static let placeholders = MailValues(
        texts: Dictionary(
            uniqueKeysWithValues: MailValue.allCases.filter { $0 != .appLink }.map {
                ($0, $0.placeholder)
            }))

    private init(texts: [MailValue: String]) { self.texts = texts }
}
