import Postgres
import TestSupport

/// Two families, with an adult who belongs to both and has invited people into both. A change in
/// one must leave the other, its people and its invitations as they are.
struct TwoFamilies {
    let house: House
    /// The creator of `home`, the creator of `away`, and a member of both.
    let admin, neighbour, adult: Person
    /// A player without a family and without a name.
    let player: Person
    let home, away: Family
    let homeAdult: UInt128
    let byAdult, byAdmin: (id: UInt128, token: PostgresBytes)
    private let names: [String: UInt128]

    init() throws {
        house = try House()
        (admin, adult, neighbour) = (try house.person(), try house.person(), try house.person())
        player = try house.actor(Person(role: "player", name: nil))
        home = try house.family(of: admin)
        away = try house.family(of: neighbour)
        let toAdult = try house.invitation(of: neighbour, to: away, email: adult.email).id
        homeAdult = try house.join(adult, home)
        let awayAdult = try house.join(adult, away)
        try house.superuser().query("UPDATE app.family_members SET vouched = true")
        byAdult = try house.invitation(of: adult, to: home, email: "one@example.org")
        byAdmin = try house.invitation(of: admin, to: home)
        let awayByAdult = try house.invitation(of: adult, to: away).id
        names = [
            "admin": admin.id, "adult": adult.id, "player": player.id,
            "neighbour": neighbour.id, "home": home.id, "away": away.id,
            "adult at home": homeAdult, "adult away": awayAdult, "by the adult": byAdult.id,
            "by the admin": byAdmin.id, "by the adult, away": awayByAdult,
            "to the adult": toAdult,
        ]
    }

    func effects(and further: [String: UInt128] = [:]) throws -> Effects {
        try Effects(house, naming: names.merging(further) { $1 })
    }

    func changeLog(and further: [String: UInt128] = [:]) throws -> ChangeLog {
        try ChangeLog(house, naming: names.merging(further) { $1 })
    }

    /// Runs a statement in a person's request, as the API does.
    @discardableResult
    func call(_ person: Person, _ statement: SQL) throws -> Rows {
        try house.asAPI(person) { try $0.query(statement) }
    }

    /// Makes a person ask to join the family and returns the pending membership.
    func waits(_ person: Person, at family: Family) throws -> UInt128 {
        let owner = family.id == home.id ? admin : neighbour
        try call(owner, "SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
        try call(person, "SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        return try house.membership(person, family)
    }
}
