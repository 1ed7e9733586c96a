/// What a change is about.
package enum ChangeKind: String, Sendable, CaseIterable {
    case family
    case member
    case invitation
    case receivedInvitation
    case profile
    case preferences
    case playerDetails
    case attributes
}
