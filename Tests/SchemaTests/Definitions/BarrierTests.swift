import Domain
import Foundation
import Postgres
import Repositories
import TestSupport
import Testing

/// Tests of the order of the steps that begin a request: set the sign-in or session, look it up,
/// set the caller. PostgreSQL promises no order within a statement, so these tests fail if a
/// version of PostgreSQL changes the order.
@Suite("The barrier between tenants")
struct BarrierTests {
    static let scene = Result { try BarrierScene() }
    private var scene: BarrierScene { get throws { try Self.scene.get() } }

    /// Settings that change the order and kinds of joins, and how expressions are evaluated.
    static let planners: [[String]] = [
        [],
        ["plan_cache_mode = force_generic_plan"],
        ["plan_cache_mode = force_custom_plan"],
        ["join_collapse_limit = 1", "from_collapse_limit = 1"],
        ["enable_nestloop = off"],
        ["enable_hashjoin = off", "enable_mergejoin = off"],
        ["enable_indexscan = off", "enable_indexonlyscan = off"],
        ["enable_seqscan = off", "enable_bitmapscan = off"],
        ["enable_material = off", "enable_memoize = off"],
        ["geqo_threshold = 2", "geqo_effort = 1"],
        ["seq_page_cost = 1000", "cpu_operator_cost = 100"],
        [
            "parallel_setup_cost = 0", "parallel_tuple_cost = 0",
            "min_parallel_table_scan_size = 0", "max_parallel_workers_per_gather = 4",
        ],
        // Inlining and optimising would take most of this suite's time, and keep the order.
        ["jit = on", "jit_above_cost = 0", "plan_cache_mode = force_generic_plan"],
    ]

    @Test(
        "a request sees its own caller's rows or none, whichever caller was set before",
        arguments: planners)
    func begins(settings: [String]) throws {
        let scene = try scene
        for beginning in try scene.beginnings {
            for isLocal in scopes(of: settings) {
                let found = try scene.run(beginning, settings, settingsAreLocal: isLocal)
                #expect(found == beginning.expected, "\(beginning.name)")
            }
        }
    }

    @Test(
        "a conditional read finds its own caller's versions or none, whichever was set before",
        arguments: planners)
    func reads(settings: [String]) throws {
        let scene = try scene
        for read in try scene.conditionalReads {
            for isLocal in scopes(of: settings) {
                let found = try scene.run(read, settings, settingsAreLocal: isLocal)
                #expect(found == read.expected, "\(read.name)")
            }
        }
    }

    @Test(
        "the plan sets the sign-in or session, then looks it up, then sets the caller",
        arguments: planners)
    func plan(settings: [String]) throws {
        let scene = try scene
        for planned in scene.plannedStatements {
            let plan = try scene.plan(of: planned, settings)
            let text = "\(planned.text)\n\(plan)"
            let named = try #require(
                plan.first {
                    $0.joinsLeft && $0.outer.sets(planned.named) && !$0.inner.sets(planned.named)
                }, "\(text)")
            #expect(named.inner.reads(planned.lookUp), "\(text)")
            #expect(!named.outer.reads(planned.lookUp), "\(text)")
            for caller in ["hearth.user_id", "hearth.guardian_id", "hearth.callers"] {
                #expect(!named.outer.sets(caller) && !named.inner.sets(caller), "\(text)")
                #expect(plan.sets(caller) == planned.beginsRequest, "\(text)")
            }
            guard planned.acts else { continue }
            let acting = try #require(
                plan.first {
                    $0.children.count == 2 && $0.outer.sets("hearth.user_id")
                        && $0.inner.reads("guardianships")
                }, "\(text)")
            #expect(acting.outer.first { $0 == named } != nil, "\(text)")
            #expect(!acting.outer.reads("guardianships"), "\(text)")
            // The caller is set by what the scan of that subquery returns, above the look-up.
            #expect(!acting.inner.children.contains { $0.sets("hearth.user_id") }, "\(text)")
        }
    }

    /// Whether the other caller's settings are those of the transaction or of the session: both,
    /// but only the first if every statement takes a second to compile.
    private func scopes(of settings: [String]) -> [Bool] {
        settings.contains("jit = on") ? [true] : [true, false]
    }

    @Test("docs/security.md quotes the barrier's code completely")
    func shown() throws {
        func text(_ path: String) throws -> String {
            try String(
                contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
        }
        let code = try text("sql/functions/barrier.sql")
        #expect(try text("docs/security.md").contains("```sql\n\(code)```\n"))
    }
}

