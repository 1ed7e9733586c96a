import Domain
import Policy

/// Statements on stored tokens of identity providers, and the links that refuse invitations.
enum SignInOperations {
    static let all: [Operation] =
        keeping + checking + noting + revoking + refusing
        + AddressedMessage.allCases.flatMap(refusing)

    private static let own = Question(.accountManage)

    /// Storing a token, which is allowed for the account's own sign-in only.
    private static let keeping: [Operation] = [
        ("own sign-in", Stage.subjectHash, [own]), ("another's sign-in", "sha256('stranger')", []),
        ("nobody's sign-in", "sha256('nobody')", []),
    ].map { name, hash, questions in
        Operation(
            name: "keep a token of \(name)",
            sql: "SELECT app.store_provider_token('\(Stage.issuer)', \(hash), 'app', "
                + "'sealed, as long as it has to be')",
            kind: .call, questions: questions)
    }

    /// Claims of the check whether the person still uses the provider: once a day, a refreshed
    /// session gets the provider's token of its own sign-in and of no other.
    private static let checking: [Operation] = SampleSession.allCases.map { session in
        let isDue = session == .mine
        let seen =
            isDue
            ? "coalesce((array_agg(c.token) = ARRAY['\(SampleToken.mine.id)'::uuid])::integer, 0)"
            : "count(*)"
        return Operation(
            name: "claim the check that a session needs: \(session)",
            sql: "SELECT \(seen) FROM app.claim_provider_check('\(session.id)') AS c",
            questions: isDue ? [own] : [])
    }

    /// Recording a check. It affects only the caller's own token: the next check is postponed, or
    /// the sessions that began with the token end.
    private static let noting: [Operation] = SampleToken.allCases.flatMap { token in
        let isOwn = token == .mine || token == .mineElsewhere
        func note(_ name: String, _ isGood: Bool, _ effect: String) -> Operation {
            Operation(
                name: "note that a token is \(name): \(token)",
                sql: "PERFORM app.record_provider_check('\(token.id)', \(isGood)); "
                    + "PERFORM FROM pg_catalog.generate_series(1, proof.\(effect))",
                questions: isOwn ? [own] : [])
        }
        return [note("good", true, "put_off('\(token.id)')")]
            + (token.session.map { [note("bad", false, "ended('\($0.id)')")] } ?? [])
    }

    /// Functions that only workers may call.
    private static let revoking: [Operation] = SampleToken.allCases.flatMap { token in
        ["provider_token_to_revoke", "delete_provider_token"].map {
            Operation(
                name: "\($0) \(token)", sql: "SELECT count(*) FROM app.\($0)('\(token.id)')",
                kind: .call,
                questions: [])
        }
    }

    private static let refusing: [Operation] = [
        Operation(
            name: "whose invitations a link refuses that was made up",
            sql: "SELECT count(*) FROM app.refusable_invitation(sha256('made up'))",
            questions: []),
        Operation(
            name: "refuse invitations by a link that was made up",
            sql: "SELECT app.refuse_invitations(sha256('made up'), true)::integer",
            questions: []),
        Operation(
            name: "refuse invitations by a link that was replaced",
            sql: "PERFORM proof.renew('\(AddressedMessage.toMe.id)'); PERFORM FROM "
                + "app.refusable_invitation(\(AddressedMessage.toMe.tokenHash))",
            questions: []),
    ]

    /// Refusing invitations with the link of an e-mail, signed in or not. A link that was not
    /// mailed refuses nothing. The refusal applies to the address to which the e-mail was sent.
    private static func refusing(_ letter: AddressedMessage) -> [Operation] {
        let questions = letter.address == nil ? [] : [Question(.invitationPreview)]
        let address = letter.address ?? ""
        return [
            Operation(
                name: "whose invitations the link refuses of \(letter)",
                sql: "SELECT count(*) FROM app.refusable_invitation(\(letter.tokenHash))",
                questions: questions)
        ]
            + [("false", "'\(letter.family.id)'"), ("true", "NULL")].map { isOfAll, family in
                Operation(
                    name: "refuse invitations by \(letter), of all: \(isOfAll)",
                    sql: "PERFORM app.refuse_invitations(\(letter.tokenHash), \(isOfAll)); "
                        + "PERFORM FROM pg_catalog.generate_series("
                        + "1, proof.refused('\(address)', \(family)))",
                    questions: questions)
            }
    }
}

/// The sessions of every case.
enum SampleSession: Int, CaseIterable, Sendable {
    case mine = 601
    /// A session of `me` from an issuer whose token was checked recently.
    case mineElsewhere
    case mineEnded
    case strangers
    /// A session of `me` that has expired but was not ended.
    case mineExpired
    case strangersExpired

    var id: String { uuid(rawValue) }
    var owner: SamplePerson {
        self == .strangers || self == .strangersExpired ? .stranger : .me
    }
    var issuer: String {
        switch self {
        case .mineElsewhere: SampleToken.elsewhere
        case .strangersExpired, .mineExpired: SampleToken.past
        case .mine, .mineEnded, .strangers: Stage.issuer
        }
    }
    var isEnded: Bool { self == .mineEnded }
    var isExpired: Bool { self == .mineExpired || self == .strangersExpired }
    var isOver: Bool { isEnded || isExpired }
}

/// The stored provider tokens of every case.
enum SampleToken: Int, CaseIterable, Sendable {
    case mine = 701
    /// The token at the second issuer, not due for a check yet.
    case mineElsewhere
    case strangers
    /// The token of an erased account, due to be revoked.
    case nobodys

    static let elsewhere = "https://elsewhere.example"
    /// An issuer at which sessions began but for which no token is stored.
    static let past = "https://past.example"

    var id: String { uuid(rawValue) }
    var owner: SamplePerson? {
        switch self {
        case .mine, .mineElsewhere: .me
        case .strangers: .stranger
        case .nobodys: nil
        }
    }
    var issuer: String { self == .mineElsewhere ? Self.elsewhere : Stage.issuer }
    /// The session that began with the same sign-in.
    var session: SampleSession? {
        switch self {
        case .mine: .mine
        case .mineElsewhere: .mineElsewhere
        case .strangers: .strangers
        case .nobodys: nil
        }
    }
    /// Hours until the token's next check. The other account's token is due before the caller's.
    var hoursToCheck: Int {
        switch self {
        case .mine: -1
        case .mineElsewhere: 1
        case .strangers, .nobodys: -2
        }
    }
    /// SHA-256 of the sign-in, as SQL.
    var subjectHash: String {
        switch self {
        case .mine: Stage.subjectHash
        case .mineElsewhere: "sha256('elsewhere')"
        case .strangers: "sha256('stranger')"
        case .nobodys: "NULL"
        }
    }
}
