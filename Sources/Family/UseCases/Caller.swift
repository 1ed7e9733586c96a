package import Crypto
package import Domain
package import Policy
import Postgres

/// The caller of a request, from a verified token and the delegation header.
package struct Caller: Sendable {
    /// The claims of the token about its bearer.
    private struct Bearer: Sendable {
        var issuer: String
        var subjectHash: SHA256Digest
        /// ``Caller/subjectHash`` as it is sent to the database.
        var subject: PostgresBytes
        var adoptedID: UserID?
        var email: EmailAddress?
        var isEmailVerified: Bool
        var tokenIssuedAt: Int64?
        var tokenExpiresAt: Int64?
        var fullName: String?
        var role: MemberRole?
        var isAnonymous: Bool
        var linksAddress: Bool
        var session: Session?
        var isDelegated = false
    }

    /// Shared by all requests with a token, so that a caller is copied at next to no cost.
    private final class Shared: Sendable {
        let bearer: Bearer
        init(_ bearer: Bearer) { self.bearer = bearer }
    }

    private var shared: Shared
    private var bearer: Bearer {
        get { shared.bearer }
        set { shared = Shared(newValue) }
    }

    package var issuer: String { shared.bearer.issuer }
    /// SHA-256 of issuer, newline, subject. The subject itself is not stored.
    package var subjectHash: SHA256Digest { shared.bearer.subjectHash }
    /// ``subjectHash`` as it is sent to the database.
    var subject: PostgresBytes { shared.bearer.subject }
    /// The subject of a primary issuer, which becomes the user's id.
    package var adoptedID: UserID? { shared.bearer.adoptedID }
    /// The address in the token; nil if the token has none that Hearth can store, and for a
    /// session, whose address the database knows.
    package var email: EmailAddress? {
        get { shared.bearer.email }
        set { bearer.email = newValue }
    }
    /// Whether the issuer has confirmed that the address is the bearer's.
    package var isEmailVerified: Bool {
        get { shared.bearer.isEmailVerified }
        set { bearer.isEmailVerified = newValue }
    }
    /// Time of issue of the token, in seconds since 1970. Data of an older token never replace
    /// those of a later one; a token without a time is treated as the oldest.
    package var tokenIssuedAt: Int64? {
        get { shared.bearer.tokenIssuedAt }
        set { bearer.tokenIssuedAt = newValue }
    }
    /// Expiry of the token, in seconds since 1970; nil if it is irrelevant.
    package var tokenExpiresAt: Int64? { shared.bearer.tokenExpiresAt }
    /// The name for a user who has none; nil if the token's name has no acceptable characters. (A
    /// name that the database can't accept would cause a write with each request.)
    package var fullName: String? { shared.bearer.fullName }
    /// Default role of a user who signs in for the first time.
    package var role: MemberRole? { shared.bearer.role }
    /// Whether the token belongs to no account: it is an anonymous user's, or a service's key.
    package var isAnonymous: Bool {
        get { shared.bearer.isAnonymous }
        set { bearer.isAnonymous = newValue }
    }
    /// Whether a new sign-in is added to the account that has proved its verified address by
    /// e-mail.
    package var linksAddress: Bool { shared.bearer.linksAddress }
    /// The session of one of Hearth's own tokens, or nil. The database has all other data about its
    /// account.
    package var session: Session? { shared.bearer.session }
    /// Whether the token was issued to a service, which acts for one member alone.
    package var isDelegated: Bool { shared.bearer.isDelegated }

    /// The managed member that the request is for, verified by the database on every request.
    package var actingAs: UserID?

    /// The caller of a verified token.
    ///
    /// - Parameters:
    ///   - subject: Stored only as a hash together with the issuer.
    ///   - fullName: As the token has it; it is cleaned, or dropped if nothing visible is left.
    ///   - tokenIssuedAt: Seconds since 1970; nil is treated as the oldest.
    ///   - tokenExpiresAt: Seconds since 1970; nil if it does not matter.
    ///   - linksAddress: Whether a new sign-in is added to the account that has proved its address.
    package init(
        issuer: String, subject: String, adoptedID: UserID?, email: EmailAddress?,
        isEmailVerified: Bool, fullName: String?, role: MemberRole?, isAnonymous: Bool,
        tokenIssuedAt: Int64? = nil, tokenExpiresAt: Int64? = nil, actingAs: UserID? = nil,
        linksAddress: Bool = false
    ) {
        let hash = Self.hash(issuer: issuer, subject: subject)
        shared = Shared(
            Bearer(
                issuer: issuer, subjectHash: hash, subject: PostgresBytes(hash.bytes),
                adoptedID: adoptedID, email: email, isEmailVerified: isEmailVerified,
                tokenIssuedAt: tokenIssuedAt, tokenExpiresAt: tokenExpiresAt,
                fullName: fullName.flatMap { PersonName(cleaning: $0)?.text }, role: role,
                isAnonymous: isAnonymous, linksAddress: linksAddress))
        self.actingAs = actingAs
    }

    /// The session of one of Hearth's own tokens.
    package struct Session: Sendable, Hashable {
        package let id: SessionID
        /// The account that owns the session; for a delegation, the guardian's account.
        package let account: UserID

        package init(id: SessionID, account: UserID) {
            self.id = id
            self.account = account
        }
    }

    /// The caller of a token that Hearth issued for a session.
    ///
    /// - Parameter signedInAt: Seconds since 1970. It is used as the token's time of issue, because
    ///   refreshing a token does not prove that the person is present.
    package init(
        _ session: Session, issuer: String, signedInAt: Int64, tokenExpiresAt: Int64? = nil,
        actingAs: UserID? = nil, isDelegated: Bool = false
    ) {
        self.init(
            issuer: issuer, subject: session.account.description, adoptedID: nil, email: nil,
            isEmailVerified: false, fullName: nil, role: nil, isAnonymous: false,
            tokenIssuedAt: signedInAt, tokenExpiresAt: tokenExpiresAt, actingAs: actingAs)
        bearer.session = session
        bearer.isDelegated = isDelegated
    }

    /// Returns the caller with this name if its token has none.
    package func named(_ name: PersonName?) -> Caller {
        var caller = self
        if caller.fullName == nil { caller.bearer.fullName = name?.text }
        return caller
    }

    /// The digest under which a sign-in is stored, instead of the subject itself.
    package static func hash(issuer: String, subject: String) -> SHA256Digest {
        SHA256Digest(of: issuer + "\n" + subject)
    }
}

