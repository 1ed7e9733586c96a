import Domain

/// A way into the database.
enum Channel: CaseIterable, Sendable {
    /// Hearth's API: role `hearth_api`, tables, views and functions of `app`.
    case api
    /// PostgREST: role `authenticated`, schema `api`.
    case direct
    /// PostgREST without a token: role `anon`.
    case anonymous

    var readings: [Reading] { self == .api ? Reading.api : Reading.direct }
    var operations: [Operation] {
        self == .api ? Self.apiOperations : Self.directOperations
    }

    private static let directOperations: [Operation] = DirectOperations.all + directDelegations

    private static let apiOperations: [Operation] =
        FamilyOperations.all + MemberOperations.all + GuardianOperations.all
        + ChildOperations.all
        + InvitationOperations.all + SignInOperations.all
        + StatementOperations.all + apiDelegations

    /// All statements to try, in order: reads first.
    var statements: [String] { Self.statements[self] ?? [] }

    private static let statements = Dictionary(
        uniqueKeysWithValues: allCases.map { channel in
            (
                channel,
                channel.readings.map {
                    "SELECT coalesce(string_agg(r.x, ','), '') FROM (\($0.sql)) AS r (x)"
                } + channel.operations.map(\.sql)
            )
        })

    /// Statements that log in as the channel's role and switch to the client's.
    var session: String {
        switch self {
        case .api: "SET LOCAL SESSION AUTHORIZATION hearth_api;"
        case .direct: "SET LOCAL SESSION AUTHORIZATION authenticator; SET LOCAL ROLE authenticated;"
        case .anonymous: "SET LOCAL SESSION AUTHORIZATION authenticator; SET LOCAL ROLE anon;"
        }
    }

    /// Statement that the caller of `proof.play` runs first; nil if the case can't use this
    /// channel.
    func beginning(_ played: Case) -> String? {
        switch self {
        case .api: Self.apiBeginning(played)
        case .direct: Self.directBeginning(played)
        case .anonymous: played.signIn == .nothing ? "SELECT 1" : nil
        }
    }

    // MARK: The API

    private static func apiBeginning(_ played: Case) -> String? {
        switch played.signIn {
        case .account: begin(Stage.subjectHash, played.isVerified, played.acting)
        case .unknown: begin("sha256('unknown')", true, played.acting)
        // A setting left behind by a commit is empty, not null.
        case .nothing:
            "SELECT set_config('hearth.user_id', '', true), "
                + "set_config('hearth.guardian_id', '', true)"
        // The subject of such a token does not matter.
        case .anonymous, .service:
            played.acting == nil
                ? "SELECT outcome FROM app.begin_request(NULL, NULL, NULL, NULL, NULL)" : nil
        case .wrongAudience: nil
        }
    }

    private static func begin(_ hash: String, _ verified: Bool?, _ acting: SamplePerson?) -> String
    {
        "SELECT outcome FROM app.begin_request('\(Stage.issuer)', \(hash), "
            + (verified.map { "'\(Stage.email)', \($0)" } ?? "NULL, NULL") + ", NULL"
            + (acting.map { ", '\($0.userID)'::uuid" } ?? "") + ")"
    }

    private static let targets: [SamplePerson] = [
        .child, .toddler, .niece, .moved, .lost, .other, .formerly, .me, .chief, .teen, .stranger,
    ]

    private static let apiDelegations: [Operation] = targets.map { target in
        delegation(to: target, begin(Stage.subjectHash, nil, target), kind: .delegation)
    }

    private static func delegation(
        to target: SamplePerson, _ sql: String, kind: Operation.Kind
    ) -> Operation {
        let home: SampleFamily = target == .other ? .b : .a
        return Operation(
            name: "act as \(target)", sql: sql, kind: kind,
            questions: [Question(.actAs, home, target)], asksAccount: true)
    }

    // MARK: PostgREST

    private static func directBeginning(_ played: Case) -> String? {
        if played.signIn == .nothing { return "SELECT 1" }
        return request(claims(played), acting: played.acting)
    }

    private static func claims(_ played: Case) -> String {
        var claims = [
            "iss": Stage.issuer, "sub": SamplePerson.me.userID, "aud": "authenticated",
            "role": "authenticated", "email": Stage.email,
        ]
        switch played.signIn {
        case .account, .nothing, .anonymous: break
        case .unknown: claims["iss"] = "https://elsewhere.test"
        case .service: claims["role"] = "service_role"
        case .wrongAudience: claims["aud"] = "somebody"
        }
        let pairs =
            claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
            + ["\"email_verified\": \(played.isVerified)"]
            + (played.signIn == .anonymous ? ["\"is_anonymous\": true"] : [])
        return "{\(pairs.joined(separator: ", "))}"
    }

    private static func request(_ claims: String, acting: SamplePerson?) -> String {
        let headers = acting.map { "{\"x-acting-as-member\": \"managed_\($0.userID)\"}" } ?? "{}"
        return "SELECT gateway.begin_request() FROM "
            + "set_config('request.jwt.claims', '\(claims)', true) AS c, "
            + "set_config('request.headers', '\(headers)', true) AS h"
    }

    private static let directDelegations: [Operation] = targets.map { target in
        delegation(to: target, request(claims(Case()), acting: target), kind: .call)
    }
}
