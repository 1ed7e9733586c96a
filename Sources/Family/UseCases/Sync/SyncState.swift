import Crypto
import Domain
import Postgres
import Repositories

/// Current versions of everything the caller follows.
struct SyncState: Sendable {
    let subject: Subject
    /// The caller's own version; nil for an anonymous caller.
    let own: FollowedVersion?
    /// Versions of the caller's families, in the order of their ids.
    let families: [FollowedVersion]

    /// Adds the statement that reads the versions. They are read before the changes and values:
    /// data read later may be newer and are then sent twice, but nothing is skipped.
    static func reading(_ batch: inout Batch) -> (BatchResults, Subject) throws -> SyncState {
        let followed = batch.add(Changes.followed)
        return { results, subject in
            let all = try results.rows(followed)
            return SyncState(
                subject: subject, own: all.first { $0.isOwn }, families: all.filter { !$0.isOwn })
        }
    }

    var subjectID: UInt128 { subject.user?.rawValue ?? 0 }

    /// The cursor of a client that has seen nothing yet.
    var newCursor: SyncCursor {
        SyncCursor(subject: subjectID, families: families.map(\.id))
    }

    /// The versions that a client waits for: a wait ends when one of them changes.
    var watched: [WatchedVersion] {
        (families + (own.map { [$0] } ?? [])).map { WatchedVersion($0) }
    }

    /// Text that differs whenever the versions differ, and reveals nothing else.
    var digest: String {
        var text = ""
        for one in watched { text += "\(one.id) \(one.version) \(one.raisedAt)\n" }
        return String(Base64URL.text(SHA256Digest(of: Array(text.utf8)).bytes).prefix(22))
    }

    /// Whether the client can continue from the cursor: the cursor is this subject's, no change
    /// after it was purged, and no restore or failover has undone a change before it. (For a
    /// version that is not the current one, ``SyncPart/origin(in:)`` shows whether it was undone.)
    func continues(_ cursor: SyncCursor) -> Bool {
        guard cursor.subject == subjectID else { return false }
        // The cursor can't distinguish all families.
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
    fileprivate func continues(_ seen: Int64, _ moment: VersionTime) -> Bool {
        guard (purgedVersion...version).contains(seen) else { return false }
        return seen < version || !moment.isOther(than: VersionTime(raisedAt))
    }
}
