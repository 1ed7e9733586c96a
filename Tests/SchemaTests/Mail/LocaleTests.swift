import Postgres
import TestSupport
import Testing

@Suite("The language of an e-mail")
struct LocaleTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let connection: Connection, worker: Connection

    init() throws {
        scene = try TwoFamilies()
        connection = try scene.house.superuser()
        worker = try Connection(scene.house.test.settings(as: "hearth_worker"))
        for (person, locale) in [
            (scene.admin, "de"), (scene.adult, "fr"), (scene.neighbour, "nl"),
        ] {
            try connection.query(
                "UPDATE app.users SET locale = \(locale) WHERE id = \(person.id)")
        }
    }

    private func of(_ kind: String, _ id: UInt128) throws -> String? {
        try worker.query("SELECT app.locale_of_\(unsafe: kind)(\(id))").scalar(String?.self)
    }

    @Test("a mail to an account uses the account's language, even after an erasure")
    func accounts() throws {
        #expect(try of("account", scene.admin.id) == "de")
        #expect(try of("account", scene.adult.id) == "fr")
        #expect(try of("account", scene.player.id) == nil)
        let erasures = try ["it", "es"].map { locale in
            try connection.query(
                "INSERT INTO app.erasures (sign_ins, locale) VALUES ('{}', \(locale)) RETURNING id"
            ).scalar(UInt128.self)
        }
        #expect(try erasures.map { try of("erasure", $0) } == ["it", "es"])
    }

    @Test("an invitation uses the language of the address's owner, else the inviter's")
    func invitations() throws {
        #expect(try of("invitation", scene.byAdult.id) == "fr")
        let toAdmin = try house.invite(scene.admin.email, to: scene.away, by: scene.neighbour)
        #expect(try of("invitation", toAdmin) == "de")
        try connection.query(
            "UPDATE app.users SET email_verified = false WHERE id = \(scene.admin.id)")
        #expect(try of("invitation", toAdmin) == "nl")
    }

    @Test("a mailed code uses the language of the address's owner, else the page's")
    func tickets() throws {
        func ticket(_ address: String, _ locale: String, path: String?) throws -> UInt128 {
            try connection.query(
                """
                INSERT INTO app.email_tokens
                    (id, email, purpose, ticket_hash, link_hash, expires_at, locale, return_path)
                VALUES (gen_random_uuid(), \(address), 'sign_in', sha256(convert_to('t' || \(address), 'UTF8')),
                    sha256(convert_to(\(address), 'UTF8')), now() + interval '1 hour', \(locale), \(path as String?)::text::bytea)
                RETURNING id
                """
            ).scalar(UInt128.self)
        }
        try connection.query(
            """
            INSERT INTO app.email_sign_ins (user_id, email) VALUES (\(scene.admin.id), 'a@b.test')
            """)
        let known = try ticket("a@b.test", "it", path: "one")
        let unknown = try ticket("c@d.test", "es", path: nil)
        #expect(try of("email_token", known) == "de")
        #expect(try of("email_token", unknown) == "es")
        let paths = try [known, unknown].map {
            try worker.query("SELECT convert_from(app.return_path_of_email_token(\($0)), 'UTF8')")
                .scalar(String?.self)
        }
        #expect(paths == ["one", nil])
    }

    @Test("a language is stored for an account without one, and can be changed only by its owner")
    func kept() throws {
        let child = try house.child(of: scene.adult, in: scene.home)
        let effects = try scene.effects(and: ["child": child])
        func ask(_ person: Person, actingAs member: UInt128? = nil) throws {
            _ = try house.asAPI(person, actingAs: member) {
                try $0.query("SELECT app.set_locale_if_unknown('pt')")
            }
        }
        try effects.expect {
            try ask(scene.admin)
            try ask(scene.adult, actingAs: child)
        }
        try effects.expect("~ users player: locale=pt, updated_at=now") { try ask(scene.player) }
        try effects.expect("~ users adult: locale=sv, updated_at=now") {
            try scene.call(scene.adult, "SELECT app.choose_locale('sv')")
        }
        #expect(
            try refusal {
                _ = try house.asAPI(scene.adult, actingAs: child) {
                    try $0.query("SELECT app.choose_locale('sv')")
                }
            } == "HF403 not_while_acting")
        try connection.query(
            "UPDATE app.users SET locale = NULL, deleted_at = now() WHERE id = \(scene.admin.id)")
        try effects.expect { _ = try refusal { try ask(scene.admin) } }
    }

    @Test("a missing language is stored by the next request if the account's row is locked")
    func locked() throws {
        let owner = try house.owner()
        let hasLocale: SQL =
            "SELECT locale IS NOT NULL FROM app.users WHERE id = \(scene.player.id)"
        try owner.transaction { transaction in
            try transaction.query(
                "SELECT FROM app.users WHERE id = \(scene.player.id) FOR UPDATE")
            try scene.call(scene.player, "SELECT app.set_locale_if_unknown('pt')")
        }
        #expect(try !connection.query(hasLocale).scalar(Bool.self))
    }
}
