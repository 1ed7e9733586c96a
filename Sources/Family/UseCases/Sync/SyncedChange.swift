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
        case profile(Profile)
        case preferences(MemberPreferences)
        case playerDetails(PlayerDetails)
        /// A JSON object in UTF-8.
        case attributes([UInt8])
    }

    /// A person's own profile, without its families.
    package struct Profile: Sendable {
        package let own: OwnProfile
        /// The person's, the oldest first; none of a managed child.
        package let joinRequests: [JoinRequest]
        /// What the person is asked to consent to and has not; none of a managed child.
        package let missingConsents: [MissingConsent]
    }

    package let kind: ChangeKind
    /// The user, member, family or invitation that it is, or whose it is.
    package let id: UInt128
    /// Whether the id is a managed child's.
    package let isManaged: Bool
    /// Nil for what belongs to a person: a profile, or an invitation that it received.
    package let family: FamilyID?
    /// Of the family; of the person for what belongs to no family, and for preferences.
    package let version: Int64
    /// Nil for what is gone, or may not be seen any more.
    package let value: Value?
}

extension SyncedChange {
    /// The changes to send for a thing, the last first. A child that has grown up is sent under the
    /// id of its account, and clients forget the id that it had before.
    static func all(of thing: ChangedThing, _ version: Int64, _ value: Value?) -> [SyncedChange] {
        func change(isManaged: Bool, _ value: Value?) -> SyncedChange {
            SyncedChange(
                kind: thing.kind, id: thing.id, isManaged: isManaged, family: thing.family,
                version: version, value: value)
        }
        switch value {
        case .member(let member)?:
            let isFormer = thing.isManaged && !member.isManaged
            return [change(isManaged: member.isManaged, value)]
                + (isFormer ? [change(isManaged: true, nil)] : [])
        case .some: return [change(isManaged: thing.isManaged, value)]
        case nil:
            return (thing.isAccount ? [change(isManaged: false, nil)] : [])
                + (thing.isManaged ? [change(isManaged: true, nil)] : [])
        }
    }
}
