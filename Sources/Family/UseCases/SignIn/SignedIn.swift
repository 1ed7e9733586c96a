package import Domain
import Repositories

/// What somebody gets who has signed in: a session, and who they are.
///
/// The access token is made from it by whoever answers: it is signed, not stored.
package struct SignedIn: Sendable {
    package let session: SessionID
    package let user: UserID
    package let method: SignInMethod
    /// Since when the sign-in counts. Of another issuer's token that is its time of issue, so that
    /// exchanging an old one is no fresh sign-in.
    package let startedAt: Timestamp
    /// For the client alone.
    package let refreshToken: String
    /// How long the refresh token can be used.
    package let refreshSeconds: Int
    /// Read in the transaction of the sign-in.
    package let profile: ReadProfile.Profile
    /// Whether the account was made by this.
    package let isNew: Bool
}

extension SignedIn {
    init(
        _ begun: BegunSession, _ session: SessionID, _ method: SignInMethod, _ token: RefreshToken,
        profile: ReadProfile.Profile, isNew: Bool
    ) {
        self.init(
            session: session, user: begun.user, method: method, startedAt: begun.startedAt,
            refreshToken: token.text, refreshSeconds: begun.lastsSeconds, profile: profile,
            isNew: isNew)
    }
}
