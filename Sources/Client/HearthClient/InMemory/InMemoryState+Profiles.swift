import Foundation

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
            "fullName": user.name.map { .string($0) } ?? .null, "role": .string(user.role),
            "avatarKey": .string(user.avatarKey),
            "avatarUrl": user.avatarURL.map { .string($0) } ?? .null,
            "locale": user.locale.map { .string($0) } ?? .null,
            "isManaged": .bool(user.isManaged), "joinRequests": .array(requests(of: user.id)),
        ]
    }

    private func requests(of user: String) -> [JSONValue] {
        members.filter { $0.user == user && $0.status == "invited" }.compactMap { member in
            guard let family = families.first(where: { $0.id == member.family }) else { return nil }
            return [
                "familyId": .string(family.id), "familyName": .string(family.name),
                "role": .string(member.role), "requestedAt": "2026-01-01T00:00:00Z",
            ]
        }
    }

    mutating func updateProfile(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        guard var user = users[call.user] else { throw InMemoryRefusal(.accountRequired) }
        if let role = call.text("role"), role != user.role {
            if !families(of: user.id).isEmpty { throw InMemoryRefusal(.roleFixedInFamily) }
            user.role = role
        }
        user.name = call.text("fullName") ?? user.name
        if let key = call.body["avatarKey"] { user.avatarKey = key.stringValue ?? "" }
        if let url = call.body["avatarUrl"] { user.avatarURL = url.stringValue }
        if let locale = call.text("locale") {
            try call.notWhileActing()
            user.locale = locale
        }
        users[user.id] = user
        return (200, profile(call))
    }

    /// The account's own profile, then its children's.
    func profiles(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        guard let account = call.account else { throw InMemoryRefusal(.notSignedIn) }
        let chosen = call.request.query["familyId"]
        if let chosen, member(of: account, in: chosen)?.status != "active" {
            throw InMemoryRefusal(.familyNotFound)
        }
        let own = families(of: account).filter { chosen == nil || $0.id == chosen }
        if chosen == nil, own.count > 1 { throw InMemoryRefusal(.familyRequired) }
        let guarded = own.flatMap { children(of: account, in: $0.id) }
        func shown(_ id: String, _ family: String?) -> JSONValue {
            guard let user = users[id] else { return .null }
            return [
                "memberId": user.shownID, "displayName": .string(user.name ?? ""),
                "avatarKey": .string(user.avatarKey), "isManaged": .bool(user.isManaged),
                "parentUserId": user.guardian.map { .string($0) } ?? .null,
                "familyId": family.map { .string($0) } ?? .null,
            ]
        }
        let all = [shown(account, own.first?.id)] + guarded.map { shown($0.user, $0.family) }
        return (200, ["profiles": .array(all)])
    }

    mutating func preferences(
        _ call: InMemoryCall, _ family: String
    ) throws(InMemoryRefusal) -> Answer {
        _ = try read(call, family)
        var user = call.user
        if let other = call.request.query["member_id"].map(InMemoryCall.bare) {
            guard
                let member = active(in: family).first(where: { [$0.id, $0.user].contains(other) })
            else { throw InMemoryRefusal(.memberNotFound) }
            let isGuarded = users[member.user]?.guardians?.contains(call.user) ?? false
            guard member.user == call.user || isGuarded else {
                throw InMemoryRefusal(.preferencesOfAnother)
            }
            user = member.user
        }
        let place = family + " " + user
        if call.request.method == "PUT" {
            if (call.request.body?.count ?? 0) > 16 * 1024 {
                throw InMemoryRefusal(.preferencesTooLarge)
            }
            preferences[place] = .object(call.body)
        }
        let answer: JSONValue = [
            "user_id": .string(user), "group_id": .string(family),
            "preferences": preferences[place] ?? [:],
        ]
        return (200, answer)
    }

    mutating func playerDetails(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try familyOfCall(call)
        try call.notWhileActing()
        if caller.householdRole == "visitor" { throw InMemoryRefusal(.visitorsOnlyRead) }
        if call.request.method == "POST" {
            if caller.role == "player" { throw InMemoryRefusal(.standingTooLow) }
            for (name, value) in call.body where name != "familyId" {
                families[place].details[name] = value == "" ? .null : value
            }
        }
        return (200, ["success": true, "playerDetails": .object(families[place].details)])
    }
}
