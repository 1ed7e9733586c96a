package import Domain
import Repositories

/// A family, person or session whose changes a client waits for, and the version that it knows.
package struct WatchedVersion: Hashable, Sendable {
    /// Id of the family, user or session.
    package let id: UInt128
    /// Hash of the id, as `Changes.changedSince` returns it.
    package let idHash: Int64
    /// Version that the client knows; 0 for a session, which has none.
    package let version: Int64
    /// Time at which the version was assigned; the epoch if it is unknown.
    package let raisedAt: Timestamp

    init(_ followed: FollowedVersion) {
        id = followed.id
        idHash = followed.idHash
        version = followed.version
        raisedAt = followed.raisedAt ?? Self.unknown
    }

    /// Watches a session until it ends.
    init(session: SessionID, idHash: Int64) {
        id = session.rawValue
        self.idHash = idHash
        version = 0
        raisedAt = Self.unknown
    }

    private static let unknown = Timestamp(microseconds: 0)
}
