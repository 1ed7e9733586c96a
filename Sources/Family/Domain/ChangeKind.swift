/// The kind of data that a change affects.
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
