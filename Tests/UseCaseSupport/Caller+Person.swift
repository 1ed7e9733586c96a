package import Domain
package import TestSupport
package import UseCases

extension Caller: FamilyActor {
    /// What the API makes of a person's token.
    package init(_ person: Person) {
        self.init(
            issuer: Person.issuer, subject: person.subject, adoptedID: UserID(rawValue: person.id),
            email: EmailAddress(person.email), isEmailVerified: true, fullName: person.name,
            role: MemberRole(rawValue: person.role), isAnonymous: false)
    }

    /// Somebody new.
    package static func person(_ role: MemberRole = .parent, name: String? = "Somebody") -> Caller {
        Caller(Person(role: role.rawValue, name: name))
    }

    package var userID: UInt128? { adoptedID?.rawValue }
}

extension ClientAddress {
    /// An address that no other test attempts codes from.
    package static func somewhere() -> ClientAddress {
        let id = UserID.random().description
        return ClientAddress(address: id, network: "network of \(id)")
    }
}
