package import Domain
package import UseCases

extension MailValue {
    /// The placeholder in files.
    var placeholder: String { "{{\(rawValue)}}" }

    /// Whether the value is a link, which is allowed in attributes.
    var isLink: Bool { self == .link || self == .appLink || self == .refusal }

    /// Whether a person has chosen the value; the person may be a stranger.
    var isName: Bool {
        switch self {
        case .recipient, .family, .inviter, .admin, .guardian, .requester, .provider: true
        default: false
        }
    }

    /// Whether the value consists of words that exist only in Hearth's own languages, so that texts
    /// in other languages can't use it.
    var isInWords: Bool { self == .greeting || self == .side || self == .identity }
}

/// The data for an e-mail. Names are chosen by people and may contain anything.
package struct MailFacts: Sendable {
    /// Values by placeholder. An empty value is replaced by words such as `Somebody`, if the
    /// language has some for it; a missing value is left out.
    package var texts: [MailValue: String]
    /// Expiry of the invitation.
    package var until: Timestamp?
    /// Side of the person who enters a family.
    package var side: MemberRole?
    /// The way to sign in that the e-mail is about.
    package var identity: IdentityKind?
    /// Whether the person whom the e-mail is about is its recipient.
    package var isAboutRecipient = false

    package init(
        _ texts: [MailValue: String] = [:], until: Timestamp? = nil, side: MemberRole? = nil
    ) {
        self.texts = texts
        self.until = until
        self.side = side
    }
}

/// The values of an e-mail as written in a language, each on one line.
struct MailValues {
    private let texts: [MailValue: String]
    /// Whether the person whom the e-mail is about is its recipient.
    let isAboutRecipient: Bool

    subscript(_ value: MailValue) -> String { texts[value] ?? "" }

    /// Whether the value has a text.
    func has(_ value: MailValue) -> Bool { !self[value].isEmpty }

    /// - Parameter day: Formats a day.
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
        isAboutRecipient = facts.isAboutRecipient
    }

    /// The placeholders themselves, for the files from which operators start their own texts.
    static let placeholders = MailValues(
        texts: Dictionary(
            uniqueKeysWithValues: MailValue.allCases.filter { $0 != .appLink }.map {
                ($0, $0.placeholder)
            }))

    private init(texts: [MailValue: String]) {
        self.texts = texts
        isAboutRecipient = false
    }
}
