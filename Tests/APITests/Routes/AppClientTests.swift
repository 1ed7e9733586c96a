import Domain
import Foundation
import FoundationNetworking
import Testing

// The models that the apps decode, with their names and optionals, and their way of asking: by
// URLSession, without a Content-Type, and taking 200 for success.

private struct FamilyMember: Codable {
    let id: String
    let familyUnitId: String
    let userId: String
    let role: String
    let addedAt: String
    let users: FamilyMemberUser
}

private struct FamilyMemberUser: Codable {
    let id: String
    let email: String
    let fullName: String?
    let role: String
}

private struct MembersResponse: Codable {
    let members: [FamilyMember]
}

private struct ParentFamilyData: Codable {
    let familyId: String
    let familyCode: String
    let familyName: String
    let codeGeneratedAt: String
}

private struct FamiliesResponse: Codable {
    let families: [ParentFamilyData]
}

private struct CreateResponse: Codable {
    let success: Bool
    let familyCode: String
    let familyId: String
    let familyName: String
}

private struct MessageResponse: Codable {
    let message: String
}

private struct CodeResponse: Codable {
    let familyCode: String
}

private struct SuccessResponse: Codable {
    let success: Bool
}

private struct FamilyInvitation: Codable {
    let id: String
    let familyUnitId: String
    let invitedBy: String
    let invitedEmail: String
    let role: String
    let token: String
    let status: String
    let expiresAt: String
    let createdAt: String
    let acceptedAt: String?

    enum CodingKeys: String, CodingKey {
        case id
        case familyUnitId = "family_unit_id"
        case invitedBy = "invited_by"
        case invitedEmail = "invited_email"
        case role
        case token
        case status
        case expiresAt = "expires_at"
        case createdAt = "created_at"
        case acceptedAt = "accepted_at"
    }
}

private struct InvitationsResponse: Codable {
    let invitations: [FamilyInvitation]
}

private struct InviteDetails: Codable {
    let invitationId: String
    let email: String
    let role: String
    let familyName: String
    let inviterName: String
}

private struct GroupMember: Codable {
    let userId: String
    let displayName: String
    let avatarKey: String
    let isManaged: Bool?
    let parentUserId: String?
    let memberType: String?
}

private struct Group: Codable {
    let groupId: String
    let name: String
    let members: [GroupMember]
}

private struct SwitchableProfile: Codable {
    let memberId: String
    let displayName: String
    let avatarKey: String
    let isManaged: Bool
    let parentUserId: String?
}

private struct ProfilesResponse: Codable {
    let profiles: [SwitchableProfile]
}

@Suite("The apps' own models")
struct AppClientTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func decode<Value: Decodable>(
        _: Value.Type, _ answer: Answer, isSnakeCase: Bool = false
    ) throws -> Value {
        try #require(answer.status == 200, "\(answer)")
        let decoder = JSONDecoder()
        if isSnakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try decoder.decode(Value.self, from: Data(answer.body))
    }

    /// What URLSession says of a body when the app says nothing.
    private func post(_ person: APIClient, _ path: String, _ body: some Encodable) throws -> Answer
    {
        let body = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        return try person.send(
            "POST", path, body, headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test("family management: create, join, members, families, regenerate, remove")
    func familyManagement() throws {
        let player = try site.person(.player, name: nil)
        let parent = try site.person(.parent)
        let created = try decode(CreateResponse.self, player.send("POST", "/api/family/create"))
        #expect(created.success && created.familyName == "My Family")
        let joined = try decode(
            MessageResponse.self,
            post(parent, "/api/family/code/join", ["familyCode": created.familyCode]))
        #expect(joined.message == "Successfully joined family")
        let members = try decode(
            MembersResponse.self, player.get("/api/family/members"), isSnakeCase: true
        ).members
        #expect(members.map(\.role) == ["player", "parent"])
        #expect(members[0].users.fullName == nil && members[1].users.fullName == "Somebody")
        let parser = ISO8601DateFormatter()
        #expect(members.allSatisfy { parser.date(from: $0.addedAt) != nil })
        let families = try decode(FamiliesResponse.self, parent.get("/api/family")).families
        #expect(families.map(\.familyCode) == [created.familyCode])
        #expect(parser.date(from: families[0].codeGeneratedAt) != nil)
        let fresh = try decode(
            CodeResponse.self,
            post(player, "/api/family/code/regenerate", ["familyId": created.familyId]))
        #expect(fresh.familyCode != created.familyCode)
        let removed = try decode(
            SuccessResponse.self, player.delete("/api/family/members/\(members[1].id)"))
        #expect(removed.success)
    }

    @Test("a player that made a family removes the parent who joined; messages are the apps'")
    func messages() throws {
        let player = try site.person(.player)
        let code = try decode(CreateResponse.self, player.post("/api/family/create")).familyCode
        let parent = try site.person(.parent)
        _ = try post(parent, "/api/family/code/join", ["familyCode": code])
        let again = try post(parent, "/api/family/code/join", ["familyCode": code])
        #expect(again.says(400, "already_member"))
        let message = try JSONDecoder().decode(MessageResponse.self, from: Data(again.body))
        #expect(message.message == "You are already a member of this family.")
    }

    @Test("invitations: sent, listed, looked up without signing in, accepted, revoked")
    func invitations() throws {
        let home = try site.home()
        let sent = try post(
            home.player, "/api/family/invite",
            ["email": "coach.parent@example.com", "role": "parent", "familyUnitId": home.id])
        #expect(sent.status == 200)
        let listed = try decode(
            InvitationsResponse.self, home.player.get("/api/family/invitations")
        ).invitations
        let invitation = try #require(listed.first)
        #expect(invitation.isPending && invitation.token.isEmpty && invitation.acceptedAt == nil)
        #expect(ISO8601DateFormatter().date(from: invitation.expiresAt) != nil)
        let token = try site.token(ofInvitation: invitation.id)
        let details = try decode(
            InviteDetails.self, site.send("GET", "/api/family/invite/\(token)"))
        #expect(details.invitationId == invitation.id && details.inviterName == "Kim")
        let guest = try site.person(.parent, email: "coach.parent@example.com")
        let accepted = try post(guest, "/api/family/invite/\(token)/accept", [String: String]())
        #expect(accepted.status == 200)
        #expect(try site.send("GET", "/api/family/invite/\(token)").status == 409)
        let other = try home.invite("second@example.com")
        let revoked = try decode(
            SuccessResponse.self, home.admin.delete("/api/family/invitations/\(other)"))
        #expect(revoked.success)
    }

    @Test("profiles: a group becomes the switcher's profiles, and acting works with their ids")
    func profiles() throws {
        let home = try site.home()
        _ = try home.child(of: home.adult)
        let group = try decode(
            Group.self, home.adult.get("/groups/\(home.id)"), isSnakeCase: true)
        let mine = group.members.filter {
            $0.isManaged == true && $0.parentUserId == "\(home.adult.id)"
        }
        let child = try #require(mine.first)
        #expect(child.memberType == "managed" && child.displayName == "Robin")
        let acting = home.adult.acting(for: child.userId)
        let put = try acting.put(
            "/groups/\(home.id)/preferences?member_id=\(child.userId)", #"{"genres": []}"#)
        #expect(put.status == 200)
        let profiles = try decode(ProfilesResponse.self, home.adult.get("/api/me/profiles"))
        #expect(profiles.profiles.map(\.memberId) == ["\(home.adult.id)", child.userId])
        #expect(profiles.profiles.map(\.isManaged) == [false, true])
    }
}

extension FamilyInvitation {
    fileprivate var isPending: Bool { status == "pending" }
}
