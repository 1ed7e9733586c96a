/// The types of webhook events. A CHECK constraint of the database lists the same values.
package enum WebhookEventType: String, Sendable, CaseIterable {
    case memberJoined = "member.joined"
    case memberLeft = "member.left"
    case memberRemoved = "member.removed"
    case memberRoleChanged = "member.role_changed"
    case managedCreated = "managed.created"
    /// A managed member gets an account: the membership stays, with another user.
    case managedGraduated = "managed.graduated"
    case invitationCreated = "invitation.created"
    case invitationAccepted = "invitation.accepted"
    case invitationDeclined = "invitation.declined"
    case familyCreated = "family.created"
    case familyUpdated = "family.updated"
    case accountErased = "account.erased"
}
