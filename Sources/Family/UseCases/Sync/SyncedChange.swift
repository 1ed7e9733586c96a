package import Domain
package import Repositories

/// An entity as its reader may see it now, or the instruction to delete it.
package struct SyncedChange: Sendable {
    /// An entity, in the form of its own route.
    package enum Value: Sendable {
        case family(ListedFamily)
        case member(MemberWithGuardians)
        case invitation(ListedInvitation)
        case receivedInvitation(ReceivedInvitation)
        case profile(Profile)
        case preferences(MemberPreferences)
        case playerDetails(PlayerDetails)
        /// A JSON object in UTF-8.
        case attributes([UInt8])
    }

    /// A person's own profile, without the families.
    package struct Profile: Sendable {
        package let own: OwnProfile
        /// The person's requests to join, the oldest first; empty for a managed child.
        package let joinRequests: [JoinRequest]
        /// Consents that the person is asked for and has not given; empty for a managed child.
        package let missingConsents: [MissingConsent]
    }

    package let kind: ChangeKind
    /// Id of the user, member, family or invitation. Preferences have their owner's id; player
    /// details and attributes have their family's.
    package let id: UInt128
    /// Whether the id is a managed child's.
    package let isManaged: Bool
    /// The family; nil for a profile and for a received invitation, which belong to a person.
    package let family: FamilyID?
    /// The family's version; the person's for entities without a family, and for preferences.
    package let version: Int64
    /// The value; nil if the entity is removed, or no longer visible to the reader.
    package let value: Value?
}

extension SyncedChange {
    /// Returns the changes to send for an entity, the last first. A child that has graduated is
    /// sent under the id of its account, and clients forget its former id.
    static func all(of entity: ChangedEntity, _ version: Int64, _ value: Value?) -> [SyncedChange] {
        func change(isManaged: Bool, _ value: Value?) -> SyncedChange {
            SyncedChange(
                kind: entity.kind, id: entity.id, isManaged: isManaged, family: entity.family,
                version: version, value: value)
        }
        switch value {
        case .member(let member)?:
            let isFormer = entity.isManaged && !member.isManaged
            return [change(isManaged: member.isManaged, value)]
                + (isFormer ? [change(isManaged: true, nil)] : [])
        case .some: return [change(isManaged: entity.isManaged, value)]
        case nil:
            return (entity.isAccount ? [change(isManaged: false, nil)] : [])
                + (entity.isManaged ? [change(isManaged: true, nil)] : [])
        }
    }
}
