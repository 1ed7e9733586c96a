/// A `FamilyFixture` with two more members, for tests of the rights of each kind of member.
@dynamicMemberLookup
package struct FullFamilyFixture<Entry: FamilyEntry>: Sendable {
    private var family: FamilyFixture<Entry>
    /// Vic, a parent who joined by the code and is a visitor.
    package let visitor: Entry.Actor
    /// Robin, a child without an account, whose guardian is the adult.
    package let child: Entry.MemberID

    package init(by entry: Entry) throws {
        family = try FamilyFixture(by: entry)
        visitor = try entry.actor(Person(name: "Vic"))
        try entry.join(visitor, code: family.code)
        child = try family.child(of: family.adult)
        family.members = try entry.memberIDs(of: family.id, seenBy: family.admin)
        try family.set(visitor, to: "visitor")
    }

    package subscript<Value>(dynamicMember path: KeyPath<FamilyFixture<Entry>, Value>) -> Value {
        family[keyPath: path]
    }

    package func member(_ person: Entry.Actor) throws -> Entry.MemberID {
        try family.member(person)
    }

    package func joiner(
        _ role: String = "parent"
    ) throws -> (actor: Entry.Actor, member: Entry.MemberID) {
        try family.joiner(role)
    }
}
