import Crypto
import Domain

/// A client with a stream, whose versions are read after each change.
///
/// Two followers are equal if PostgreSQL would return the same results to both: they act for the
/// same member, and have the same token, or tokens with the same data about one session, or about
/// one sign-in with the same time of issue.
package final class Follower: Sendable {
    private let context: RequestContext
    private let versions: FollowVersions

    package init(_ context: RequestContext, _ versions: FollowVersions) {
        self.context = context
        self.versions = versions
    }

    /// Reads the versions that the follower sees now.
    ///
    /// - Throws: Like ``FollowVersions``.
    package func read() throws -> FollowVersions.Versions { try versions(by: context) }

    /// Reads the versions that several followers see now, in one round trip.
    ///
    /// - Returns: nil for those that must read alone: all, if they can't be read together.
    static func versions(
        of followers: [Follower]
    ) -> [Result<FollowVersions.Versions, any Error>?] {
        guard let versions = followers.first?.versions else { return [] }
        do {
            return try versions.batched(by: followers.map(\.context))
        } catch {
            // A follower that reads alone gets the error, and logs it.
            return followers.map { _ in nil }
        }
    }

    /// All properties of a caller that decide what it may see.
    private struct Identity: Hashable {
        let issuer: String
        let subjectHash: SHA256Digest
        let session: Caller.Session?
        /// Time of issue of a provider's token. A token from before an erasure is refused.
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
