import DomainCore
import Foundation
import Policy

extension InMemoryState {
    func profile(_ call: InMemoryCall) -> JSONValue {
        guard let user = users[call.user] else { return [:] }
        var value: [String: JSONValue] = [
            "families": .array(families(of: user.id).map { listed($0, call) })
        ]
        if let actor = call.account, call.isActing { value["actor"] = ["id": .string(actor)] }
        return profile(user).merged(.object(value))
    }

    func profile(_ user: InMemoryUser) -> JSONValue {
        [
            "id": user.shownID, "email": .string(user.email),
            "fullName": user.name.map { .string($0) } ?? .null,
            "displayName": .string(user.displayName), "role": .string(user.role.rawValue),
            "roleIsDefault": .bool(user.isRoleDefault), "avatarKey": .string(user.avatarKey),
            "avatarUrl": user.avatarURL.map { .string($0) } ?? .null,
            "locale": user.locale.map { .string($0) } ?? .null,
            "isManaged": .bool(user.isManaged), "joinRequests": .array(requests(of: user.id)),
            "consentsMissing": .array(missingConsents(of: user)),
        ]
    }

    private func requests(of user: String) -> [JSONValue] {
        members.filter { $0.user == user && $0.isPresent && !$0.isActive }.compactMap { member in
            guard let family = families.first(where: { $0.id == member.family }) else { return nil }
            return [
                "familyId": .string(family.id), "familyName": .string(family.name),
                "role": .string(member.membership.role.rawValue),
                "requestedAt": .string(Timestamp.text(member.addedAt)),
            ]
        }
    }

    mutating func updateProfile(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        try facts(call).require(.profileUpdate)
        guard var user = users[call.user] else { throw InMemoryRefusal(.accountRequired) }
        let requested: DomainCore.MemberRole? = try call.word("role")
        if let role = requested {
            if role != user.role, user.isRoleDefault {
                try becomePlayer(user.id, call)
            } else if role != user.role {
                try takeOtherRole(user.id, role)
            }
            user.role = role
            user.isRoleDefault = false
        }
        user.name = call.text("fullName") ?? user.name
        if let key = call.body["avatarKey"] { user.avatarKey = key.stringValue ?? "" }
        if let url = call.body["avatarUrl"] { user.avatarURL = url.stringValue }
        if let locale = call.text("locale") {
            if call.isActing { throw InMemoryRefusal(.notWhileActing) }
            user.locale = locale
        }
        users[user.id] = user
        return (200, profile(call))
    }

    /// Switches an account to the other role, even in a family, if it is the only person there.
    private mutating func takeOtherRole(
        _ user: String, _ role: DomainCore.MemberRole
    ) throws(InMemoryRefusal) {
        if !mayTakeOtherRole(user) || (role == .player && families(of: user).count > 1) {
            throw InMemoryRefusal(.roleFixedInFamily)
        }
        for index in members.indices
        where members[index].user == user && members[index].isActive {
            let own = members[index]
            let isAdmin =
                role == .parent && own.membership.isCreator && own.ceiling != .visitor
            let householdRole = isAdmin ? .parentAdmin : own.householdRole(returningAs: role)
            members[index].membership.role = role
            members[index].membership.householdRole = householdRole
            if householdRole != .kid {
                members[index].ceiling = MembershipRow.ceiling(of: householdRole)
            }
        }
    }

    /// Turns an account whose role is a default into a player, in its family and its requests.
    private mutating func becomePlayer(
        _ user: String, _ call: InMemoryCall
    ) throws(InMemoryRefusal) {
        let own = members.indices.filter { members[$0].user == user && members[$0].isPresent }
        if families(of: user).count > 1 { throw InMemoryRefusal(.playerHasFamily) }
        for index in own {
            let isAdmin = members[index].membership.householdRole == .parentAdmin
            if members[index].isRoleOthers, isAdmin { throw InMemoryRefusal(.roleFixedInFamily) }
            try handOverChildren(of: members[index], to: nil, call)
        }
        for index in own {
            members[index].membership.role = .player
            if members[index].isRoleOthers { continue }
            members[index].membership.householdRole = min(
                members[index].membership.householdRole, .kid)
            members[index].ceiling = min(members[index].ceiling, .kid)
        }
    }

    /// Lists the account's own profile, then those of its children.
    func profiles(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        guard let account = call.account else { throw InMemoryRefusal(.notSignedIn) }
        let chosen = call.request.query["familyId"]
        if let chosen, member(of: account, in: chosen)?.isActive != true {
            throw InMemoryRefusal(.familyNotFound)
        }
        let own = families(of: account).filter { chosen == nil || $0.id == chosen }
        if chosen == nil, own.count > 1 { throw InMemoryRefusal(.familyRequired) }
        let guarded = own.flatMap { children(of: account, in: $0.id) }
        func shown(
            _ id: String, _ family: String?, guardians: [JSONValue] = []
        ) -> JSONValue {
            guard let user = users[id] else { return .null }
            return [
                "memberId": user.shownID, "displayName": .string(user.displayName),
                "avatarKey": .string(user.avatarKey), "isManaged": .bool(user.isManaged),
                "parentUserId": user.guardian.map { .string($0) } ?? .null,
                "guardians": .array(guardians),
                "familyId": family.map { .string($0) } ?? .null,
            ]
        }
        let all =
            [shown(account, own.first?.id)]
            + guarded.map {
                shown($0.user, $0.family, guardians: guardians(of: $0))
            }
        return (200, ["profiles": .array(all)])
    }

    mutating func preferences(
        _ call: InMemoryCall, _ family: String
    ) throws(InMemoryRefusal) -> Response {
        _ = try read(call, family)
        let named = call.request.query["member_id"].map(InMemoryCall.bare) ?? call.user
        let owner = active(in: family).first { [$0.id, $0.user].contains(named) }
        guard let owner else { throw InMemoryRefusal(.memberNotFound) }
        let isWritten = call.request.method == "PUT"
        let action: Action = isWritten ? .preferencesWrite : .preferencesRead
        if decide(action, facts(call, about: owner)) != .allowed {
            throw InMemoryRefusal(.preferencesOfAnother)
        }
        let key = family + " " + owner.user
        if isWritten {
            try requireConsents(for: owner.user)
            if (call.request.body?.count ?? 0) > 16 * 1024 {
                throw InMemoryRefusal(.preferencesTooLarge)
            }
            preferences[key] = .object(call.body)
        }
        let answer: JSONValue = [
            "user_id": .string(owner.user), "group_id": .string(family),
            "preferences": preferences[key] ?? [:],
        ]
        return (200, answer)
    }

    mutating func patchAttributes(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let index = try read(call, id, for: .attributesWrite)
        let attributes = families[index].attributes.merged(.object(call.body))
        guard attributes.data.count <= 16_384 else { throw InMemoryRefusal(.attributesTooLarge) }
        families[index].attributes = attributes
        return (200, attributes)
    }

    mutating func playerDetails(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let isWritten = call.request.method == "POST"
        let (index, _) = try familyOfCall(
            call, for: isWritten ? .playerDetailsWrite : .playerDetailsRead)
        if isWritten {
            for (name, value) in call.body where name != "familyId" {
                families[index].details[name] = value == "" ? .null : value
            }
        }
        return (200, ["success": true, "playerDetails": .object(families[index].details)])
    }
}
