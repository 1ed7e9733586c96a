/// What webhooks report. A CHECK of the database has the same words.
package enum WebhookEventType: String, Sendable, CaseIterable {
    case memberJoined = "member.joined"
    case memberLeft = "member.left"
    case memberRemoved = "member.removed"
    case memberRoleChanged = "member.role_changed"
    case managedCreated = "managed.created"
    /// A managed member gets an account. No event of this type is made yet.
    case managedGraduated = "managed.graduated"
    case invitationCreated = "invitation.created"
    case invitationAccepted = "invitation.accepted"
    case invitationDeclined = "invitation.declined"
    case familyCreated = "family.created"
    case familyUpdated = "family.updated"
    case accountErased = "account.erased"
}
