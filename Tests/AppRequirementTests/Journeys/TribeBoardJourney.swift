import Foundation
import Testing

extension AppRequirementTests {
    @Test("TribeBoard: creation, QR code, mistaken role, removal, rejoining, deletion")
    func tribeBoard() async throws {
        let (ada, pat) = (try Phone.apple("Ada"), try Phone.apple("Pat"))
        // Onboarding and creation: the creator is Parent Admin and shows a QR code.
        _ = try await ada.get("/api/me").decoded(TribeBoardDesign.UserProfile.self)
        let created = try await ada.post("/api/family/create", ["familyName": "The Tribe"]).json
        let (family, code) = (created.familyId.text ?? "", created.familyCode.text ?? "")
        try await ada.get("/api/family/\(family)/qr.png")
        // The other phone scans it, confirms and joins.
        let found = try await pat.get("/api/family/code/\(code)").json
        #expect(found.familyName.text == "The Tribe" && found.memberCount.number == 1)
        let scanned = "\(pat.backend.url)/join?code=\(code)"
        try await pat.post("/api/family/code/join", ["familyCode": scanned])
        // Role selection: the seat is taken; Kid by a slip of the finger, then Adult again.
        let offered = try await pat.get("/api/family").json.families[0]
        #expect(offered.parentAdmin.text == "taken")
        let member = offered.memberId.text ?? ""
        _ = try await pat.setRole(
            "parent_admin", of: member, expect: 409,
            saying: "A Parent Admin already exists for this family.")
        for role in ["kid", "adult"] {
            let changed = try await pat.setRole(role, of: member)
            #expect(changed.json.household_role.text == role)
        }
        let shown = try await pat.get("/api/family/members")
            .decodedWithDates(TribeBoardDesign.Memberships.self).members
        #expect(shown.map(\.role) == [.parentAdmin, .adult])
        // The dashboard: the Parent Admin makes Pat a visitor, then removes Pat.
        _ = try await ada.setRole("visitor", of: member)
        _ = try await pat.setRole("adult", of: member, expect: 403)
        try await ada.delete("/api/family/members/\(member)")
        let gone = try await ada.get("/api/family/members?status=removed")
            .decodedWithDates(TribeBoardDesign.Memberships.self).members
        #expect(gone.map(\.status) == [.removed])
        // Rejoining: by code Pat waits for the Parent Admin's approval, by invitation Pat joins at
        // once.
        try await pat.post("/api/family/code/join", ["familyCode": code], expect: 202)
        let sent = try await ada.post(
            "/api/family/invite",
            [
                "email": pat.email, "role": "parent", "householdRole": "adult",
                "familyUnitId": family,
            ])
        let received = try await pat.get("/api/me/invitations").json.invitations
        #expect(received[0].id.text == sent.json.invitationId.text)
        try await pat.post("/api/me/invitations/\(received[0].id.text ?? "")/accept")
        #expect(try await pat.get("/api/family").json.families[0].householdRole.text == "adult")
        // Ada hands over and deletes the account; the phone's old token has no account.
        try await ada.delete("/api/me?transferAdminTo=\(member)")
        #expect(
            try await pat.get("/api/family").json.families[0].householdRole.text == "parent_admin")
        try await ada.get("/api/me", expect: 401)
    }
}
