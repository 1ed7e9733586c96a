import Postgres
import TestSupport
import Testing

@Suite("Slots of members")
struct SlotTests {
    @Test("a member gets the lowest free slot of its family, within the limit")
    func lowest() throws {
        let scene = try TwoFamilies()
        let connection = try scene.house.superuser()
        func lowest(_ family: Family) throws -> Int16? {
            try connection.query("SELECT app.lowest_free_slot(\(family.id))").scalar(Int16?.self)
        }
        // Bypasses the triggers that assign slots.
        try connection.query("SET session_replication_role = replica")
        let third = try scene.house.family(of: try scene.house.person())
        #expect(try [scene.home, scene.away, third].map(lowest) == [3, 3, 2])
        try connection.query(
            "UPDATE app.family_members SET slot = 3 WHERE id = \(scene.homeAdult)")
        #expect(try [scene.home, scene.away, third].map(lowest) == [2, 3, 2])
        try connection.query(
            "UPDATE app.family_units SET member_limit = 2 WHERE id = \(scene.away.id)")
        #expect(try [scene.home, scene.away, third].map(lowest) == [2, nil, 2])
        try connection.query(
            "UPDATE app.family_units SET member_limit = 1 WHERE id <> \(scene.away.id)")
        #expect(try [scene.home, scene.away, third].map(lowest) == [nil, nil, nil])
        try connection.query(
            "UPDATE app.family_units SET member_limit = 9 WHERE id = \(scene.away.id)")
        #expect(try lowest(scene.away) == 3)
    }

    @Test("a slot that a plain INSERT gives a new member must be within the family's limit")
    func given() throws {
        let scene = try TwoFamilies()
        let connection = try scene.house.superuser()
        func add(_ slot: Int16) throws -> String? {
            let person = try scene.house.person()
            return try refusal {
                try connection.query(
                    """
                    INSERT INTO app.family_members (family_unit_id, user_id, role, slot)
                    VALUES (\(scene.home.id), \(person.id), 'parent', \(slot))
                    """)
            }
        }
        try connection.query(
            "UPDATE app.family_units SET member_limit = 8 WHERE id = \(scene.home.id)")
        #expect(try add(9)?.hasPrefix("23514") == true)
        #expect(try add(8) == nil)
        #expect(try add(8)?.hasPrefix("23505") == true)
    }
}
