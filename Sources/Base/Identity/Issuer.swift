/// A trusted issuer of tokens, and the rules for its tokens.
package struct Issuer: Sendable {
    /// Whose dialect of claims is spoken.
    package enum Kind: String, Sendable, CaseIterable {
        case supabase
        case cognito
        case apple
        case generic
    }

    /// The use of a Cognito token.
    package enum TokenUse: String, Sendable, CaseIterable {
        /// Names its audience in `aud`.
        case id
        /// Names its audience in `client_id`.
        case access
    }

    /// The `iss` of its tokens, compared letter by letter.
    package let name: String
    package let kind: Kind
    /// At least one of these must be a token's audience.
    package let audiences: [String]
    /// Whether its subjects are UUIDs that people are known by in the database.
    package let isPrimary: Bool
    /// Supabase only: whether an e-mail address in a token has been confirmed.
    package let confirmsEmails: Bool
    /// Cognito only: which tokens are accepted; nil is both.
    package let tokenUse: TokenUse?
    /// Apple only: whether a token counts for an exchange only together with the nonce that its
    /// claim is the SHA-256 of.
    package let requiresNonce: Bool
    /// Apple only: what asks Apple in the name of the app's team; nil where nothing is asked.
    package let team: AppleTeam?
    /// The keys for its signatures.
    package let keys: IssuerKeys
    /// Hearth itself: the file that the keys come from. Its tokens name a session.
    package let ownKeys: SigningKeys?
    /// Whether this is Hearth itself.
    package var isOwn: Bool { ownKeys != nil }

    /// An issuer of these parts.
    package init(
        name: String, kind: Kind, audiences: [String], isPrimary: Bool = false,
        confirmsEmails: Bool = false, tokenUse: TokenUse? = nil, requiresNonce: Bool = false,
        team: AppleTeam? = nil, keys: IssuerKeys,
        ownKeys: SigningKeys? = nil
    ) {
        self.name = name
        self.kind = kind
        self.audiences = audiences
        self.isPrimary = isPrimary
        self.confirmsEmails = confirmsEmails
        self.tokenUse = tokenUse
        self.requiresNonce = requiresNonce
        self.team = team
        self.keys = keys
        self.ownKeys = ownKeys
    }
}
