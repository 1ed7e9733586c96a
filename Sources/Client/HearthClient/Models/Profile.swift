public import Foundation

/// The caller's profile; while acting for a managed member, that member's.
public struct Profile: Sendable, Hashable, Identifiable {
    /// The person.
    public let id: UserID
    /// The address; empty if there is none.
    public let email: String
    /// The full name; nil until one is known.
    public let fullName: String?
    /// The name to show, also for a person without one.
    public let displayName: String
    /// The side on which the person enters a family.
    public let role: MemberRole
    /// Whether nobody has said the role: ask the person, and say it by `Hearth.updateProfile(_:)`.
    public let isRoleDefault: Bool
    /// Which of the app's avatars; empty if none was chosen.
    public let avatarKey: String
    /// A picture.
    public let avatarURL: URL?
    /// The language of e-mails to the account, such as `es-MX`; nil if none is known.
    public let locale: String?
    /// A child without an account: the caller acts for it.
    public let isManaged: Bool
    /// The families to which the person belongs.
    public let families: [Family]
    /// The person's requests to join that wait for a family's approval, the oldest first.
    public let joinRequests: [JoinRequest]
    /// What the account is asked to consent to and has not; see ``Hearth/ownConsents()``.
    public let missingConsents: [MissingConsent]
    /// The guardian who acts; nil while the caller acts for itself.
    public let actorID: UserID?
}

extension Profile: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("id")
        email = fields.text("email")
        fullName = fields.textIfThere("fullName")
        displayName =
            fields.textIfThere("displayName") ?? fields.textIfThere("fullName") ?? "Member"
        role = fields.word("role") ?? .unknown("")
        isRoleDefault = fields.flag("roleIsDefault")
        avatarKey = fields.text("avatarKey")
        avatarURL = fields.textIfThere("avatarUrl").flatMap { URL(string: $0) }
        locale = fields.textIfThere("locale")
        isManaged = fields.flag("isManaged")
        families = try fields.list("families", Family.init)
        joinRequests = try fields.list("joinRequests", JoinRequest.init)
        missingConsents = try fields.list("consentsMissing", MissingConsent.init)
        actorID = fields["actor"]?["id"]?.stringValue.map { UserID($0) }
    }
}
