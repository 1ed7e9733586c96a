import Domain
import Foundation
import JSON
import Testing

/// Somebody with an account, and what they send.
struct Person: Sendable {
    let site: Site
    let id: UserID
    let email: String
    let token: String
    /// The managed member for whom everything is sent.
    var actingAs: String?

    func send(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> Answer {
        var headers = headers
        if let actingAs { headers["X-Acting-As-Member"] = actingAs }
        return try site.send(method, path, token: token, body: body, headers: headers)
    }

    func get(_ path: String) throws -> Answer { try send("GET", path) }
    func post(_ path: String, _ body: String = "{}") throws -> Answer {
        try send("POST", path, body)
    }
    func patch(_ path: String, _ body: String) throws -> Answer { try send("PATCH", path, body) }
    func put(_ path: String, _ body: String) throws -> Answer { try send("PUT", path, body) }
    func delete(_ path: String) throws -> Answer { try send("DELETE", path) }

    /// The same on behalf of a managed member.
    func acting(for member: String) -> Person {
        var person = self
        person.actingAs = member
        return person
    }
}

extension Site {
    /// Somebody new.
    func person(
        _ role: MemberRole, name: String? = "Somebody", email: String? = nil
    ) throws -> Person {
        let id = UserID.random()
        let email = email ?? "\(id)@example.com"
        let token = try token(role, id: id, email: email, name: name)
        return Person(site: self, id: id, email: email, token: token)
    }

    /// Somebody who did not sign up.
    func nobody() throws -> Person {
        Person(site: self, id: .random(), email: "", token: try anonymousToken())
    }

    /// A family: made by a parent, who is its Parent Admin, and joined by another parent and a
    /// player.
    func home(_ name: String = "Gulls") throws -> Home { try Home(self, name) }
}

/// A family of three.
struct Home: Sendable {
    let site: Site
    let family: String
    let code: String
    /// Made it: the Parent Admin.
    let admin: Person
    /// A parent who joined by the code.
    let parent: Person
    let player: Person

    fileprivate init(_ site: Site, _ name: String) throws {
        self.site = site
        admin = try site.person(.parent, name: "Ada")
        parent = try site.person(.parent, name: "Pat")
        player = try site.person(.player, name: "Kim")
        let created = try admin.post("/api/family/create", #"{"familyName": "\#(name)"}"#)
        family = try #require(created.text("familyId"))
        code = try #require(created.text("familyCode"))
        for person in [parent, player] {
            let joined = try person.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
            try #require(joined.status == 200)
        }
    }

    /// The member id of a person, as the admin sees it.
    func member(_ person: Person) throws -> String {
        let listed = try admin.get("/api/family/members?familyId=\(family)").json["members"]
        let found = try listed.elements().first { try $0["user_id"].string() == "\(person.id)" }
        return try #require(found)["id"].string()
    }

    /// Adds a child guarded by `guardian`; gives its marked id.
    func child(of guardian: Person, name: String = "Robin") throws -> String {
        let added = try guardian.post(
            "/api/family/managed", #"{"displayName": "\#(name)", "familyId": "\#(family)"}"#)
        return try #require(added.text("id"))
    }

    /// Gives a member another household role, as the admin.
    func set(_ person: Person, to role: HouseholdRole) throws {
        let answer = try admin.patch(
            "/api/family/members/\(member(person))", #"{"householdRole": "\#(role.rawValue)"}"#)
        try #require(answer.status == 200)
    }

    /// Somebody who was a member and was removed.
    func formerMember() throws -> Person {
        let person = try site.person(.parent)
        _ = try person.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        let removed = try admin.delete("/api/family/members/\(member(person))")
        try #require(removed.status == 200)
        return person
    }

    /// A pending invitation by link; gives its id and token.
    func link(role: MemberRole = .parent) throws -> (id: String, token: String) {
        let sent = try admin.post(
            "/api/family/invite",
            #"{"role": "\#(role.rawValue)", "delivery": "link", "familyUnitId": "\#(family)"}"#)
        let url = try #require(sent.text("inviteUrl"))
        let token = try #require(url.split(separator: "=").last)
        return (try #require(sent.text("invitationId")), String(token))
    }

    /// Invites an address; gives the invitation's id.
    func invite(_ email: String, role: MemberRole = .parent) throws -> String {
        let sent = try admin.post(
            "/api/family/invite",
            #"{"role": "\#(role.rawValue)", "email": "\#(email)", "familyUnitId": "\#(family)"}"#)
        return try #require(sent.text("invitationId"))
    }
}

extension Answer {
    /// Whether it is this problem.
    func says(_ status: Int, _ code: String, _ message: String? = nil) -> Bool {
        self.status == status && text("code") == code
            && (message == nil || text("message") == message)
    }

    var json: JSONField {
        get throws { JSONField(try JSONValue(parsing: body, maxDepth: 64)) }
    }
}

extension Answer: CustomStringConvertible {
    var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
}
