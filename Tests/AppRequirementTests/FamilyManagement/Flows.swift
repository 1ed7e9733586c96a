import Foundation
import Testing

extension FamilyManagement {
    static let ownCode = Section("2 Player views or creates the family; 8, 9 Auto-create") {
        Needs("The system fetches the family record of the player's user id") {
            let family = try await FamilyScene.recruiting()
            let found = try await family.creator.get("/api/family").json.families
            #expect(found.items.map(\.createdByUserId.text) == [family.creator.userID])
            #expect(found[0].familyId.text == family.id)
        }
        Needs("The player sees when the code was generated") {
            let family = try await FamilyScene.recruiting()
            let shown = try await family.creator.get("/api/family").json.families[0]
            #expect(shown.codeGeneratedAt.date != nil)
        }
        Needs("The player sees the parents who have joined") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.creator.get("/api/family/members").json.members
            #expect(
                members.items.filter { $0.role.text == "parent" }.map(\.display_name.text) == [
                    "Pat"
                ])
        }
        Needs("First visit: the system detects that no family exists") {
            let found = try await Phone.player().get("/api/family").json.families.items
            #expect(found.isEmpty)
        }
        Needs("First visit: a family with a generated code is created by POST /api/family/create") {
            let created = try await Phone.player().send("POST", "/api/family/create").json
            #expect(created.success.flag == true && created.familyId.text?.count == 36)
        }
        Needs("First visit: the player sees the new code and nobody else in the list") {
            let player = try Phone.player()
            let code = try await player.post("/api/family/create").json.familyCode.text
            #expect(try await player.get("/api/family").json.families[0].familyCode.text == code)
            let members = try await player.get("/api/family/members").json.members.items
            #expect(members.map(\.user_id.text) == [player.userID])
        }
    }

    static let regenerating = Section("2 Player regenerates the code; 8, 9 Regeneration") {
        Needs("POST /api/family/code/regenerate gives a new code, which is displayed") {
            let family = try await FamilyScene.recruiting()
            let fresh = try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id]
            ).json.familyCode.text
            let shown = try await family.creator.get("/api/family").json.families[0]
            #expect(shown.familyCode.text == fresh && fresh != family.code)
        }
        Needs("\"The old code will stop working\": at once, and the new one works") {
            let family = try await FamilyScene.recruiting()
            let fresh =
                try await family.creator.post(
                    "/api/family/code/regenerate", ["familyId": family.id]
                ).json.familyCode.text ?? ""
            let parent = try Phone.parent()
            try await parent.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 404)
            try await parent.post("/api/family/code/join", ["familyCode": fresh])
        }
    }

    static let removing = Section("2 Player removes a family member") {
        Needs("DELETE /api/family/members/[memberId] returns success") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.memberID(of: family.joiner)
            let removed = try await family.creator.delete("/api/family/members/\(member)")
            #expect(removed.json.success.flag == true)
        }
        Needs("The member disappears from the list") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            let left = try await family.creator.get("/api/family/members").json.members
            #expect(left.items.map(\.user_id.text) == [family.creator.userID])
        }
    }

    static let joining = Section("2 Parent joins a family") {
        Needs("The parent enters a code; the system calls POST /api/family/code/join") {
            let family = try await FamilyScene.recruiting()
            try await Phone.parent().post("/api/family/code/join", ["familyCode": family.code])
        }
        Needs("The family appears in \"My Families\"") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await parent.post("/api/family/code/join", ["familyCode": family.code])
            let families = try await parent.get("/api/family").json.families
            #expect(families.items.map(\.familyId.text) == [family.id])
        }
        Needs("The parent's active family changes: the family's members can be read at once") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let joined = try await parent.post(
                "/api/family/code/join", ["familyCode": family.code])
            let active = joined.json.familyId.text ?? ""
            let members = try await parent.get("/api/family/members?familyId=\(active)").json
            #expect(members.count.number == 3)
        }
    }

    static let errors = Section("2 Error scenarios; 9 Error tests") {
        Needs("Invalid format: \"Invalid family code format. Codes look like FAM-XXXXXX\"") {
            for code in ["FAM-12", "FAM-ABCDEFGHJ", "ABC", "FAM-ÄBCDEF", ""] {
                try await Phone.parent().post(
                    "/api/family/code/join", ["familyCode": code], expect: 400,
                    saying: "Invalid family code format. Codes look like FAM-XXXXXX")
            }
        }
        Needs("Code not found (404): \"Family code not found. Please check and try again.\"") {
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": "FAM-ZZZZZ0"], expect: 404,
                saying: "Family code not found. Please check and try again.")
        }
        Needs("Rate limited (429): \"Too many attempts. Please wait 5 minutes.\"") {
            let parent = try Phone.parent()
            for number in 1...5 {
                try await parent.post(
                    "/api/family/code/join", ["familyCode": "FAM-ZZZZZ\(number)"], expect: 404)
            }
            let family = try await FamilyScene.recruiting()
            let refused = try await parent.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 429,
                saying: "Too many attempts. Please wait 5 minutes.")
            #expect((1...300).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
        }
        Needs("Already a member (400): \"You are already a member of this family.\"") {
            let family = try await FamilyScene.recruiting()
            try await family.joiner.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 400,
                saying: "You are already a member of this family.")
        }
        Needs("401: the app shows its login") {
            let answer = try await Phone.parent().signedOut.get("/api/family", expect: 401)
            #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
        Needs("The list of members can be shown for a player without other members") {
            let player = try Phone.player()
            try await player.post("/api/family/create")
            #expect(try await player.get("/api/family/members").json.count.number == 1)
        }
    }
}