/// Two accounts, each with a family, a child and a session, and requests of one account in a
/// transaction that still has the other's settings.
struct BarrierScene {
    /// The statements of a request, and the result expected of them.
    struct Request {
        let name: String
        let expected: String
        let run: (Transaction) throws -> String
    }

    /// A statement whose plan a test examines.
    struct Planned {
        let text: String
        let types: String
        let values: String
        /// The setting with the sign-in or session, and the table in which it is then looked up.
        let named: String
        let lookUp: String
        var beginsRequest = true
        var acts = false
    }

    private let scene: TwoAccounts
    private let family: Family
    private let child, strangersChild: UInt128
    private let stranger = Person()
    private var person: Person { scene.person }
    private var other: Person { scene.other }

    init() throws {
        scene = try TwoAccounts()
        family = try scene.house.family(of: scene.person)
        child = try scene.house.child(of: scene.person, in: family)
        strangersChild = try scene.house.child(
            of: scene.other, in: scene.house.family(of: scene.other))
    }

    /// An id as PostgreSQL prints it; empty for none.
    private func text(_ id: UInt128?) -> String { id?.uuid.lowercased() ?? "" }

    // MARK: Requests

    private typealias Token = (signIn: PostgresBytes, email: String)

    private func token(_ person: Person, email: String? = nil) throws -> Token {
        let hash = try scene.house.superuser().query(
            "SELECT sha256(convert_to(\(person.signIn), 'UTF8'))"
        ).scalar(PostgresBytes.self)
        return (hash, email ?? person.email)
    }

    /// All forms of beginning, with each outcome.
    var beginnings: [Request] {
        get throws {
            let (known, unknown) = (try token(person), try token(stranger))
            let stale = try token(person, email: "new@example.com")
            var all: [Request] = []
            for (name, token, outcome) in [
                ("known", known, "known"), ("unknown", unknown, "unknown"),
                ("stale", stale, "stale"),
            ] {
                all.append(
                    beginning("\(name) token", outcome, outcome == "known" ? person.id : nil) {
                        try $0.run(
                            RequestIdentities.beginWithoutActing, Person.issuer, token.signIn,
                            token.email, true, false)
                    })
                all.append(
                    beginning(
                        "\(name) token, change", outcome, outcome == "known" ? person.id : nil
                    ) {
                        try $0.run(
                            RequestIdentities.beginChangeWithoutActing, Person.issuer,
                            token.signIn, token.email, true, false, "request-1")
                    })
                for (member, refusedOrKnown) in acting {
                    all.append(
                        beginning(
                            "\(name) token, acting", outcome == "known" ? refusedOrKnown : outcome,
                            outcome == "known" && refusedOrKnown == "known"
                                ? member ?? person.id : nil
                        ) {
                            try $0.run(
                                RequestIdentities.begin, Person.issuer, token.signIn, token.email,
                                true, false, member.map(UserID.init(rawValue:)))
                        })
                }
            }
            for (name, session, isLive) in [
                ("live", scene.own.live, true), ("ended", scene.own.ended, false),
                ("foreign", scene.others.live, false),
            ] {
                let (id, account) = (SessionID(rawValue: session), UserID(rawValue: person.id))
                all.append(
                    beginning(
                        "\(name) session", isLive ? "known" : "session_ended",
                        isLive ? person.id : nil
                    ) { try $0.run(RequestIdentities.beginSessionWithoutActing, id, account) })
                all.append(
                    beginning(
                        "\(name) session, change", isLive ? "known" : "session_ended",
                        isLive ? person.id : nil
                    ) {
                        try $0.run(
                            RequestIdentities.beginChangeOfSessionWithoutActing, id, account,
                            "request-1")
                    })
                for (member, refusedOrKnown) in acting {
                    all.append(
                        beginning(
                            "\(name) session, acting", isLive ? refusedOrKnown : "session_ended",
                            isLive && refusedOrKnown == "known" ? member ?? person.id : nil
                        ) {
                            try $0.run(
                                RequestIdentities.beginSession, id, account,
                                member.map(UserID.init(rawValue:)))
                        })
                }
            }
            all.append(
                beginning("nobody", "unknown", nil) {
                    try $0.run(RequestIdentities.beginWithoutCaller)
                })
            all.append(
                beginning("nobody, change", "unknown", nil) {
                    try $0.run(RequestIdentities.beginChangeWithoutCaller, "request-1")
                })
            all += try changesWhileActing
            all.append(try batch)
            return all
        }
    }

