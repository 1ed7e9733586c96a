import Postgres
import TestSupport
import Testing

@Suite("The audit log")
struct AuditTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private func actions(_ family: Family) throws -> [String] {
        try house.superuser().query(
            """
            SELECT concat_ws(' ', action, actor_user_id, actor_label, subject_user_id)
            FROM app.audit_log WHERE family_unit_id = \(family.id) ORDER BY at
            """
        ).map { (row) throws(PostgresError) in try row.read() }
    }

    @Test("a change and its audit row commit together, with actor and subject")
    func together() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let created = "family.create \(parent.subject) \(parent.subject)"
        #expect(try actions(family) == [created])
        struct GivenUp: Error {}
        _ = try? house.asAPI(parent) { transaction -> Void in
            try transaction.query("SELECT app.regenerate_code(\(family.id), NULL)")
            throw GivenUp()
        }
        #expect(try actions(family) == [created])
        let child = try house.child(of: parent, in: family)
        // A child of another family, which has an audit log of its own.
        let other = try house.person()
        _ = try house.child(of: other, in: try house.family(of: other))
        try house.asAPI(parent, actingAs: child) {
            try $0.query("UPDATE app.users SET full_name = 'Kiddo' WHERE id = \(child)")
        }
        let kid = try house.superuser().query("SELECT \(child)::text").scalar(String.self)
        #expect(
            try actions(family) == [
                created, "managed.create \(parent.subject) \(kid)",
                "profile.update \(parent.subject) \(kid)",
            ])
    }

    @Test("a change by plain SQL is recorded with the role that made it")
    func plainStatements() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let rename: SQL = "UPDATE app.family_units SET family_name = 'A' WHERE id = \(family.id)"
        try house.asAPI(parent) { try $0.query(rename) }
        try house.asDirect(parent) {
            try $0.query("UPDATE api.family_units SET family_name = 'B' WHERE id = \(family.id)")
        }
        try house.superuser().query(rename)
        let superuser = try house.superuser().query("SELECT session_user::text")
            .scalar(String.self)
        let who = parent.subject
        #expect(
            try actions(family).dropFirst() == [
                "family.update \(who) \(who)", "family.update \(who) sql:authenticated \(who)",
                "family.update sql:\(superuser)",
            ])
    }

    @Test("the log is append-only, even for its owner, and clients can't read it")
    func appendOnly() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let changed = try house.owner().query("UPDATE app.audit_log SET action = 'x.y'")
            .affectedCount
        #expect(changed == 0)
        #expect(
            try refusal {
                try house.asAPI(parent) { try $0.query("DELETE FROM app.audit_log") }
            } == "42501")
        let read = { (person: Person) in
            try house.asAPI(person) {
                try $0.query(
                    """
                    SELECT count(*) FROM app.audit_page(\(family.id), NULL, NULL, 100)
                    """
                ).scalar(Int.self)
            }
        }
        let other = try house.person()
        #expect(try read(other) == 0)
        try house.join(other, family)
        #expect(try read(other) == 0)
        #expect(try read(parent) == 2)
    }

    @Test("an operator's name is used only in a session that logged in as an operator")
    func operators() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        try house.asAPI(parent) { transaction in
            try transaction.query("SELECT set_config('hearth.operator', 'mallory', true)")
            try transaction.query("SELECT app.regenerate_code(\(family.id), NULL)")
        }
        #expect(try actions(family).last == "code.regenerate \(parent.subject) \(parent.subject)")
    }
}
