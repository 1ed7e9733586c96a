/// A suite's access to families: through SQL, the use cases or HTTP.
///
/// Each suite implements it for its own layer and so shares people and `FamilyFixture` with all
/// others.
package protocol FamilyEntry: Sendable {
    /// A person in the form in which this layer accepts requests, for example with a token.
    associatedtype Actor: FamilyActor
    associatedtype FamilyID: Sendable
    associatedtype MemberID: Sendable
    associatedtype InvitationID: Sendable

    func actor(_ person: Person) throws -> Actor

    /// Creates a family. A parent who does so becomes its Parent Admin.
    func createFamily(by creator: Actor, named name: String) throws -> NewFamily<FamilyID>

    /// Joins the family that has the code.
    func join(_ joiner: Actor, code: String) throws

    /// Adds a child without an account.
    func addManagedMember(
        named name: String, of guardian: Actor, to family: FamilyID
    ) throws -> MemberID

    /// Invites an address as a parent.
    func invite(_ email: String, to family: FamilyID, by inviter: Actor) throws -> InvitationID

    /// - Parameter role: `adult`, `kid` or `visitor`.
    func setHouseholdRole(_ role: String, of member: MemberID, by admin: Actor) throws

    /// The memberships that `viewer` sees, by user id.
    func memberIDs(of family: FamilyID, seenBy viewer: Actor) throws -> [UInt128: MemberID]
}

extension FamilyEntry {
    /// Creates a family with the default name of tests.
    @discardableResult
    package func createFamily(by creator: Actor) throws -> NewFamily<FamilyID> {
        try createFamily(by: creator, named: "The Terns")
    }
}

/// A person in the form in which a layer accepts requests.
package protocol FamilyActor: Sendable {
    /// The user's id; nil if it is unknown before the first request.
    var userID: UInt128? { get }
}

/// The result of creating a family.
package struct NewFamily<ID: Sendable>: Sendable {
    package let id: ID
    package let code: String

    package init(id: ID, code: String) {
        self.id = id
        self.code = code
    }
}