    /// Changes of a guardian who acts for a child.
    private var changesWhileActing: [Request] {
        get throws {
            let known = try token(person)
            let session = SessionID(rawValue: scene.own.live)
            let account = UserID(rawValue: person.id)
            var all: [Request] = []
            for (member, outcome) in acting {
                let subject = outcome == "known" ? member ?? account.rawValue : nil
                let actingAs = member.map(UserID.init(rawValue:))
                all.append(
                    beginning("known token, acting, change", outcome, subject) {
                        try $0.run(
                            RequestIdentities.beginChange, Person.issuer, known.signIn,
                            known.email, true, false, actingAs, "request-1")
                    })
                all.append(
                    beginning("live session, acting, change", outcome, subject) {
                        try $0.run(
                            RequestIdentities.beginChangeOfSession, session, account, actingAs,
                            "request-1")
                    })
            }
            return all
        }
    }

    /// Members to act for, each with the expected outcome.
    private var acting: [(member: UInt128?, outcome: String)] {
        [(nil, "known"), (child, "known"), (strangersChild, "acting_refused")]
    }

    private func beginning(
        _ name: String, _ outcome: String, _ subject: UInt128?,
        _ begin: @escaping (Transaction) throws -> [RequestIdentity]
    ) -> Request {
        let guardian = subject == child ? person.subject : ""
        let expected = """
            \(outcome) \(text(subject)): subject \(text(subject)), guardian \(guardian), \
            families \(subject == nil ? "" : text(family.id)), callers , their families 
            """
        return Request(name: name, expected: expected) { transaction in
            let begun = try begin(transaction).map {
                "\($0.outcome.rawValue) \(text($0.subject?.rawValue))"
            }
            return "\(begun.joined(separator: ", ")): \(try seen(transaction))"
        }
    }

    /// A batch of one known token, one unknown, one live session and one foreign session.
    private var batch: Request {
        get throws {
            let (known, unknown) = (try token(person), try token(stranger))
            let own = text(family.id)
            let expected = """
                known, unknown, known, session_ended: subject , guardian , families , callers \
                {\(person.subject),NULL,\(person.subject),NULL}, their families 1 \(own), 3 \(own)
                """
            return Request(name: "batch", expected: expected) { transaction in
                let outcomes = try transaction.query(
                    """
                    SELECT outcome FROM app.begin_requests(
                        ARRAY[\(Person.issuer), \(Person.issuer), NULL, NULL],
                        ARRAY[\(known.signIn), \(unknown.signIn), NULL, NULL],
                        ARRAY[\(known.email), \(unknown.email), NULL, NULL],
                        ARRAY[true, true, NULL, NULL], ARRAY[false, false, NULL, NULL],
                        ARRAY[NULL, NULL, \(scene.own.live), \(scene.others.live)]::uuid[],
                        ARRAY[NULL, NULL, \(person.id), \(person.id)]::uuid[])
                    """
                ).map { (row) throws(PostgresError) in try row.read(String.self) }
                return "\(outcomes.joined(separator: ", ")): \(try seen(transaction))"
            }
        }
    }

