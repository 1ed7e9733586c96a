public import Foundation

/// An invitation that was sent.
public struct SentInvitation: Sendable, Hashable {
    /// Its id.
    public let id: InvitationID
    /// The link to share; nil for an invitation by e-mail.
    public let url: URL?
}

extension SentInvitation: FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure) {
        id = try fields.id("invitationId")
        url = fields.textIfThere("inviteUrl").flatMap { URL(string: $0) }
    }
}
