import Domain

// How requests write domain values that are not ids, words or plain text.

extension Format where Value == EmailAddress {
    /// An address.
    static let email = Format(
        Schema([
            "type": "string", "format": "email",
            "maxLength": .integer(Int64(EmailAddress.maximumBytes)),
        ]), "an e-mail address of at most \(EmailAddress.maximumBytes) bytes"
    ) { EmailAddress($0) }
}

extension Format where Value == AvatarURL {
    /// An https URL, or nothing.
    static let avatarURL = Format(
        Schema([
            "type": "string", "pattern": #"^$|^https://\S+$"#,
            "maxLength": .integer(Int64(AvatarURL.maximumBytes)),
        ]), "an https URL of at most \(AvatarURL.maximumBytes) bytes, or empty"
    ) { AvatarURL($0) }
}

extension Format where Value == LanguageTag {
    /// A language.
    static let languageTag = Format(
        Schema([
            "type": "string", "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$",
            "maxLength": .integer(Int64(LanguageTag.maximumBytes)),
        ]), "a language such as es or es-MX"
    ) { LanguageTag($0) }
}

extension Format where Value == CalendarDate {
    /// A day.
    static let date = Format(
        Schema(["type": "string", "format": "date"]), "a date such as 2009-05-31"
    ) { CalendarDate($0) }
}

extension Format where Value == String {
    /// A family's code as people type and paste it. The use case rejects malformed codes, with the
    /// apps' message.
    static let familyCode = Format(.string, "a string") { $0 }

    /// A code that was mailed. A malformed one is wrong.
    static let confirmationCode = Format(
        Schema(["type": "string", "pattern": "^[0-9]{6}$"]), "a string"
    ) { $0 }

    /// Text whose form the use case judges.
    static let anyText = Format(.string, "a string") { $0 }

    /// The name of a purpose of consent. A malformed one names none.
    static let purpose = Format(
        Schema(["type": "string", "pattern": "^[a-z][a-z0-9_-]{0,62}$"]), "a string"
    ) { $0 }

    /// The version of a text. A malformed one is not the present one.
    static let textVersion = Format(
        Schema(["type": "string", "pattern": "^[!-~]{1,64}$"]), "a string"
    ) { $0 }

    /// The token from an invitation's link. A malformed one matches no invitation.
    static let invitationToken = Format(sealed(characters: 43), "a string") { $0 }

    /// A cursor that a previous page returned.
    static let cursor = Format(sealed(characters: 32), "a string") { $0 }

    /// Base64 for URLs.
    private static func sealed(characters: Int) -> Schema {
        Schema(["type": "string", "pattern": .string("^[A-Za-z0-9_-]{\(characters)}$")])
    }
}

extension Format where Value == Timestamp {
    /// A moment with its offset from UTC.
    static let moment = Format(.timestampInHeader, "a moment such as 2026-02-08T12:00:00Z") {
        Timestamp(iso8601: $0)
    }
}
