package import Domain
import Repositories

/// A family, person or session whose changes somebody waits for, and the version that is known.
package struct Watched: Hashable, Sendable {
    /// The family's, the user's or the session's.
    package let id: UInt128
    /// What `Changes.lately` calls it.
    package let idHash: Int64
    /// 0 for a session, which has none.
    package let version: Int64
    /// When the version was given; the epoch if that is not known.
    package let raisedAt: Timestamp

    init(_ followed: FollowedVersion) {
        id = followed.id
        idHash = followed.idHash
        version = followed.version
        raisedAt = followed.raisedAt ?? Self.unknown
    }

    /// A session, until it ends.
    init(session: SessionID, idHash: Int64) {
        id = session.rawValue
        self.idHash = idHash
        version = 0
        raisedAt = Self.unknown
    }

    private static let unknown = Timestamp(microseconds: 0)
}
