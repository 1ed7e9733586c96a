import Domain

// How the values of the domain are written that are neither ids, words nor plain text.

extension Format where Value == EmailAddress {
    /// An address.
    static let email = Format(
        Schema([
            "type": "string", "format": "email",
            "maxLength": .integer(Int64(EmailAddress.maximumBytes)),
        ]), "an e-mail address"
    ) { EmailAddress($0) }
}

extension Format where Value == AvatarURL {
    /// An https URL, or nothing.
    static let avatarURL = Format(
        Schema([
            "type": "string", "pattern": #"^$|^https://\S+$"#,
            "maxLength": .integer(Int64(AvatarURL.maximumBytes)),
        ]), "an https URL, or empty"
    ) { AvatarURL($0) }
}

extension Format where Value == CalendarDate {
    /// A day.
    static let date = Format(
        Schema(["type": "string", "format": "date"]), "a date such as 2009-05-31"
    ) { CalendarDate($0) }
}
