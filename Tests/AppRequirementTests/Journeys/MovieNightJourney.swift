import Foundation
import Testing

extension AppRequirementTests {
    @Test("Family Movie Night: group, children, switching, removal on another device, deletion")
    func movieNight() async throws {
        let ada = try Phone(name: "Ada", from: .cognito)
        let pat = try Phone(name: "Pat", from: .cognito)
        // First visit: no group; then one, and its link for the other phone.
        #expect(try await ada.get("/groups/me").json.group.isNull)
        let created = try await ada.post("/api/family/create", ["familyName": "The Emersons"])
        let group = created.json.familyId.text ?? ""
        let sent = try await ada.post(
            "/api/family/invite", ["role": "parent", "delivery": "link", "familyUnitId": group])
        let link = try #require(URLComponents(string: sent.json.inviteUrl.text ?? ""))
        let token = try #require(link.queryItems?.first?.value)
        try await pat.post("/api/family/invite/\(token)/accept")
        #expect(try await pat.loadMyGroup().members.map(\.displayName) == ["Ada", "Pat"])
        // Two children, and a name that was too long at first.
        let path = "/groups/\(group)/members/managed"
        let long = String(repeating: "x", count: 31)
        try await ada.send("POST", path, json: #"{"display_name": "\#(long)"}"#, expect: 400)
        for name in ["Max", "Mia"] {
            try await ada.send(
                "POST", path, json: #"{"display_name": "\#(name)", "avatar_key": "avatar_bear"}"#,
                expect: 201)
        }
        let profiles = try await ada.switchableProfiles()
        #expect(profiles.map(\.displayName) == ["Ada", "Max", "Mia"])
        // Preferences as Max, then as herself.
        let max = profiles[1].memberId
        let acting = ada.acting(for: max)
        try await acting.putPreferences(group, of: max, likes: "16")
        try await ada.putPreferences(group, likes: "18")
        let read = try await acting.get("/groups/\(group)/preferences?member_id=\(max)")
            .decodedFromSnakeCase(ProfileSwitcher.Preference.self)
        #expect(read.genreLikes == ["16", "35"] && read.userId == max)
        // Role selection: Pat becomes a visitor by a slip, and an adult again.
        let member = try await pat.get("/api/family").json.families[0].memberId.text ?? ""
        for role in ["visitor", "adult"] { _ = try await pat.setRole(role, of: member) }
        // Another device removes Max; this one resets to Ada.
        try await ada.delete("/api/family/managed/\(max)")
        try await acting.get("/groups/\(group)", expect: 403)
        #expect(try await ada.switchableProfiles().map(\.displayName) == ["Ada", "Mia"])
        // Pat is removed, and rejoins by a new invitation.
        try await ada.delete("/api/family/members/\(member)")
        try await pat.get("/groups/\(group)", expect: 404)
        let again = try await ada.post(
            "/api/family/invite", ["role": "parent", "delivery": "link", "familyUnitId": group])
        let other = URLComponents(string: again.json.inviteUrl.text ?? "")?.queryItems?.first?.value
        try await pat.post("/api/family/invite/\(other ?? "")/accept")
        // Ada deletes the account: Mia and the seat go to Pat.
        let refused = try await ada.delete("/api/me", expect: 409)
        let blockers = Set(refused.json.blockers.items.compactMap(\.kind.text))
        #expect(blockers.count == 2)
        try await ada.delete("/api/me?reassignManagedTo=\(member)&transferAdminTo=\(member)")
        #expect(try await pat.switchableProfiles().map(\.displayName) == ["Pat", "Mia"])
    }
}
