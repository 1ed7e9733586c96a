import Postgres
import TestSupport

/// A connection without access to a certain family.
struct Intruder: Sendable, CustomStringConvertible {
    enum Role: String, Sendable {
        case api = "hearth_api"
        case direct = "authenticated"
        case anonymous = "anon"
    }

    let role: Role
    /// The person who has begun the request; nil if none has.
    let person: Person?
    /// The intruder's own former membership, which it may read; nil for a stranger.
    var former: UInt128?

    var description: String {
        "\(role.rawValue), \(person == nil ? "nothing begun" : former == nil ? "stranger" : "removed")"
    }

    /// Outcome of a statement.
    enum Outcome: Equatable {
        /// Text of all rows, or the number of rows touched.
        case answered([String])
        case touched(Int)
        case refused(SQLState, told: String)
        /// A plain COPY succeeded; the client library does not support its protocol.
        case copied
    }

    /// Connects with the intruder's role.
    func connect(to house: House) throws -> Connection {
        try Connection(
            house.test.settings(as: role == .api ? role.rawValue : "authenticator"))
    }

    /// Runs a statement in a transaction of its own that begins like the intruder's requests, and
    /// commits it.
    func run(
        _ statement: String, reads: Bool = false, on connection: Connection
    ) throws -> Outcome {
        do {
            return try connection.transaction { transaction in
                try begin(transaction)
                let rows = try transaction.query(SQL(unsafe: statement))
                guard reads else { return .touched(rows.affectedCount) }
                return .answered(
                    try rows.map { (row) throws(PostgresError) in
                        try row.read(String?.self) ?? ""
                    })
            }
        } catch let error as PostgresError {
            guard let server = error.server else { return .copied }
            return .refused(
                server.sqlState, told: "\(server.message) \(server.detail ?? "")")
        }
    }

    func begin(_ transaction: Transaction) throws {
        if role == .api {
            try person?.begin(transaction, actingAs: nil)
            return
        }
        try transaction.query(
            """
            SELECT set_config('role', \(role.rawValue), true),
                set_config('request.jwt.claims', \(person?.claims ?? ""), true)
            """)
        if person != nil { try transaction.query("SELECT gateway.begin_request()") }
    }
}

/// A family with every kind of data that must be protected.
struct Victims: Sendable {
    let house: House
    let fixture: FamilyFixture<House>
    let removed: Person
    let parentMember, removedMember, child, invitation: UInt128

    init(in house: House) throws {
        self.house = house
        fixture = try FamilyFixture(by: house)
        let (creator, family) = (fixture.admin, fixture.created)
        parentMember = try fixture.member(fixture.adult)
        child = try fixture.child(of: fixture.adult)
        (removed, removedMember) = try fixture.joiner()
        invitation = try house.invite("invited@example.com", to: family, by: creator)
        let invitation = invitation
        try house.asAPI(creator) { transaction in
            try transaction.query(
                "SELECT app.add_invitation_secret(\(invitation), 1, sha256('the token'))")
            try transaction.query(
                """
                SELECT app.update_family(\(family.id), 'The Victims', -47.25, 8.5, false, NULL),
                    app.change_player_details(\(family.id), '{"school": "Secret School"}')
                """)
            try transaction.query(
                "SELECT app.patch_attributes(\(family.id), '{\"pet\": \"Secret Cat\"}', NULL)")
            try transaction.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(family.id), \(creator.id), '{"likes": "secret things"}')
                """)
        }
        let removedMember = removedMember
        try house.asAPI(creator) {
            try $0.query("SELECT app.remove_member(\(removedMember), NULL, false, false)")
        }
    }

    var family: Family { fixture.created }
    var creator: Person { fixture.admin }
    /// The guardian of the child.
    var parent: Person { fixture.adult }

    /// Texts that must not be revealed to anybody else.
    var marks: [String] {
        let player = fixture.player
        return [family.id, creator.id, parent.id, player.id, parentMember, child, invitation].map {
            $0.uuid.lowercased()
        } + [
            family.code, creator.email, parent.email, player.email, "invited@example.com",
            "The Victims", "-47.25", "Secret School", "secret things", "Secret Cat",
        ]
    }

    /// A digest that changes with any row that mentions the family or its people.
    func fingerprint() throws -> [String] {
        let connection = try house.superuser()
        let tables = try connection.query(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'app'::regnamespace AND relkind = 'r' ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        let marks = marks.map { "t::text LIKE '%\($0)%'" }.joined(separator: " OR ")
        return try tables.map { table in
            let digest = try connection.query(
                SQL(
                    unsafe: """
                        SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '|'
                            ORDER BY t::text)), '') FROM app.\(table) AS t WHERE \(marks)
                        """)
            ).scalar(String.self)
            return "\(table) \(digest)"
        }
    }
}
