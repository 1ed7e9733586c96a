/// The content of a token whose signature and rules have been checked.
package struct VerifiedToken: Sendable, Equatable {
    /// The kind of bearer.
    package enum Bearer: String, Sendable {
        /// A person who has signed in.
        case person
        /// Somebody who has not said who they are; Supabase's anonymous users and its `anon` key.
        case anonymous
        /// A machine with more rights than a person should have; Supabase's `service_role` key.
        case service
    }

    /// The issuer's name; together with `subject` it says who it is.
    package let issuer: String
    /// The issuer's name for the bearer, 1 to 255 characters; from a primary issuer a UUID in lower
    /// case. Empty only if `bearer` is not `person`.
    package let subject: String
    package let kind: Issuer.Kind
    package let isPrimary: Bool
    package let bearer: Bearer
    /// As the issuer wrote it; nil if it gave none.
    package let email: String?
    /// Whether the issuer vouches for the address.
    package let isEmailVerified: Bool
    /// The name that the bearer once chose: only a default for a profile.
    package let fullName: String?
    /// The role the bearer once chose: a default for a profile, nothing to rely on.
    package let role: String?
    /// Of the token's audiences the one that the issuer's entry has.
    package var audience = ""
    /// As the issuer wrote it: what the client gave when it asked for the token.
    package var nonce: String?
    /// When the issuer made it, in whole seconds since 1970; nil if it doesn't say. Of two tokens
    /// of one subject, the later one decides.
    package let issuedAt: Int64?
    /// The second (since 1970) at which the token expires.
    package let expiresAt: Int64
    /// Of Hearth's own tokens only.
    package var session: Session?

    /// The session that one of Hearth's own tokens is of.
    package struct Session: Sendable, Equatable {
        /// The session's id.
        package let id: String
        /// Who acts for the subject; nil: the subject itself.
        package let actor: String?
        /// When the person signed in, in seconds since 1970: not later when the session is
        /// refreshed.
        package let signedInAt: Int64
    }
}
