import DomainCore
import Foundation
import Policy

/// One way to sign in to an account in memory.
struct InMemoryIdentity {
    let id = UUID().uuidString.lowercased()
    /// Subject at the identity provider; nil for the account's address.
    var subject: String?
    let since: Date

    /// The stand-in for the identity providers of a real server.
    static let issuer = "https://provider.example"
}

/// A code that was mailed to a new address in memory.
struct InMemoryTicket {
    let user: String
    let email: String
    let code: String
    /// Number of times that the code can still be tried.
    var tries = 5
}

// Accounts: ways to sign in, the address, the export and the erasure.

extension InMemoryState {
    /// Creates a code, which `InMemoryHearth.mailedCode(to:)` returns.
    private mutating func mailCode(to email: String) -> String {
        let code = String((0..<6).map { _ in "0123456789".randomElement() ?? "0" })
        mailedCodes[email] = code
        return code
    }

    private func account(_ call: InMemoryCall) throws(InMemoryRefusal) -> InMemoryUser {
        try facts(call).require(.accountManage)
        guard let user = users[call.user] else { throw InMemoryRefusal(.accountRequired) }
        return user
    }

    // MARK: Ways to sign in

    func identities(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let user = try account(call)
        let listed = user.identities.map { identity -> JSONValue in
            let isAddress = identity.subject == nil
            return [
                "id": .string(identity.id), "kind": isAddress ? "email" : "issuer",
                "issuer": isAddress ? .null : .string(InMemoryIdentity.issuer),
                "email": isAddress ? .string(user.email) : .null,
                "since": .string(Timestamp.text(identity.since)),
            ]
        }
        return (200, ["identities": .array(listed)])
    }

    mutating func addIdentity(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        var user = try account(call)
        guard let token = call.text("token"), providerTokens.contains(token) else {
            throw InMemoryRefusal(.invalidToken)
        }
        let owner = users.values.first { $0.identities.contains { $0.subject == token } }
        if let owner, owner.id != user.id { throw InMemoryRefusal(.identityInUse) }
        if owner == nil {
            if user.identities.contains(where: { $0.subject != nil }) {
                throw InMemoryRefusal(.identityOfIssuerExists)
            }
            user.identities.append(InMemoryIdentity(subject: token, since: creationTime()))
            users[user.id] = user
        }
        return try identities(call)
    }

    mutating func removeIdentity(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        var user = try account(call)
        guard let index = user.identities.firstIndex(where: { $0.id == id }) else {
            throw InMemoryRefusal(.identityNotFound)
        }
        if user.identities.count == 1 { throw InMemoryRefusal(.lastIdentity) }
        user.identities.remove(at: index)
        users[user.id] = user
        return Self.success
    }

    // MARK: The address

    mutating func requestAddress(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let user = try account(call)
        guard let email = call.text("email"), email.contains("@"), email != user.email else {
            throw InMemoryRefusal(.invalidField)
        }
        // An earlier code stops working.
        tickets = tickets.filter { $0.value.user != user.id }
        let ticket = UUID().uuidString.lowercased()
        tickets[ticket] = InMemoryTicket(user: user.id, email: email, code: mailCode(to: email))
        return (202, ["ticket": .string(ticket), "expiresIn": 600])
    }

    mutating func changeAddress(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        var user = try account(call)
        guard let code = call.text("code"), code.count == 6, code.allSatisfy(\.isNumber) else {
            throw InMemoryRefusal(.codeMalformed)
        }
        let name = call.text("ticket") ?? ""
        guard let ticket = tickets[name], ticket.user == user.id, ticket.tries > 0 else {
            throw InMemoryRefusal(.codeExpired)
        }
        if ticket.code != code {
            throw InMemoryRefusal(.codeWrong, triedTicket: name)
        }
        if users.values.contains(where: { $0.email == ticket.email }) {
            throw InMemoryRefusal(.identityInUse)
        }
        tickets[name] = nil
        user.email = ticket.email
        users[user.id] = user
        return Self.success
    }

    // MARK: Export and erasure

