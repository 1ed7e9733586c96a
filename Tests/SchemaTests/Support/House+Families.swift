import Postgres
import TestSupport

typealias Family = NewFamily<UInt128>

extension Person: FamilyActor {
    package var userID: UInt128? { id }
}

extension SQL {
    /// A change of a member's household role, made now; `heir` gets its children.
    static func changeHouseholdRole(
        of member: UInt128, to role: String, heir: UInt128? = nil
    ) -> SQL {
        """
        SELECT app.change_household_role(
            \(member), \(role), \(heir as UInt128?), NULL, NULL, false)
        """
    }
}

/// Access to families by SQL, as `hearth_api`.
extension House: FamilyEntry {
    func actor(_ person: Person) throws -> Person {
        try asAPI(person) { _ in }
        return person
    }

    func createFamily(by creator: Person, named name: String) throws -> Family {
        try asAPI(creator) { transaction in
            let rows = try transaction.query(
                "SELECT family_unit_id, family_code FROM app.create_family(\(name), NULL, true)")
            return try rows.map { (row) throws(PostgresError) in
                Family(id: try row.read(), code: try row.read())
            }[0]
        }
    }

    func join(_ joiner: Person, code: String) throws {
        _ = try memberID(of: joiner, joiningBy: code)
    }

    func addManagedMember(
        named name: String, of guardian: Person, to family: UInt128
    ) throws -> UInt128 {
        try asAPI(guardian) { transaction in
            try transaction.query("SELECT app.add_managed_member(\(family), \(name), NULL)")
                .scalar(UInt128.self)
        }
    }

    func invite(_ email: String, to family: UInt128, by inviter: Person) throws -> UInt128 {
        try asAPI(inviter) { transaction in
            try transaction.query(
                """
                SELECT invitation_id FROM app.create_invitation(
                    \(family), \(email), 'parent', NULL, 'email')
                """
            ).scalar(UInt128.self)
        }
    }

    func setHouseholdRole(_ role: String, of member: UInt128, by admin: Person) throws {
        try asAPI(admin) {
            try $0.query(.changeHouseholdRole(of: member, to: role))
        }
    }

    func memberIDs(of family: UInt128, seenBy viewer: Person) throws -> [UInt128: UInt128] {
        let rows = try asAPI(viewer) { transaction in
            try transaction.query(
                """
                SELECT user_id, id FROM app.family_members
                WHERE family_unit_id = \(family) AND status = 'active'
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(UInt128.self), try row.read(UInt128.self))
            }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension House {
    /// Creates a person whose first request the database has seen.
    func person(_ role: String = "parent") throws -> Person { try actor(Person(role: role)) }

    /// Creates a family as `creator`.
    func family(of creator: Person) throws -> Family {
        try createFamily(by: creator, named: "House")
    }

    /// Lets `person` join the family by code and returns the id of its membership.
    @discardableResult
    func join(_ person: Person, _ family: Family) throws -> UInt128 {
        try memberID(of: person, joiningBy: family.code)
    }

    /// The membership of `person` in the family.
    func membership(_ person: Person, _ family: Family) throws -> UInt128 {
        try superuser().query(
            """
            SELECT id FROM app.family_members
            WHERE family_unit_id = \(family.id) AND user_id = \(person.id)
            """
        ).scalar(UInt128.self)
    }

    /// Adds a child to the family, with `guardian` as its guardian.
    func child(of guardian: Person, in family: Family) throws -> UInt128 {
        try addManagedMember(named: "Kid", of: guardian, to: family.id)
    }

    /// Invites an address into the family and returns the pending invitation's id.
    func invite(_ email: String, to family: Family, by person: Person) throws -> UInt128 {
        try invite(email, to: family.id, by: person)
    }

    private func memberID(of joiner: Person, joiningBy code: String) throws -> UInt128 {
        try asAPI(joiner) {
            try $0.query("SELECT member_id FROM app.join_family_by_code(\(code), NULL, NULL)")
                .scalar(UInt128.self)
        }
    }
}
