import Foundation
import Policy

extension InMemoryState {
    /// Returns everything that the caller may see, or no changes if the cursor is current.
    ///
    /// A real server sends each change separately. This one sends a reset each time, which clients
    /// also accept.
    func sync(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let cursor = JSONValue.string("\(call.user) \(version)")
        if call.request.query["cursor"] == cursor.stringValue {
            return (200, ["changes": [], "cursor": cursor, "hasMore": false, "reset": false])
        }
        var changes: [JSONValue] = []
        func add(_ kind: String, _ id: JSONValue?, _ family: String?, _ value: JSONValue) {
            changes.append([
                "kind": .string(kind), "id": id ?? .null,
                "familyId": family.map { .string($0) } ?? .null, "version": .integer(version),
                "value": value,
            ])
        }
        let own = families(of: call.user)
        let children = own.flatMap { family in
            self.children(of: call.user, in: family.id)
        }
        for user in [call.user] + children.map(\.user) {
            guard let person = users[user] else { continue }
            add("profile", person.shownID, nil, profile(person))
            for family in own {
                guard let liked = preferences[family.id + " " + user] else { continue }
                add(
                    "preferences", person.shownID, family.id,
                    [
                        "user_id": person.shownID, "group_id": .string(family.id),
                        "preferences": liked,
                    ])
            }
        }
        for invitation in try receivedInvitations(call).value["invitations"]?.arrayValue ?? [] {
            add("receivedInvitation", invitation["id"], nil, invitation)
        }
        for family in own {
            add("family", .string(family.id), family.id, listed(family, call))
            let named = call.naming(family.id)
            for member in try listMembers(named).value["members"]?.arrayValue ?? [] {
                add("member", member["id"], family.id, member)
            }
            let facts = facts(call, in: family.id)
            if decide(.invitationList, facts) == .allowed {
                let pending = try listInvitations(named).value["invitations"]?.arrayValue
                for invitation in pending ?? [] {
                    add("invitation", invitation["id"], family.id, invitation)
                }
            }
            if decide(.attributesRead, facts) == .allowed, family.attributes != [:] {
                add("attributes", .string(family.id), family.id, family.attributes)
            }
            if decide(.playerDetailsRead, facts) == .allowed {
                add("playerDetails", .string(family.id), family.id, .object(family.details))
            }
        }
        return (
            200,
            ["changes": .array(changes), "cursor": cursor, "hasMore": false, "reset": true]
        )
    }

    /// Runs mutations in order, each on its own.
    mutating func batch(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        guard case .array(let operations)? = call.body["operations"],
            (1...50).contains(operations.count)
        else { throw InMemoryRefusal(.invalidField) }
        var results: [JSONValue] = []
        var hasFailed = false
        for operation in operations {
            if hasFailed, call.body["stopOnFailure"] == true {
                results.append(["status": 424, "headers": [:], "body": .null])
                continue
            }
            let response = respond(to: call.part(operation))
            hasFailed = hasFailed || response.status >= 300
            results.append([
                "status": .integer(response.status),
                "headers": .object(response.headers.mapValues { .string($0) }),
                "body": (try? JSONValue(parsing: response.body)) ?? .null,
            ])
        }
        return (200, ["results": .array(results)])
    }
}

extension InMemoryCall {
    /// Returns a copy of the call that names a family.
    fileprivate func naming(_ family: String) -> InMemoryCall {
        var call = self
        call.request.query = ["familyId": family]
        return call
    }

    /// Builds a request from one operation of a batch, for the same account.
    fileprivate func part(_ operation: JSONValue) -> APIRequest {
        let parts = (operation["path"]?.stringValue ?? "").split(separator: "?", maxSplits: 1)
        var part = APIRequest(
            operation["method"]?.stringValue ?? "", parts.first.map(String.init) ?? "",
            headers: operation["headers"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
            body: operation["body"].flatMap { $0 == .null ? nil : $0.data })
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1).map {
                $0.removingPercentEncoding ?? ""
            }
            if sides.count == 2 { part.query[sides[0]] = sides[1] }
        }
        part.headers["Authorization"] = request.headers["Authorization"]
        return part
    }
}