    func export(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let user = try account(call)
        let own = members.filter { $0.user == user.id }.map { member -> JSONValue in
            [
                "memberId": .string(member.id),
                "role": .string(member.membership.role.rawValue),
                "householdRole": .string(member.membership.householdRole.rawValue),
                "status": .string(member.membership.status.rawValue),
            ]
        }
        let wards = users.values.filter { $0.guardians?.contains(user.id) ?? false }
        let people = [user] + wards.sorted { $0.id < $1.id }
        let described = people.map { person -> JSONValue in
            [
                "id": .string(person.id), "fullName": person.name.map { .string($0) } ?? .null,
                "email": .string(person.email), "role": .string(person.role.rawValue),
                "memberships": person.id == user.id ? .array(own) : [],
            ]
        }
        return (
            200, ["account": described[0], "managedMembers": .array(Array(described.dropFirst()))]
        )
    }

    mutating func sendDeletionCode(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let user = try account(call)
        _ = mailCode(to: user.email)
        return (202, ["success": true, "expiresIn": 600])
    }

    /// Erases the account. In memory every sign-in is recent, so no code is needed.
    mutating func erase(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let user = try account(call)
        let guardians = try named(call, "reassignManagedTo", unlessAdult: .guardianNotAdult)
        let admins = try named(call, "transferAdminTo", unlessAdult: .adminNotAdult)
        let erasesChildren = call.request.query["eraseManaged"] == "true"
        let own = members.filter { $0.user == user.id && $0.isActive }
        var blockers: [JSONValue] = []
        for row in own {
            let alone = childrenWithoutOther(than: user.id, in: row.family)
            if !erasesChildren, !guardians.contains(where: { $0.family == row.family }) {
                blockers += alone.map { blocker(.guardianHasManagedMembers, $0) }
            }
            let hasSuccessor = active(in: row.family).contains {
                $0.id != row.id && $0.membership.standing.contains(.adult)
            }
            if row.membership.householdRole == .parentAdmin, hasSuccessor,
                !admins.contains(where: { $0.family == row.family })
            {
                blockers.append(blocker(.transferAdminFirst, row))
            }
        }
        if !blockers.isEmpty { throw InMemoryRefusal(.erasureBlocked, blockers: blockers) }
        for admin in admins {
            let index = try member(admin.id)
            members[index].membership.householdRole = .parentAdmin
            members[index].membership.isVouched = true
        }
        for row in own {
            let heir = guardians.first { $0.family == row.family }
            for child in children(of: user.id, in: row.family) {
                let others = users[child.user]?.guardians?.filter { $0 != user.id } ?? []
                let next = others.isEmpty ? heir.map { [$0.user] } ?? [] : others
                if next.isEmpty { forget(child.user) } else { setGuardians(next, of: child.user) }
            }
        }
        for index in invitations.indices
        where invitations[index].inviter == user.id && invitations[index].isPending {
            invitations[index].status = .revoked
        }
        forget(user.id)
        return Self.success
    }

    /// Members whom a parameter of the query names, with or without `managed_`.
    private func named(
        _ call: InMemoryCall, _ parameter: String, unlessAdult refusal: ErrorCode
    ) throws(InMemoryRefusal) -> [MembershipRow] {
        var found: [MembershipRow] = []
        for id in call.request.repeatedQuery[parameter] ?? [] {
            let row = members[try member(id)]
            guard row.isActive, member(of: call.user, in: row.family)?.isActive == true else {
                throw InMemoryRefusal(.memberNotFound)
            }
            guard row.membership.isAdultWithAccount else { throw InMemoryRefusal(refusal) }
            found.append(row)
        }
        return found
    }

    private func childrenWithoutOther(than guardian: String, in family: String) -> [MembershipRow] {
        children(of: guardian, in: family).filter { users[$0.user]?.guardians == [guardian] }
    }

    private func blocker(_ code: ErrorCode, _ row: MembershipRow) -> JSONValue {
        [
            "kind": .string(code.rawValue), "familyId": .string(row.family),
            "memberId": .string((row.membership.isManaged ? "managed_" : "") + row.id),
        ]
    }

    /// Removes a person with everything that is stored about it.
    private mutating func forget(_ user: String) {
        users[user] = nil
        for index in members.indices where members[index].user == user {
            members[index].membership.status = .removed
        }
        preferences = preferences.filter { !$0.key.hasSuffix(" " + user) }
        consents = consents.filter { $0.subject != user }
        tickets = tickets.filter { $0.value.user != user }
    }
}
