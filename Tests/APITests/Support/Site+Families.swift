import Domain
import JSON
import TestSupport
import Testing

/// Families created over HTTP, as apps create them.
extension Site: FamilyEntry {
    func actor(_ person: Person) throws -> APIClient {
        APIClient(site: self, person: person, token: try token(of: person))
    }

    func createFamily(by creator: APIClient, named name: String) throws -> NewFamily<String> {
        let created = try creator.post("/api/family/create", #"{"familyName": "\#(name)"}"#)
        return NewFamily(
            id: try #require(created.text("familyId")),
            code: try #require(created.text("familyCode")))
    }

    func join(_ joiner: APIClient, code: String) throws {
        let joined = try joiner.post("/api/family/code/join", #"{"familyCode": "\#(code)"}"#)
        try #require(joined.status == 200)
    }

    /// Adds a child; returns its marked id.
    func addManagedMember(
        named name: String, of guardian: APIClient, to family: String
    ) throws -> String {
        let added = try guardian.post(
            "/api/family/managed", #"{"displayName": "\#(name)", "familyId": "\#(family)"}"#)
        return try #require(added.text("id"))
    }

    func invite(_ email: String, to family: String, by inviter: APIClient) throws -> String {
        let sent = try inviter.post(
            "/api/family/invite",
            #"{"role": "parent", "email": "\#(email)", "familyUnitId": "\#(family)"}"#)
        return try #require(sent.text("invitationId"))
    }

    func setHouseholdRole(_ role: String, of member: String, by admin: APIClient) throws {
        let answer = try admin.patch(
            "/api/family/members/\(member)", #"{"householdRole": "\#(role)"}"#)
        try #require(answer.status == 200)
    }

    func memberIDs(of family: String, seenBy viewer: APIClient) throws -> [UInt128: String] {
        let listed = try viewer.get("/api/family/members?familyId=\(family)").json["members"]
        let members = try listed.elements().compactMap { member in
            try UserID(member["user_id"].string()).map {
                ($0.rawValue, try member["id"].string())
            }
        }
        return Dictionary(uniqueKeysWithValues: members)
    }
}

extension Site {
    /// Creates a new person.
    func person(
        _ role: MemberRole, name: String? = "Somebody", email: String? = nil
    ) throws -> APIClient {
        try actor(Person(role: role.rawValue, name: name, email: email))
    }

    /// Creates an anonymous caller, who did not sign up.
    func nobody() throws -> APIClient {
        APIClient(site: self, person: Person(email: ""), token: try anonymousToken())
    }

    func home(_ name: String = "Gulls") throws -> FamilyFixture<Site> {
        try FamilyFixture(by: self, named: name)
    }
}

extension FamilyFixture where Entry == Site {
    /// Sets a person's household role, as the admin.
    func set(_ person: APIClient, to role: HouseholdRole) throws {
        try set(person, to: role.rawValue)
    }

    /// Creates a person who was a member and was removed.
    func formerMember() throws -> APIClient {
        let (person, member) = try joiner()
        let removed = try admin.delete("/api/family/members/\(member)")
        try #require(removed.status == 200)
        return person
    }

    /// Creates a pending link invitation; returns its id and token.
    func link(role: MemberRole = .parent) throws -> (id: String, token: String) {
        let sent = try admin.post(
            "/api/family/invite",
            #"{"role": "\#(role.rawValue)", "delivery": "link", "familyUnitId": "\#(id)"}"#)
        let url = try #require(sent.text("inviteUrl"))
        let token = try #require(url.split(separator: "=").last)
        return (try #require(sent.text("invitationId")), String(token))
    }
}

extension APIClient {
    /// Invites a child of this guardian by a link to have an account of its own; returns the
    /// link's token.
    ///
    /// - Parameter householdRole: Nil for the usual one.
    func startGraduation(
        of child: String, as role: MemberRole = .player, _ householdRole: HouseholdRole? = nil
    ) throws -> String {
        let household = householdRole.map { #", "householdRole": "\#($0.rawValue)""# } ?? ""
        let started = try post(
            "/api/family/managed/\(child)/graduation",
            #"{"role": "\#(role.rawValue)", "delivery": "link"\#(household)}"#)
        let url = try #require(started.text("inviteUrl"), "\(started)")
        return String(try #require(url.split(separator: "=").last))
    }
}
