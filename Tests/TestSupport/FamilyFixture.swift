/// A family of three, created through a suite's layer.
package struct FamilyFixture<Entry: FamilyEntry>: Sendable {
    package let entry: Entry
    package let created: NewFamily<Entry.FamilyID>
    /// Ada, a parent who created the family and is its Parent Admin.
    package let admin: Entry.Actor
    /// Pat, a parent who joined by the code.
    package let adult: Entry.Actor
    /// Kim, a player who joined by the code.
    package let player: Entry.Actor
    /// The memberships after the creation.
    var members: [UInt128: Entry.MemberID]

    package init(by entry: Entry, named name: String = "The Terns") throws {
        self.entry = entry
        admin = try entry.actor(Person(name: "Ada"))
        adult = try entry.actor(Person(name: "Pat"))
        player = try entry.actor(Person(role: "player", name: "Kim"))
        created = try entry.createFamily(by: admin, named: name)
        for joiner in [adult, player] { try entry.join(joiner, code: created.code) }
        members = try entry.memberIDs(of: created.id, seenBy: admin)
    }

    package var id: Entry.FamilyID { created.id }
    package var code: String { created.code }

    /// A person's membership, either from the creation or as the admin sees it now.
    package func member(_ person: Entry.Actor) throws -> Entry.MemberID {
        guard let user = person.userID else { throw NoMember() }
        if let member = members[user] { return member }
        guard let member = try entry.memberIDs(of: id, seenBy: admin)[user] else {
            throw NoMember()
        }
        return member
    }

    /// Adds a new person who joins by the code.
    package func joiner(
        _ role: String = "parent"
    ) throws -> (actor: Entry.Actor, member: Entry.MemberID) {
        let joiner = try entry.actor(Person(role: role))
        try entry.join(joiner, code: code)
        return (joiner, try member(joiner))
    }

    /// Adds a child without an account.
    package func child(of guardian: Entry.Actor, name: String = "Robin") throws -> Entry.MemberID {
        try entry.addManagedMember(named: name, of: guardian, to: id)
    }

    /// Invites an address as the admin.
    package func invite(_ email: String) throws -> Entry.InvitationID {
        try entry.invite(email, to: id, by: admin)
    }

    /// Gives a person another household role, as the admin.
    package func set(_ person: Entry.Actor, to householdRole: String) throws {
        try entry.setHouseholdRole(householdRole, of: try member(person), by: admin)
    }
}

/// The person is no member of the family.
struct NoMember: Error {}
