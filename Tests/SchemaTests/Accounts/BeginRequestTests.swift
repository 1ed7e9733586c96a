import Postgres
import TestSupport
import Testing

@Suite("Results and settings of begin_request")
struct BeginRequestTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    init() throws { scene = try TwoAccounts() }

    /// The claims of a person's token.
    private struct Token {
        var person: Person
        var issuer = Person.issuer
        var email: String?
        var isVerified: Bool? = true
        var bringsName: Bool? = false

        init(of person: Person) {
            self.person = person
            email = person.email
        }
    }

    /// The forms of `begin_request`: without a member to act for, and with one.
    private enum Form: CaseIterable { case plain, acting }

    /// The function's results, followed by the settings for caller, guardian and batch. The
    /// settings have other values before the call.
    private func begun(
        _ token: Token, _ form: Form, actingAs member: UInt128? = nil
    ) throws -> String {
        let (issuer, email) = (token.issuer, token.email)
        let (isVerified, bringsName) = (token.isVerified, token.bringsName)
        let signIn = token.person.signIn
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        return try connection.transaction { transaction in
            let other = scene.other.subject
            try transaction.query(
                """
                SELECT set_config('hearth.user_id', \(other), true),
                    set_config('hearth.guardian_id', \(other), true),
                    set_config('hearth.callers', '{' || \(other) || '}', true)
                """)
            let call: SQL =
                switch form {
                case .plain:
                    """
                    SELECT concat_ws(' ', outcome, coalesce(user_id::text, '-'),
                        coalesce(actor_id::text, '-')) FROM app.begin_request(\(issuer),
                        sha256(convert_to(\(signIn), 'UTF8')), \(email as String?),
                        \(isVerified as Bool?), \(bringsName as Bool?))
                    """
                case .acting:
                    """
                    SELECT concat_ws(' ', outcome, coalesce(user_id::text, '-'),
                        coalesce(actor_id::text, '-')) FROM app.begin_request(\(issuer),
                        sha256(convert_to(\(signIn), 'UTF8')), \(email as String?),
                        \(isVerified as Bool?), \(bringsName as Bool?), \(member as UInt128?))
                    """
                }
            let told: String = try transaction.query(call).scalar()
            let set: String = try transaction.query(
                """
                SELECT format('caller %s, guardian %s, batch %s', current_setting('hearth.user_id'),
                    current_setting('hearth.guardian_id'), current_setting('hearth.callers'))
                """
            ).scalar()
            return "\(told): \(set)"
        }
    }

    private static let nobody = " - -: caller , guardian , batch "

    private func known(_ person: Person) -> String {
        let id = person.subject
        return "known \(id) \(id): caller \(id), guardian , batch "
    }

    @Test("a token without new claims begins the request of its account", arguments: [0, 1])
    func knows(form number: Int) throws {
        let form = Form.allCases[number]
        let token = Token(of: scene.person)
        #expect(try begun(token, form) == known(scene.person))
        // The address is not compared.
        var other = token
        (other.email, other.isVerified) = ("new@example.com", nil)
        #expect(try begun(other, form) == known(scene.person))
        for change: (inout Token) -> Void in [
            { $0.email = "new@example.com" }, { $0.email = nil }, { $0.isVerified = false },
        ] {
            var other = token
            change(&other)
            #expect(try begun(other, form) == "stale" + Self.nobody)
        }
        for change: (inout Token) -> Void in [
            { $0.issuer = "https://other.test" }, { $0.person = Person() },
        ] {
            var other = token
            change(&other)
            #expect(try begun(other, form) == "unknown" + Self.nobody)
        }
    }

    @Test("a token with a name counts as changed as long as the user has no name")
    func names() throws {
        var token = Token(of: scene.person)
        for lacksName in [false, true] {
            try house.superuser().query(
                "UPDATE app.user_identities SET lacks_name = \(lacksName)")
            for bringsName in [nil, false, true] {
                token.bringsName = bringsName
                let expected =
                    lacksName && bringsName == true
                    ? "stale" + Self.nobody : known(scene.person)
                for form in Form.allCases {
                    #expect(try begun(token, form) == expected)
                }
            }
        }
    }

    @Test("a guardian can act for its own child, and for no other")
    func acts() throws {
        let form = Form.acting
        let (person, other) = (scene.person, scene.other)
        let (family, strange) = (try house.family(of: person), try house.family(of: other))
        let child = Person(id: try house.child(of: person, in: family))
        let stranger = Person(id: try house.child(of: other, in: strange))
        var token = Token(of: person)
        #expect(
            try begun(token, form, actingAs: child.id) == """
                known \(child.subject) \(person.subject): caller \(child.subject), \
                guardian \(person.subject), batch \("")
                """)
        for member in [stranger.id, other.id, person.id] {
            #expect(
                try begun(token, form, actingAs: member) == "acting_refused" + Self.nobody)
        }
        token.email = "new@example.com"
        #expect(try begun(token, form, actingAs: child.id) == "stale" + Self.nobody)
        token.person = Person()
        #expect(try begun(token, form, actingAs: child.id) == "unknown" + Self.nobody)
    }
}