/// The client's address, by which attempts are counted.
package struct ClientAddress: Sendable, Hashable {
    /// The address in canonical form.
    package let address: String
    /// The network of one subscriber: /24 of IPv4, /64 of IPv6.
    package let network: String

    package init(address: String, network: String) {
        self.address = address
        self.network = network
    }
}

extension Facts {
    /// Requires that the policy allows `action`.
    ///
    /// - Parameter absence: The error for outsiders, who may only learn that the object does not
    ///   exist.
    /// - Throws: ``Refusal``: the policy's code, or the absence.
    package func require(
        _ action: Action, orAbsent absence: RefusalCode = .familyNotFound
    ) throws(Refusal) {
        switch decide(action, self) {
        case .allowed: return
        case .refused(.familyNotFound): throw Refusal(absence)
        case .refused(let code): throw Refusal(code)
        }
    }

    /// Requires that the policy allows `action`, like ``require(_:orAbsent:)``, but throws `code`
    /// if the only obstacle is that the member in question is not an adult with an account: that
    /// depends on the family's state, not on the caller.
    func require(_ action: Action, unlessNotAdult code: RefusalCode) throws(Refusal) {
        if !contains(.targetAdult), decide(action, union(.targetAdult)) == .allowed {
            throw Refusal(code)
        }
        try require(action)
    }
}

extension Caller {
    /// The facts of the subject outside any family.
    var facts: Facts {
        Facts(isAnonymous: isAnonymous, isActing: actingAs != nil, membership: nil)
    }
}
