/// What a token says about its bearer, once its signature and all its rules have been checked.
package struct VerifiedToken: Sendable, Equatable {
    /// What the bearer may be taken for.
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
    /// What the bearer once called themselves: a default for a profile, nothing to rely on.
    package let fullName: String?
    /// The role the bearer once chose: a default for a profile, nothing to rely on.
    package let role: String?
    /// When the issuer made it, in whole seconds since 1970; nil if it doesn't say. Of two tokens
    /// of one subject the later one's word counts.
    package let issuedAt: Int64?
    /// The second (since 1970) from which on the token counts no more.
    package let expiresAt: Int64
}
