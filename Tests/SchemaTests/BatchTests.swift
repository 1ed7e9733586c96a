import Postgres
import TestSupport
import Testing

@Suite("The callers of a batch")
struct BatchTests {
    @Test("who is not known, or has news, is nobody; the others keep their places")
    func callers() throws {
        let house = try House()
        let (first, changed, last) = (try house.person(), try house.person(), try house.person())
        let unseen = Person(role: "parent")
        let people = [first, changed, unseen, last]
        let emails = people.map { $0.id == changed.id ? "else@example.org" : $0.email }
        let (rows, callers) = try Connection(house.test.settings(as: "hearth_api")).transaction {
            transaction in
            let rows = try transaction.query(
                """
                SELECT place, outcome, user_id FROM app.begin_requests(
                    array_fill(\(Person.issuer)::text, ARRAY[4]),
                    (SELECT array_agg(sha256(convert_to(s, 'UTF8')) ORDER BY n)
                     FROM unnest(\(people.map(\.signIn))) WITH ORDINALITY AS t (s, n)),
                    \(emails), array_fill(true, ARRAY[4]), array_fill(false, ARRAY[4]),
                    array_fill(NULL::uuid, ARRAY[4]), array_fill(NULL::uuid, ARRAY[4]))
                """
            ).map { (row) throws(PostgresError) in
                let (place, outcome) = (try row.read(Int32.self), try row.read(String.self))
                let user = try row.read(UInt128?.self)
                return
                    "\(place) \(outcome) \(people.firstIndex { $0.id == user }.map { $0 + 1 } ?? 0)"
            }
            let callers = try transaction.query(
                """
                SELECT array_replace(
                    current_setting('hearth.callers')::uuid[], NULL, '00000000-0000-0000-0000-000000000000')
                """
            ).scalar([UInt128].self)
            return (rows, callers)
        }
        #expect(rows == ["1 known 1", "2 stale 0", "3 unknown 0", "4 known 4"])
        #expect(callers == [first.id, 0, 0, last.id])
    }
}
