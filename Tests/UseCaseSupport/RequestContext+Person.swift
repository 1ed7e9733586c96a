package import Domain
package import TestSupport
package import UseCases

extension RequestContext: FamilyActor {
    /// Creates the context that the API makes from a person's token.
    package init(_ person: Person) {
        self.init(
            Caller(
                issuer: Person.issuer, subject: person.subject,
                adoptedID: UserID(rawValue: person.id), email: EmailAddress(person.email),
                isEmailVerified: true, fullName: person.name,
                role: MemberRole(rawValue: person.role), isAnonymous: false))
    }

    /// A new person.
    package static func person(_ role: MemberRole = .parent, name: String? = "Somebody")
        -> RequestContext
    {
        RequestContext(Person(role: role.rawValue, name: name))
    }

    package var userID: UInt128? { adoptedID?.rawValue }
}

/// Properties of the caller that tests read and change.
extension RequestContext {
    package var adoptedID: UserID? { caller.adoptedID }
    package var email: EmailAddress? {
        get { caller.email }
        set { caller.email = newValue }
    }
    package var isEmailVerified: Bool {
        get { caller.isEmailVerified }
        set { caller.isEmailVerified = newValue }
    }
    package var tokenIssuedAt: Int64? {
        get { caller.tokenIssuedAt }
        set { caller.tokenIssuedAt = newValue }
    }
    package var isAnonymous: Bool {
        get { caller.isAnonymous }
        set { caller.isAnonymous = newValue }
    }
    package var actingAs: UserID? {
        get { caller.actingAs }
        set { caller.actingAs = newValue }
    }
}

extension ClientAddress {
    /// A client address from which no other test tries codes.
    package static func somewhere() -> ClientAddress {
        let id = UserID.random().description
        return ClientAddress(address: id, network: "network of \(id)")
    }
}
