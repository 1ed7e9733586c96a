import Domain
import Postgres
import Repositories

/// How far everything is that a caller follows.
struct SyncState: Sendable {
    let subject: Subject
    /// Nil for an anonymous caller.
    let own: FollowedVersion?
    /// In the order of their ids.
    let families: [FollowedVersion]

    /// Adds the statement that reads it. The versions are read before the changes and values: what
    /// is read later may be newer and is then sent twice, but nothing is passed over.
    static func reading(_ batch: inout Batch) -> (Answers, Subject) throws -> SyncState {
        let followed = batch.add(Changes.followed)
        return { answers, subject in
            let all = try answers.rows(followed)
            return SyncState(
                subject: subject, own: all.first { $0.isOwn }, families: all.filter { !$0.isOwn })
        }
    }

    var subjectID: UInt128 { subject.user?.rawValue ?? 0 }

    /// Of a client that has seen nothing yet.
    var newCursor: SyncCursor {
        SyncCursor(subject: subjectID, families: families.map(\.id))
    }

    /// The versions to wait for others of.
    var watched: [Watched] { (families + (own.map { [$0] } ?? [])).map { Watched($0) } }

    /// Whether changes can be read from where the cursor stands: it is this subject's, nothing
    /// after it was forgotten, and nothing before it was undone, as by restoring a backup. (Of a
    /// version that is not the present one, ``SyncPart/origin(in:)`` tells whether it was undone.)
    func continues(_ cursor: SyncCursor) -> Bool {
        guard cursor.subject == subjectID else { return false }
        // It can't tell all families apart.
        if cursor.keys == .halves, newCursor.keys == .hashes { return false }
        if let version = cursor.version {
            guard let own else { return version == 0 }
            guard own.continues(version, cursor.moment) else { return false }
        }
        return families.allSatisfy { family in
            let known = cursor.families.first { $0.key == cursor.keys.key(of: family.id) }
            return known.map { family.continues($0.version, $0.moment) } ?? true
        }
    }
}

extension FollowedVersion {
    /// Whether a version that a client has seen may be followed by this one.
    fileprivate func continues(_ seen: Int64, _ moment: VersionMoment) -> Bool {
        guard (purgedVersion...version).contains(seen) else { return false }
        return seen < version || !moment.isOther(than: VersionMoment(raisedAt))
    }
}