    /// The settings, and the families that a single caller and the callers of a batch can see with
    /// them.
    private func seen(_ transaction: Transaction) throws -> String {
        // Just-in-time compilation would take half a second, and changes no result.
        try transaction.query("SET LOCAL jit = off")
        return try transaction.query(
            """
            SELECT format('subject %s, guardian %s, families %s, callers %s, their families %s',
                current_setting('hearth.user_id'), current_setting('hearth.guardian_id'),
                (SELECT string_agg(f.id::text, ', ') FROM app.family_units AS f),
                current_setting('hearth.callers'),
                (SELECT string_agg(v.caller_index || ' ' || v.family_unit_id, ', ' ORDER BY v.caller_index)
                 FROM app.family_versions_of_batch AS v))
            """
        ).scalar()
    }

    /// Conditional reads of callers who are found, and of those who are not.
    var conditionalReads: [Request] {
        get throws {
            let (known, unknown) = (try token(person), try token(stranger))
            let stale = try token(person, email: "new@example.com")
            let found = "\(person.subject) \(text(family.id))"
            var all: [Request] = []
            for (name, token, expected) in [
                ("known token", known, found), ("unknown token", unknown, " "),
                ("stale token", stale, " "),
            ] {
                all.append(
                    read(name, expected) {
                        try $0.run(
                            CallerVersions.bySignIn, Person.issuer, token.signIn, token.email, true,
                            false)
                    })
            }
            for (name, session, expected) in [
                ("live session", scene.own.live, found), ("ended session", scene.own.ended, " "),
                ("foreign session", scene.others.live, " "),
            ] {
                all.append(
                    read(name, expected) {
                        try $0.run(
                            CallerVersions.bySession, SessionID(rawValue: session),
                            UserID(rawValue: person.id))
                    })
            }
            return all
        }
    }

    private func read(
        _ name: String, _ expected: String,
        _ run: @escaping (Transaction) throws -> [CallerVersions]
    ) -> Request {
        Request(name: name, expected: expected) { transaction in
            try run(transaction).map {
                let family = $0.seen.family
                return "\(text($0.user?.rawValue)) \(text(family?.id.rawValue))"
            }.joined(separator: ", ")
        }
    }

    /// Runs a request in a transaction in which requests of the other account have left their
    /// settings.
    func run(
        _ request: Request, _ settings: [String], settingsAreLocal isLocal: Bool
    ) throws -> String {
        let connection = try connect(settings)
        let others = try token(other)
        return try connection.transaction { transaction in
            try transaction.query(
                """
                SELECT set_config('hearth.user_id', \(text(strangersChild)), \(isLocal)),
                    set_config('hearth.guardian_id', \(other.subject), \(isLocal)),
                    set_config('hearth.callers', '{' || \(other.subject) || '}', \(isLocal)),
                    set_config('hearth.sign_in', encode(\(others.signIn), 'hex'), \(isLocal)),
                    set_config('hearth.session', \(text(scene.others.live)), \(isLocal))
                """)
            return try request.run(transaction)
        }
    }

    private func connect(_ settings: [String]) throws -> Connection {
        let connection = try Connection(scene.house.test.settings(as: "hearth_api"))
        try connection.execute(script: settings.map { "SET \($0);" }.joined())
        return connection
    }

    // MARK: Plans

