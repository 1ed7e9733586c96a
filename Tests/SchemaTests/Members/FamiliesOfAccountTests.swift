import Postgres
import TestSupport
import Testing

/// Limit on an account's families, so that lists and the cursor of sync have room for all.
@Suite("The families of an account")
struct FamiliesOfAccountTests {
    private let house: House
    private let person: Person
    private let limit: Int

    /// Sets up a person who can enter one more family.
    init() throws {
        house = try House()
        person = try house.person()
        limit = try house.count("SELECT app.max_families()::int8")
        try house.owner().execute(script: Self.families(of: person, limit - 1))
    }

    /// Makes an account a member of the given number of others' families.
    private static func families(of person: Person, _ count: Int) -> String {
        """
        DO $$
        DECLARE
            v_owner uuid;
            v_family uuid;
        BEGIN
            FOR i IN 1 .. \(count) LOOP
                INSERT INTO app.users (full_name) VALUES ('Owner') RETURNING id INTO v_owner;
                INSERT INTO app.family_units (created_by_user_id, family_name, emptied_at)
                    VALUES (v_owner, 'Family', NULL) RETURNING id INTO v_family;
                INSERT INTO app.family_members
                    (family_unit_id, user_id, role, household_role, joined_via)
                    VALUES (v_family, '\(person.subject)', 'parent', 'adult', 'code');
            END LOOP;
        END $$
        """
    }

    private func family() throws -> Family { try house.family(of: house.person()) }

    private func outcome(_ family: Family, by name: String = "join_family_by_code") throws -> String
    {
        try house.asAPI(person) {
            try $0.query(
                "SELECT outcome FROM app.\(unsafe: name)(\(family.code), NULL, NULL)"
            ).scalar()
        }
    }

    @Test("an account enters a limited number of families, requests included, until it leaves one")
    func limited() throws {
        let last = try family()
        #expect(try outcome(last, by: "request_to_join_by_code") == "waiting")
        // A pending or active membership counts as entered already.
        #expect(try outcome(last) == "joined")
        #expect(try outcome(last) == "already_member")
        let next = try family()
        for name in ["join_family_by_code", "request_to_join_by_code"] {
            #expect(try outcome(next, by: name) == "too_many_families")
        }
        let host = try house.person()
        let another = try house.family(of: host)
        let invitation = try house.invitation(of: host, to: another)
        let full = "HF409 too_many_families"
        func accept() throws -> String? {
            try refusal {
                try house.asAPI(person) {
                    try $0.query(
                        "SELECT FROM app.join_by_invitation(\(invitation.token), NULL)")
                }
            }
        }
        #expect(try accept() == full)
        #expect(try refusal { try house.family(of: person) } == full)
        let added = try refusal {
            try house.asOperator {
                try $0.query(
                    "SELECT app.operator_add_member(\(next.id), \(person.id), 'parent', NULL)")
            }
        }
        #expect(added == full)
        // Other accounts are not concerned.
        try house.join(house.person(), next)
        try house.asAPI(person) { try $0.query("SELECT app.leave_family(\(last.id), NULL)") }
        #expect(try accept() == nil)
        // Rejoining counts as entering.
        #expect(try outcome(last) == "too_many_families")
        // A child is in one family, whoever guards it.
        _ = try house.child(of: person, in: another)
    }

    @Test("one of two concurrent entries succeeds at the limit of families")
    func race() throws {
        let (one, other) = (try family(), try family())
        let host = try house.person()
        let invitation = try house.invitation(of: host, to: house.family(of: host))
        let met = try house.race(
            { body in try house.asAPI(person) { try body($0) } },
            early: { transaction in
                let outcome: String = try transaction.query(
                    "SELECT outcome FROM app.join_family_by_code(\(one.code), NULL, NULL)"
                ).scalar()
                #expect(outcome == "joined")
            },
            late: { [house, person] in
                try house.asAPI(person) {
                    _ = try $0.query(
                        "SELECT FROM app.join_by_invitation(\(invitation.token), NULL)")
                }
            })
        #expect(met == "HF409 too_many_families")
        #expect(try outcome(other) == "too_many_families")
    }
}
