public import Foundation

/// What `Hearth.updateProfile(_:)` changes. What is not given stays.
public struct ProfileChange: Sendable, Hashable {
    /// The new name.
    public var fullName: String?
    /// The new role; only while in no family, or once if ``Profile/isRoleDefault``.
    public var role: MemberRole?
    /// Which of the app's avatars.
    public var avatarKey: Edit<String>
    /// A picture, by an address that begins with `https:`.
    public var avatarURL: Edit<URL>
    /// The language of e-mails to the account, such as `es-MX`; not while acting for a child.
    public var locale: String?

    /// A change; nothing unless it is named.
    public init(
        fullName: String? = nil, role: MemberRole? = nil, avatarKey: Edit<String> = .keep,
        avatarURL: Edit<URL> = .keep, locale: String? = nil
    ) {
        self.fullName = fullName
        self.role = role
        self.avatarKey = avatarKey
        self.avatarURL = avatarURL
        self.locale = locale
    }

    var body: JSONValue {
        .body([
            "fullName": fullName.map { .string($0) },
            "role": role.map { .string($0.rawValue) },
            "avatarKey": .edit(avatarKey) { .string($0) },
            "avatarUrl": .edit(avatarURL) { .string($0.absoluteString) },
            "locale": locale.map { .string($0) },
        ])
    }
}
