import Postgres
import TestSupport
import Testing

/// Exports of two people who each have data of every kind, in families of their own.
@Suite("Contents of exports")
struct ExportEffectsTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    init() throws { scene = try TwoAccounts() }

    /// Adds the data that ``TwoAccounts`` lacks. The person has used the code of a family without
    /// becoming a member, and a stranger has used the code of the person's family.
    private func addMore(
        of person: Person, stranger: Person, elsewhere: Family
    ) throws -> Family {
        let family = try house.family(of: person)
        _ = try house.child(of: person, in: family)
        let connection = try house.superuser()
        try connection.query(
            """
            INSERT INTO app.family_code_usage_log (family_unit_id, user_id, action)
            VALUES (\(family.id), \(person.id), 'joined'), (\(elsewhere.id), \(person.id), 'joined'),
                (\(family.id), \(stranger.id), 'joined')
            """)
        try connection.query(
            """
            INSERT INTO app.code_lookups (user_id, code_digest)
            VALUES (\(person.id), sha256('1')), (\(person.id), sha256('2'))
            """)
        try connection.query(
            """
            INSERT INTO app.idempotency_keys
                (actor_id, subject_id, route, key, request_digest, status, answer)
            VALUES (\(person.id), \(person.id), 'POST /x', 'one', sha256('1'), 200, '{}'),
                (\(person.id), \(person.id), 'POST /x', 'two', sha256('1'), 200, '{}')
            """)
        try connection.query(
            """
            INSERT INTO app.suppressed_addresses (email, reason)
            VALUES (\(person.email), \("of \(person.email)"))
            """)
        try connection.query(
            """
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
            VALUES (\(family.id), \(person.id), jsonb_build_object('of', \(person.email)))
            """)
        try connection.query(
            """
            INSERT INTO app.family_attributes (family_unit_id, attributes)
            VALUES (\(family.id), jsonb_build_object('of', \(person.email)))
            """)
        return family
    }

    @Test("an account's export contains all of its data, and none of another account")
    func ownPartsOnly() throws {
        let stranger = try house.person()
        let elsewhere = try house.family(of: stranger)
        let people = [scene.person, scene.other]
        for person in people {
            _ = try addMore(of: person, stranger: stranger, elsewhere: elsewhere)
        }
        for person in people {
            let row = try scene.call(
                person,
                """
                SELECT jsonb_array_length(x->'children') || ' children, '
                    || jsonb_array_length(x->'signIns') || ' sign-ins, '
                    || jsonb_array_length(x->'providerTokens') || ' tokens, '
                    || jsonb_array_length(x->'addresses') || ' addresses, '
                    || jsonb_array_length(x->'familiesCreated') || ' families, '
                    || jsonb_array_length(x->'codeUses') || ' uses, '
                    || jsonb_array_length(x->'codeLookups') || ' lookups, '
                    || jsonb_array_length(x->'repeatableRequests') || ' requests, '
                    || (x->'password'->>'setAt' IS NOT NULL) || ' password, '
                    || (x->'refusedAddress'->>'reason')
                FROM app.export_my_data() AS x
                """
            ).scalar(String.self)
            // Creating a family uses its first code.
            let own = try house.count(
                """
                SELECT count(*) FROM app.family_code_usage_log
                WHERE user_id = \(person.id) AND family_unit_id <> \(elsewhere.id)
                """)
            #expect(
                row == "1 children, 2 sign-ins, 2 tokens, 3 addresses, 1 families, \(own) uses, "
                    + "2 lookups, 2 requests, true password, of \(person.email)")
        }
    }

    @Test(
        "a family's export has its members' preferences and its attributes, and no other family's")
    func familysOwn() throws {
        let stranger = try house.person()
        let elsewhere = try house.family(of: stranger)
        let families = try [scene.person, scene.other].map { person in
            (person, try addMore(of: person, stranger: stranger, elsewhere: elsewhere))
        }
        for (person, family) in families {
            _ = try house.asOperator { try $0.query("SELECT app.begin_export(\(family.id))") }
            let found = try house.asOperator {
                try $0.query(
                    """
                    SELECT (SELECT string_agg(p.preferences->>'of', ' ')
                            FROM app.export_preferences(\(family.id)) AS p)
                        || ' ' || (app.export_attributes(\(family.id))->>'of')
                    """
                ).scalar(String.self)
            }
            #expect(found == "\(person.email) \(person.email)")
        }
    }
}
