import Foundation
import Testing

// A user's way through the screens of Recruiting Compass, decoding what the app decodes.

extension AppRequirementTests {
    @Test("Recruiting Compass by code: first visit, join, removal, invitation back, deletion")
    func compassByCode() async throws {
        let (player, parent) = (try Phone.player("Kim"), try Phone.parent("Pat"))
        // First visit: no family yet, so the page creates one and shows its code.
        let none = try await player.get("/api/family").decoded(Compass.FamiliesResponse.self)
        #expect(none.families.isEmpty)
        let created = try await player.send("POST", "/api/family/create")
            .decoded(Compass.CreateFamilyResponse.self)
        // The parent's phone: a mistyped code, then the right one as it was pasted.
        try await parent.post(
            "/api/family/code/join", ["familyCode": "FAM-"], expect: 400,
            saying: "Invalid family code format. Codes look like FAM-XXXXXX")
        let joined = try await parent.post(
            "/api/family/code/join", ["familyCode": " \(created.familyCode.lowercased())\n"])
        #expect(
            try joined.decoded(Compass.JoinResponse.self).message == "Successfully joined family")
        let mine = try await parent.get("/api/family").decoded(Compass.FamiliesResponse.self)
        #expect(mine.families.map(\.familyId) == [created.familyId])
        // The player sees the parent, renews the code, and removes the parent.
        let members = try await player.get("/api/family/members")
            .decoded(Compass.MembersResponse.self).members
        #expect(members.map(\.user.fullName) == ["Kim", "Pat"])
        let fresh = try await player.post(
            "/api/family/code/regenerate", ["familyId": created.familyId]
        ).decoded(Compass.RegenerateFamilyCodeResponse.self).familyCode
        try await player.delete("/api/family/members/\(members[1].id)")
        // By code the parent waits for the player's approval, by invitation it joins at once.
        try await parent.post("/api/family/code/join", ["familyCode": fresh], expect: 202)
        try await player.post(
            "/api/family/invite",
            ["email": parent.email, "role": "parent", "familyUnitId": created.familyId])
        let token = try #require(parent.backend.letter(to: parent.email, about: "invites").token)
        try await parent.post("/api/family/invite/\(token)/accept")
        #expect(try await player.get("/api/family/members").json.count.number == 2)
        // The parent deletes its account, and the family stays without it.
        try await parent.delete("/api/me")
        try await parent.get("/api/family/members?familyId=\(created.familyId)", expect: 401)
        #expect(try await player.get("/api/family/members").json.count.number == 1)
    }

    @Test("Recruiting Compass by invitation: a parent begins, the player joins by link")
    func compassByInvitation() async throws {
        let (parent, player) = (try Phone.parent("Pat"), try Phone.player(nil))
        // Both apps create a family on first load.
        let created = try await parent.post("/api/family/create", ["role": "parent"])
            .decoded(Compass.CreateFamilyResponse.self)
        let own = try await player.post("/api/family/create", ["role": "player"])
            .decoded(Compass.CreateFamilyResponse.self)
        try await parent.send(
            "POST", "/api/family/player-details",
            json: #"{"playerName": "Kim", "graduationYear": "2027", "gender": "female"}"#)
        try await parent.post(
            "/api/family/invite",
            ["email": player.email, "role": "player", "familyUnitId": created.familyId])
        let listed = try await parent.get("/api/family/invitations")
            .decoded(Compass.InvitationsResponse.self).invitations
        #expect(listed.map(\.invitedEmail) == [player.email])
        // The link on the other phone: looked up before signing in, then accepted.
        let link = try #require(player.backend.letter(to: player.email).link)
        let parts = try #require(URLComponents(string: link)?.queryItems)
        let token = try #require(parts.first?.value)
        let details = try await player.signedOut.get("/api/family/invite/\(token)")
            .decoded(Compass.InviteDetails.self)
        #expect(details.inviterName == "Pat" && details.role == "player")
        let accepted = try await player.post("/api/family/invite/\(token)/accept").json
        #expect(accepted.familyUnitId.text == created.familyId)
        #expect(accepted.leftFamilyId.text == own.familyId)
        #expect(try await player.get("/api/me").json.fullName.text == "Kim")
        // The player accepts the same link again, and then looks it up without signing in.
        try await player.post("/api/family/invite/\(token)/accept")
        try await player.signedOut.get(
            "/api/family/invite/\(token)", expect: 409,
            saying: "You're already connected to this family.")
        // The player leaves, rejoins by code, and deletes the account.
        try await player.delete("/api/family/members/me?familyId=\(created.familyId)")
        try await player.post("/api/family/code/join", ["familyCode": created.familyCode])
        #expect(try await parent.get("/api/family/members").json.count.number == 2)
        try await player.delete("/api/me")
        #expect(try await parent.get("/api/family/members").json.count.number == 1)
    }
}