    var plannedStatements: [Planned] {
        let signIn = "text, bytea, text, boolean, boolean"
        let token = "'\(Person.issuer)', sha256('x'), 'x@example.com', true, true"
        let session = "'\(text(scene.own.live))', '\(person.subject)'"
        let acting = ", '\(text(child))'"
        func planned<Row, each Parameter>(
            _ statement: Statement<Row, repeat each Parameter>, isSession: Bool,
            beginsRequest: Bool = true, acts: Bool = false, changes: Bool = false
        ) -> Planned {
            let change = (type: changes ? ", text" : "", value: changes ? ", 'request-1'" : "")
            return Planned(
                text: statement.text,
                types: (isSession ? "uuid, uuid" : signIn) + (acts ? ", uuid" : "") + change.type,
                values: (isSession ? session : token) + (acts ? acting : "") + change.value,
                named: isSession ? "hearth.session" : "hearth.sign_in",
                lookUp: isSession ? "sessions" : "user_identities", beginsRequest: beginsRequest,
                acts: acts)
        }
        return [
            planned(RequestIdentities.beginWithoutActing, isSession: false),
            planned(RequestIdentities.begin, isSession: false, acts: true),
            planned(RequestIdentities.beginSessionWithoutActing, isSession: true),
            planned(RequestIdentities.beginSession, isSession: true, acts: true),
            planned(
                RequestIdentities.beginChangeWithoutActing, isSession: false, changes: true),
            planned(RequestIdentities.beginChange, isSession: false, acts: true, changes: true),
            planned(
                RequestIdentities.beginChangeOfSessionWithoutActing, isSession: true,
                changes: true),
            planned(
                RequestIdentities.beginChangeOfSession, isSession: true, acts: true,
                changes: true),
            planned(CallerVersions.bySignIn, isSession: false, beginsRequest: false),
            planned(CallerVersions.bySession, isSession: true, beginsRequest: false),
        ]
    }

    func plan(of planned: Planned, _ settings: [String]) throws -> PlanNode {
        let connection = try connect(settings)
        try connection.execute(script: "PREPARE s (\(planned.types)) AS \(planned.text)")
        let json = try connection.query(
            SQL(unsafe: "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) EXECUTE s (\(planned.values))")
        ).scalar(PostgresJSON.self)
        return try JSONDecoder().decode([PlanNode.Root].self, from: Data(json.utf8))[0].plan
    }
}

/// A node of a plan, as EXPLAIN prints it.
struct PlanNode: Decodable, Equatable, CustomStringConvertible {
    struct Root: Decodable {
        let plan: PlanNode
        enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }

    let type: String
    let joinType: String?
    let relation: String?
    let output: [String]
    let children: [PlanNode]

    enum CodingKeys: String, CodingKey {
        case type = "Node Type"
        case joinType = "Join Type"
        case relation = "Relation Name"
        case output = "Output"
        case children = "Plans"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        joinType = try container.decodeIfPresent(String.self, forKey: .joinType)
        relation = try container.decodeIfPresent(String.self, forKey: .relation)
        output = try container.decodeIfPresent([String].self, forKey: .output) ?? []
        children = try container.decodeIfPresent([PlanNode].self, forKey: .children) ?? []
    }

    /// The inputs of a join; its outer one is evaluated first.
    var outer: PlanNode { children[0] }
    var inner: PlanNode { children[1] }

    var joinsLeft: Bool {
        type == "Nested Loop" && joinType == "Left" && children.count == 2
    }

    /// Whether this node or one below it writes the setting.
    func sets(_ setting: String) -> Bool {
        output.contains { $0.contains("set_config('\(setting)'::text,") }
            || children.contains { $0.sets(setting) }
    }

    /// Whether this node or one below it reads the table.
    func reads(_ table: String) -> Bool {
        relation == table || children.contains { $0.reads(table) }
    }

    /// The first node, from the top, for which `condition` holds.
    func first(where condition: (PlanNode) -> Bool) -> PlanNode? {
        if condition(self) { return self }
        for child in children {
            if let found = child.first(where: condition) { return found }
        }
        return nil
    }

    var description: String {
        let inside = children.map { "(\($0))" }.joined(separator: " ")
        return "\(type) \(joinType ?? "") \(relation ?? "") \(output) \(inside)"
    }
}
