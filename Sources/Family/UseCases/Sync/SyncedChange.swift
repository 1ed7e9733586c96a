package import Domain
package import Repositories

/// A thing as its reader may see it now, or that it is to be forgotten.
package struct SyncedChange: Sendable {
    /// A thing, as its own route shows it.
    package enum Value: Sendable {
        case family(ListedFamily)
        case member(ListedMember)
        case invitation(ListedInvitation)
        case receivedInvitation(ReceivedInvitation)
        case profile(OwnProfile)
        case preferences(MemberPreferences)
        case playerDetails(PlayerDetails)
        /// A JSON object in UTF-8.
        case attributes([UInt8])
    }

    package let kind: ChangeKind
    package let id: UInt128
    /// Whether the id is a managed child's.
    package let isManaged: Bool
    package let family: FamilyID?
    /// Of the family; of the person for what belongs to no family, and for preferences.
    package let version: Int64
    /// Nil for what is gone, or may not be seen any more.
    package let value: Value?
}
