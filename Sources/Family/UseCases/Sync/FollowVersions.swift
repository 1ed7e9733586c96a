package import Crypto
package import Domain
import Postgres
import Repositories

/// Tells how far a caller's changes and those of its families go, without the changes themselves:
/// for streams that only say that there is something to sync.
package struct FollowVersions: Sendable {
    private let database: Database
    private let key: HMACKey

    /// - Parameter key: Authenticates the ids of events.
    package init(_ database: Database, _ key: HMACKey) {
        self.database = database
        self.key = key
    }

    /// Versions at one moment.
    package struct Versions: Sendable {
        let state: SyncState
        /// The id of an event that reports them.
        package let eventID: String

        /// As ``ChangeWatch`` takes them.
        package let watched: [Watched]
    }

    /// What differs between two moments.
    package struct Difference: Sendable {
        /// Families that have changed, that the caller came into, and that it left.
        package let families: [FamilyID]
        /// Whether the caller's own things have changed.
        package let isOwn: Bool

        package var isEmpty: Bool { families.isEmpty && !isOwn }
    }

    /// - Throws: ``Refusal``: `accountRequired` when there is no such account any more.
    package func callAsFunction(by context: RequestContext) throws -> Versions {
        try database.run(reading(by: context))
    }

    /// The versions of several callers, each exactly as it would see them alone, in one round trip.
    ///
    /// - Returns: Those of each, or its ``Refusal``; nil for whom they are to be read alone.
    /// - Throws: As `Database.run(together:)`.
    func together(by callers: [RequestContext]) throws -> [Result<Versions, any Error>?] {
        try database.run(together: callers.map { try reading(by: $0) })
    }

    private func reading(by context: RequestContext) throws -> Read<Versions> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            let state = SyncState.reading(&batch)
            let session = context.caller.session.map { batch.add(Changes.ofSession, $0.id) }
            return { answers, subject in
                try versions(
                    try state(answers, subject),
                    context.caller.session, try session.map { try answers.row($0).value })
            }
        }
    }

    private func versions(
        _ state: SyncState, _ session: Caller.Session?, _ sessionHash: Int64?
    ) throws -> Versions {
        var cursor = state.newCursor
        cursor.version = state.own?.version ?? 0
        cursor.moment = VersionMoment(state.own?.raisedAt)
        let keys = cursor.keys
        cursor.families = state.families.map {
            SyncCursor.Family(
                key: keys.key(of: $0.id), version: $0.version,
                moment: VersionMoment($0.raisedAt))
        }
        var watched = state.watched
        if let session, let sessionHash {
            watched.append(Watched(session: session.id, idHash: sessionHash))
        }
        return Versions(state: state, eventID: try cursor.text(by: key), watched: watched)
    }

    /// What has changed from one look to a later one, for the same caller.
    package func difference(of now: Versions, from before: Versions) -> Difference {
        let known = Set(before.watched)
        let changed = now.state.families.filter { !known.contains(Watched($0)) }.map(\.id)
        let current = Set(now.state.families.map(\.id))
        let left = before.state.families.map(\.id).filter { !current.contains($0) }
        return Difference(
            families: (changed + left).map { FamilyID(rawValue: $0) },
            isOwn: now.state.own.map { !known.contains(Watched($0)) } ?? false)
    }

    /// The same from the event that a client has seen last; nil for an id that is none of its own,
    /// or from before what is known.
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
