import Domain

// How the values of the domain are written that are neither ids, words nor plain text.

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

extension Format where Value == CalendarDate {
    /// A day.
    static let date = Format(
        Schema(["type": "string", "format": "date"]), "a date such as 2009-05-31"
    ) { CalendarDate($0) }
}

extension Format where Value == String {
    /// A family's code as people type it. What is none is told by the use case, in the apps' words.
    static let familyCode = Format(
        Schema([
            "type": "string", "pattern": #"^\s*([Ff][Aa][Mm]-)?[A-Za-z0-9]{6}\s*$"#,
        ]), "a string"
    ) { $0 }

    /// What an invitation's link carries. What is none leads to no invitation.
    static let invitationToken = Format(sealed(characters: 43), "a string") { $0 }

    /// A place in a list, as a page before told it.
    static let cursor = Format(sealed(characters: 32), "a string") { $0 }

    /// Base64 for URLs.
    private static func sealed(characters: Int) -> Schema {
        Schema(["type": "string", "pattern": .string("^[A-Za-z0-9_-]{\(characters)}$")])
    }
}
