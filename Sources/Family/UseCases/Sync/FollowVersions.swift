package import Crypto
package import Domain
import Postgres
import Repositories

/// Returns the current versions of a caller and its families, without the changes themselves: for
/// streams that only report that there is something to sync.
package struct FollowVersions: Sendable {
    private let database: Database
    private let key: HMACKey

    /// - Parameter key: The key that authenticates the ids of events.
    package init(_ database: Database, _ key: HMACKey) {
        self.database = database
        self.key = key
    }

    /// The versions at one time.
    package struct Versions: Sendable {
        let state: SyncState
        /// The id of an event that reports them.
        package let eventID: String

        /// Text that differs whenever the versions differ, and reveals nothing else.
        package var digest: String { state.digest }

        /// The versions in the form that ``ChangeWatch`` takes.
        package let watched: [WatchedVersion]
    }

    /// The difference between the versions at two times.
    package struct Difference: Sendable {
        /// Families that have changed, or that the caller has joined or left.
        package let families: [FamilyID]
        /// Whether the caller's own data have changed.
        package let isOwn: Bool

        package var isEmpty: Bool { families.isEmpty && !isOwn }
    }

    /// - Throws: ``Refusal``: `accountRequired` if the account no longer exists.
    package func callAsFunction(by context: RequestContext) throws -> Versions {
        try database.run(reading(by: context))
    }

    /// Returns the versions of several callers in one round trip. Each caller gets exactly the
    /// versions that a single read would return.
    ///
    /// - Returns: The versions of each, or its ``Refusal``; nil if they must be read alone.
    /// - Throws: Like `Database.run(batched:)`.
    func batched(by callers: [RequestContext]) throws -> [Result<Versions, any Error>?] {
        try database.run(batched: callers.map { try reading(by: $0) })
    }

    private func reading(by context: RequestContext) throws -> Read<Versions> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            let state = SyncState.reading(&batch)
            let session = context.caller.session.map { batch.add(Changes.hashOfSession, $0.id) }
            return { results, subject in
                try versions(
                    try state(results, subject),
                    context.caller.session, try session.map { try results.row($0).value })
            }
        }
    }

    private func versions(
        _ state: SyncState, _ session: Caller.Session?, _ sessionHash: Int64?
    ) throws -> Versions {
        var cursor = state.newCursor
        cursor.version = state.own?.version ?? 0
        cursor.moment = VersionTime(state.own?.raisedAt)
        let keys = cursor.keys
        cursor.families = state.families.map {
            SyncCursor.Family(
                key: keys.key(of: $0.id), version: $0.version,
                moment: VersionTime($0.raisedAt))
        }
        var watched = state.watched
        if let session, let sessionHash {
            watched.append(WatchedVersion(session: session.id, idHash: sessionHash))
        }
        return Versions(state: state, eventID: try cursor.text(by: key), watched: watched)
    }

    /// Returns the changes from an earlier read to a later one, for the same caller.
    package func difference(of now: Versions, from before: Versions) -> Difference {
        let known = Set(before.watched)
        let changed = now.state.families.filter { !known.contains(WatchedVersion($0)) }.map(\.id)
        let current = Set(now.state.families.map(\.id))
        let left = before.state.families.map(\.id).filter { !current.contains($0) }
        return Difference(
            families: (changed + left).map { FamilyID(rawValue: $0) },
            isOwn: now.state.own.map { !known.contains(WatchedVersion($0)) } ?? false)
    }

    /// Returns the changes since the last event that a client has seen; nil for an id that is not
    /// the caller's, or older than the stored changes.
    package func difference(of now: Versions, from eventID: String) throws -> Difference? {
        guard let cursor = try SyncCursor(eventID, by: key), now.state.continues(cursor) else {
            return nil
        }
        let changed = now.state.families.filter { family in
            !cursor.families.contains {
                $0.key == cursor.keys.key(of: family.id) && $0.version == family.version
            }
        }
        return Difference(
            families: changed.map { FamilyID(rawValue: $0.id) },
            isOwn: now.state.own?.version != cursor.version)
    }
}
