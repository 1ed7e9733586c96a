package import Domain
package import TestSupport
package import UseCases

/// Access to families through the use cases, as the API calls them.
package protocol UseCaseEntry: FamilyEntry
where
    Actor == RequestContext, FamilyID == Domain.FamilyID, MemberID == Domain.MemberID,
    InvitationID == Domain.InvitationID
{
    var database: Database { get }
    /// Keys from which the tokens of invitations are derived.
    var invitationKeys: InvitationKeys { get throws }
}

extension UseCaseEntry {
    package func actor(_ person: Person) -> RequestContext { RequestContext(person) }

    package func createFamily(
        by creator: RequestContext, named name: String
    ) throws -> NewFamily<Domain.FamilyID> {
        try create(creator, name: name)
    }

    /// - Parameter name: The family's name; nil: the default name.
    package func create(
        _ creator: RequestContext, name: String? = nil
    ) throws -> NewFamily<Domain.FamilyID> {
        let family = try FamilyService(database).create(
            by: creator, name: name.flatMap { FamilyName($0) }, role: nil)
        return NewFamily(id: family.id, code: family.code)
    }

    package func join(_ joiner: RequestContext, code: String) throws {
        try join(joiner, code)
    }

    @discardableResult
    package func join(
        _ caller: RequestContext, _ code: String, from client: ClientAddress = .somewhere()
    ) throws -> CodeService.Joined {
        try CodeService(database).join(by: caller, typedCode: code, from: client)
    }

    package func addManagedMember(
        named name: String, of guardian: RequestContext, to family: Domain.FamilyID
    ) throws -> Domain.MemberID {
        guard let name = DisplayName(name) else { throw InvalidValue(text: name) }
        return try ChildService(database).add(by: guardian, family: family, name: name).id
    }

    package func invite(
        _ email: String, to family: Domain.FamilyID, by inviter: RequestContext
    ) throws -> Domain.InvitationID {
        guard let address = EmailAddress(email) else { throw InvalidValue(text: email) }
        return try InvitationService(database, invitationKeys).create(
            by: inviter, family: family, to: .email(address), role: .parent
        ).id
    }

    package func setHouseholdRole(
        _ role: String, of member: Domain.MemberID, by admin: RequestContext
    ) throws {
        guard let role = HouseholdRole(rawValue: role) else { throw InvalidValue(text: role) }
        _ = try MemberService(database).setHouseholdRole(by: admin, member: member, to: role)
    }

    package func memberIDs(
        of family: Domain.FamilyID, seenBy viewer: RequestContext
    ) throws -> [UInt128: Domain.MemberID] {
        let list = try database.run(MemberService.list(by: viewer, family: family))
        return Dictionary(uniqueKeysWithValues: list.members.map { ($0.user.rawValue, $0.id) })
    }
}

/// A test used a name, address or household role that Hearth does not accept.
struct InvalidValue: Error {
    let text: String
}
