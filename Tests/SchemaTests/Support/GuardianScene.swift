import Postgres
import TestSupport

/// A family with two children of one mother, and a second family of the same kind. A change for one
/// child must leave the other two as they are.
struct GuardianScene {
    let house: House
    let mother, father, uncle, neighbour: Person
    let family, other: Family
    let child, sibling, stranger: UInt128

    init() throws {
        house = try House()
        (mother, father, uncle, neighbour) = (
            try house.person(), try house.person(), try house.person(), try house.person()
        )
        family = try house.family(of: mother)
        other = try house.family(of: neighbour)
        for person in [father, uncle] { try house.join(person, family) }
        child = try house.child(of: mother, in: family)
        sibling = try house.child(of: mother, in: family)
        stranger = try house.child(of: neighbour, in: other)
        try house.superuser().query(
            """
            INSERT INTO app.consent_purposes (purpose, version, is_required)
            VALUES ('photos', '1', false), ('training', '1', true)
            """)
    }

    /// Runs a statement in a person's request, as the API does.
    @discardableResult
    func call(_ person: Person, _ statement: SQL) throws -> Rows {
        try house.asAPI(person) { try $0.query(statement) }
    }

    func member(_ person: Person) throws -> UInt128 { try house.membership(person, family) }

    /// Gives the child further guardians, in this order.
    func guardians(_ people: Person..., of child: UInt128) throws {
        for person in people {
            try call(mother, "SELECT app.add_guardian(\(child), \(try member(person)))")
        }
    }

    /// Invites a child to get an account, as the mother or another primary guardian, and returns
    /// the token.
    func start(_ child: UInt128, by guardian: Person? = nil) throws -> PostgresBytes {
        try house.asAPI(guardian ?? mother) { transaction in
            let made = try transaction.query(
                """
                SELECT invitation_id, generation
                FROM app.start_graduation(\(child), NULL, 'player', 'kid', 'link')
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(UInt128.self), try row.read(Int32.self))
            }[0]
            return try transaction.keepSecret(of: made.0, generation: made.1)
        }
    }

    func effects(and further: [String: UInt128] = [:]) throws -> Effects {
        try Effects(
            house,
            naming: [
                "mother": mother.id, "father": father.id, "uncle": uncle.id,
                "neighbour": neighbour.id, "mother's membership": try member(mother),
                "father's membership": try member(father), "uncle's membership": try member(uncle),
                "child": child, "sibling": sibling, "stranger": stranger,
                "family": family.id, "other": other.id,
            ].merging(further) { $1 })
    }
}
