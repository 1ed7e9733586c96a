import Domain
import JSON
import Testing

/// A client that keeps a copy of the data it may see, and follows the changes.
final class SyncFollower: @unchecked Sendable {
    // Sendable: one thread at a time uses a follower; tests wait for it before they go on.
    let client: APIClient
    private(set) var held: [String: String] = [:]
    private(set) var cursor: String?
    /// Latest received version of each family.
    private var versions: [String: Int64] = [:]
    /// Number of resets received.
    private(set) var resets = 0

    init(_ client: APIClient) { self.client = client }

    /// Requests a page, and applies it unless `loses` is true; returns true if more follow.
    @discardableResult
    func step(waitSeconds: Int = 0, loses: Bool = false) throws -> Bool {
        let query = (cursor.map { "&cursor=\($0)" } ?? "") + "&wait=\(waitSeconds)"
        let answer = try client.get("/api/sync?" + query.dropFirst())
        if client.actingAs != nil, answer.status == 403 {
            // The guardian has lost the child, and so the copy is deleted.
            restart()
            return false
        }
        try #require(answer.status == 200, "\(answer)")
        if loses { return true }
        let page = try answer.json
        try take(page)
        return try page["hasMore"].bool()
    }

    /// Follows until there are no more changes.
    func catchUp() throws {
        var pages = 0
        while try step() {
            pages += 1
            try #require(pages < 1_000, "following does not end")
        }
    }

    /// Follows until there are no more changes, and compares the copy with the routes' data.
    func requireAgreement(
        _ what: Comment = "", _ location: SourceLocation = #_sourceLocation
    ) throws {
        try catchUp()
        let fresh = try client.freshView()
        for key in Set(fresh.keys).union(held.keys) {
            #expect(held[key] == fresh[key], "\(key) \(what)", sourceLocation: location)
        }
    }

    /// Deletes the copy, like a newly installed app.
    func restart() {
        held = [:]
        versions = [:]
        cursor = nil
    }

    private func take(_ page: JSONField) throws {
        if try page["reset"].bool() {
            held = [:]
            versions = [:]
            resets += 1
        }
        let (next, changes) = (try page["cursor"].string(), try page["changes"].elements())
        cursor = next
        try #require(next.utf8.count <= 2_048)
        try #require(changes.count <= 600)
        for change in changes {
            let kind = try change["kind"].string()
            let id = try change["id"].string()
            let family = try change["familyId"].ifPresent?.string() ?? "-"
            let key = "\(kind) \(id) \(family)"
            if family != "-", kind != "preferences" {
                let version = try change["version"].integer()
                let isGone = try kind == "family" && change["value"].ifPresent == nil
                try #require(
                    version >= versions[family] ?? (isGone ? 1 : 0),
                    "\(key) is told as it was before")
                versions[family] = version
            }
            if let value = try change["value"].ifPresent?.value {
                // Sent beside the member for a banner; the routes do not return it.
                let shown = value.without("conflict").text()
                // Empty attributes are shown like none.
                held[key] = kind == "attributes" && shown == "{}" ? nil : shown
                continue
            }
            held[key] = nil
            if kind == "family" {
                for key in held.keys where key.hasSuffix(" " + family) { held[key] = nil }
            }
        }
    }
}

extension JSONValue {
    fileprivate func without(_ name: String) -> JSONValue {
        guard case .object(let object) = self else { return self }
        return .object(JSONObject(object.members.filter { $0.name != name }))
    }
}

extension APIClient {
    /// Current data of the client's routes, in the form of a follower's copy.
    func freshView() throws -> [String: String] {
        var view: [String: String] = [:]
        let profile = try get("/api/me")
        if actingAs != nil, profile.status == 403 { return [:] }
        let me = try profile.json
        let own = try me["id"].string()
        let left: Set = ["families", "actor"]
        view["profile \(own) -"] = JSONValue.object(
            JSONObject(try me.object().members.filter { !left.contains($0.name) })
        ).text()
        for family in try get("/api/family").json["families"].elements() {
            let id = try family["familyId"].string()
            view["family \(id) \(id)"] = family.value?.text()
            try addFamily(id, me: own, to: &view)
        }
        if actingAs == nil {
            for invitation in try get("/api/me/invitations").json["invitations"].elements() {
                let id = try invitation["id"].string()
                view["receivedInvitation \(id) -"] = invitation.value?.text()
            }
        }
        return view
    }

    private func addFamily(_ id: String, me: String, to view: inout [String: String]) throws {
        let members = try get("/api/family/members?familyId=\(id)").json["members"].elements()
        var owners = [me]
        for member in members {
            view["member \(try member["id"].string()) \(id)"] = member.value?.text()
            let guardians = try member["guardians"].ifPresent?.elements() ?? []
            if actingAs == nil, try guardians.contains(where: { try $0["userId"].string() == me }) {
                let child = try member["id"].string()
                owners.append(child)
                let shown = try acting(for: child).get("/api/me").json
                view["profile \(child) -"] = JSONValue.object(
                    JSONObject(
                        try shown.object().members.filter {
                            !["families", "actor"].contains($0.name)
                        })
                ).text()
            }
        }
        for owner in owners {
            let document = try get("/groups/\(id)/preferences?member_id=\(owner)")
            if document.status == 200, try document.json["updated_at"].ifPresent != nil {
                view["preferences \(owner) \(id)"] = try document.json.value?.text()
            }
        }
        let invitations = try get("/api/family/invitations?familyId=\(id)")
        if invitations.status == 200 {
            for invitation in try invitations.json["invitations"].elements() {
                view["invitation \(try invitation["id"].string()) \(id)"] = invitation.value?.text()
            }
        }
        let attributes = try get("/api/family/\(id)/attributes")
        let shown = attributes.status == 200 ? try attributes.json.value?.text() : nil
        if let shown, shown != "{}" {
            view["attributes \(id) \(id)"] = shown
        }
        let details = try get("/api/family/player-details?familyId=\(id)")
        if details.status == 200 {
            view["playerDetails \(id) \(id)"] = try details.json["playerDetails"].value?.text()
        }
    }
}
