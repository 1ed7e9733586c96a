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

    /// Adds the statements that read it. The versions are read before the changes and values: what
    /// is read later may be newer and is then sent twice, but nothing is passed over.
    static func reading(_ batch: inout Batch) -> (Answers, Subject) throws -> SyncState {
        let own = batch.add(Changes.ofMe)
        let families = batch.add(Changes.ofMyFamilies)
        return { answers, subject in
            SyncState(
                subject: subject, own: try answers.first(own),
                families: try answers.rows(families))
        }
    }

    var subjectID: UInt128 { subject.user?.rawValue ?? 0 }

    /// The versions to wait for others of, by what `Changes.lately` calls their owners.
    var watched: [Int64: Int64] {
        var watched: [Int64: Int64] = [:]
        for followed in families + (own.map { [$0] } ?? []) {
            watched[followed.idHash] = followed.version
        }
        return watched
    }

    /// Whether changes can be read from where the cursor stands: it is this subject's, nothing
    /// after it was forgotten, and nothing before it was undone (as by restoring a backup).
    func continues(_ cursor: SyncCursor) -> Bool {
        guard cursor.subject == subjectID else { return false }
        if let version = cursor.version {
            guard let own else { return version == 0 }
            guard (own.purgedVersion...own.version).contains(version) else { return false }
        }
        return families.allSatisfy { family in
            let known = cursor.families.first { $0.prefix == UInt64(prefixOf: family.id) }
            return known.map { (family.purgedVersion...family.version).contains($0.version) }
                ?? true
        }
    }
}
