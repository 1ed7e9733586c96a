import Domain
import Policy
import Postgres
import Repositories

/// Entities as their reader may see them, by id.
struct SyncedValues {
    let subject: Subject
    let families: [FamilyID: ListedFamily]
    private let members: [UInt128: MemberWithGuardians]
    private let invitations: [UInt128: ListedInvitation]
    private let received: [UInt128: ReceivedInvitation]
    private let profiles: [UInt128: OwnProfile]
    private let requests: [JoinRequest]
    private let missingConsents: [MissingConsent]
    private let preferences: [OwnedPreferences]
    private let details: [FamilyID: PlayerDetails]
    private let attributes: [FamilyID: PostgresJSON]
    private let undone: [UndoneChange]

    /// Adds the statements that read the values of entities.
    static func reading(
        _ entities: [ChangedEntity], _ batch: inout Batch
    ) -> (BatchResults, Subject) throws -> SyncedValues {
        func ids(_ kind: ChangeKind) -> [UInt128] {
            Array(Set(entities.filter { $0.kind == kind }.map(\.id)))
        }
        func add<Row>(
            _ kind: ChangeKind, _ statement: Statement<Row, [UInt128]>
        ) -> Batch.ResultKey<Row>? {
            let ids = ids(kind)
            return ids.isEmpty ? nil : batch.add(statement, ids)
        }
        let families = batch.add(
            ChangedValues.families, Array(Set(entities.compactMap { $0.family?.rawValue })))
        let members = add(.member, ChangedValues.members)
        let undone = add(.member, RoleChanges.undone)
        let invitations = add(.invitation, ChangedValues.invitations)
        let received = add(.receivedInvitation, ChangedValues.receivedInvitations)
        let profiles = add(.profile, ChangedValues.profiles)
        let requests = profiles.map { _ in batch.add(Profiles.joinRequests) }
        let missing = profiles.map { _ in batch.add(Consents.missing) }
        let preferences = add(.preferences, ChangedValues.preferences)
        let details = add(.playerDetails, ChangedValues.playerDetails)
        let attributes = add(.attributes, ChangedValues.attributes)
        return { results, subject in
            func rows<Row>(_ key: Batch.ResultKey<Row>?) throws -> [Row] {
                try key.map { try results.rows($0) } ?? []
            }
            return SyncedValues(
                subject: subject,
                families: Dictionary(
                    uniqueKeysWithValues: try results.rows(families).map { ($0.id, $0) }),
                members: Dictionary(
                    uniqueKeysWithValues: try rows(members).map { ($0.id.rawValue, $0) }),
                invitations: Dictionary(
                    uniqueKeysWithValues: try rows(invitations).map { ($0.id.rawValue, $0) }),
                received: Dictionary(
                    uniqueKeysWithValues: try rows(received).map { ($0.id.rawValue, $0) }),
                profiles: Dictionary(
                    uniqueKeysWithValues: try rows(profiles).map { ($0.id.rawValue, $0) }),
                requests: try rows(requests), missingConsents: try rows(missing),
                preferences: try rows(preferences),
                details: Dictionary(
                    uniqueKeysWithValues: try rows(details).map(\.values)
                ).mapValues(\.details),
                attributes: Dictionary(
                    uniqueKeysWithValues: try rows(attributes).map(\.values)),
                undone: try rows(undone))
        }
    }

    /// Returns the value of an entity; nil if it is removed or not visible.
    ///
    /// - Parameter known: The family's version that the reader knows; nil for none. A change by the
    ///   reader that was undone after this version is sent with its member; if the reader knows no
    ///   version, every stored undone change is sent.
    func value(of entity: ChangedEntity, after known: Int64?) -> SyncedChange.Value? {
        let facts = entity.family.flatMap { families[$0] }?.facts(of: subject)
        func may(_ action: Action) -> Bool { facts.map { decide(action, $0) == .allowed } ?? false }
        switch entity.kind {
        case .family:
            guard let family = entity.family, may(.familyRead) else { return nil }
            return families[family].map { .family($0) }
        case .member:
            guard may(.memberList), let member = members[entity.id] else { return nil }
            let conflict = undone.first {
                $0.member == member.id && $0.version > known ?? 0 && $0.version <= entity.version
            }?.conflict
            return .member(MemberWithGuardians(member, conflict: conflict))
        case .invitation:
            return may(.invitationList) ? invitations[entity.id].map { .invitation($0) } : nil
        case .playerDetails:
            guard let family = entity.family, may(.playerDetailsRead) else { return nil }
            return details[family].map { .playerDetails($0) }
        case .attributes:
            guard let family = entity.family, may(.attributesRead) else { return nil }
            return attributes[family].map { .attributes($0.utf8) }
        case .receivedInvitation: return received[entity.id].map { .receivedInvitation($0) }
        case .profile:
            return profiles[entity.id].map {
                let isOwn = $0.id == subject.user
                return .profile(
                    .init(
                        own: $0, joinRequests: isOwn ? requests : [],
                        missingConsents: isOwn ? missingConsents : []))
            }
        case .preferences:
            let stored = preferences.first {
                $0.user.rawValue == entity.id && $0.family == entity.family
            }
            guard let stored, let facts, mayRead(stored, facts) else { return nil }
            return .preferences(
                MemberPreferences(
                    stored.user, isManaged: stored.user != subject.user || subject.isActing,
                    in: stored.family, stored.stored))
        }
    }

    /// Whether the subject may read the preferences by the rule of the policy, which row-level
    /// security enforces too.
    private func mayRead(_ stored: OwnedPreferences, _ facts: Facts) -> Bool {
        let isOneself = stored.user == subject.user
        guard let family = families[stored.family] else { return false }
        let target = Membership(
            role: isOneself ? family.role : .player,
            householdRole: isOneself ? family.householdRole : .kid, status: .active,
            isManaged: !isOneself || subject.isActing, isCreator: false, isVouched: false)
        return decide(
            .preferencesRead,
            facts.with(
                target: target, isOneself: isOneself, guardianship: isOneself ? nil : .further)
        ) == .allowed
    }
}
