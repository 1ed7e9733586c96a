import Crypto
import Domain

/// Somebody with a stream, whose versions are read after each change.
///
/// Two are equal if PostgreSQL would answer both alike: they have the same token, or tokens that
/// say the same of the same session, or of the same sign-in at the same time; and act for the same
/// member.
package final class Follower: Sendable {
    private let context: RequestContext
    private let versions: FollowVersions

    package init(_ context: RequestContext, _ versions: FollowVersions) {
        self.context = context
        self.versions = versions
    }

    /// What it sees now.
    ///
    /// - Throws: As ``FollowVersions``.
    package func read() throws -> FollowVersions.Versions { try versions(by: context) }

    /// What several see now, in one round trip.
    ///
    /// - Returns: nil for those who have to read alone: all, if they can't be read together.
    static func versions(
        of followers: [Follower]
    ) -> [Result<FollowVersions.Versions, any Error>?] {
        guard let versions = followers.first?.versions else { return [] }
        do {
            return try versions.together(by: followers.map(\.context))
        } catch {
            // Whoever reads alone is told the reason, and logs it.
            return followers.map { _ in nil }
        }
    }

    /// All of a caller that decides what it may see.
    private struct Identity: Hashable {
        let issuer: String
        let subjectHash: SHA256Digest
        let session: Caller.Session?
        /// Of a provider's token: one of before an erasure is refused.
        let issuedAt: Int64?
        let actingAs: UserID?
        let email: EmailAddress?
        let isEmailVerified: Bool
        let fullName: String?
        let isAnonymous: Bool
    }

    private var identity: Identity {
        let caller = context.caller
        return Identity(
            issuer: caller.issuer, subjectHash: caller.subjectHash, session: caller.session,
            issuedAt: caller.session == nil ? caller.tokenIssuedAt : nil, actingAs: caller.actingAs,
            email: caller.email,
            isEmailVerified: caller.isEmailVerified, fullName: caller.fullName,
            isAnonymous: caller.isAnonymous)
    }
}

extension Follower: Hashable {
    package static func == (left: Follower, right: Follower) -> Bool {
        left === right || left.identity == right.identity
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
