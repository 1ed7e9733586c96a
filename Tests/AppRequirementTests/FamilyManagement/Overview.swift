import Testing

extension FamilyManagement {
    static let overview = Section("1 Overview: purpose, key actions") {
        Needs("Players create family codes, which they share with parents") {
            let created = try await Phone.player().post("/api/family/create").json
            #expect(created.familyCode.text?.wholeMatch(of: /FAM-[A-Z0-9]{6}/) != nil)
        }
        Needs("Parents join families by codes") {
            let family = try await FamilyScene.recruiting()
            let joined = try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code])
            #expect(joined.json.familyId.text == family.id)
        }
        Needs("Through the shared family parents view their child's data") {
            let family = try await FamilyScene.recruiting()
            let other = try await family.another(.parent("Jo"))
            try await family.joiner.post("/api/family/player-details", ["sport": "Rowing"])
            let details = try await other.get("/api/family/player-details").json.playerDetails
            #expect(details.sport.text == "Rowing")
            #expect(try await family.member(family.creator, seenBy: other).role.text == "player")
        }
        Needs("Players view their family code") {
            let family = try await FamilyScene.recruiting()
            let families = try await family.creator.get("/api/family").json.families
            #expect(families[0].familyCode.text == family.code)
        }
        Needs("Players view family members") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.creator.get("/api/family/members").json
            #expect(members.members.items.map(\.role.text) == ["player", "parent"])
            #expect(members.count.number == 2)
        }
        Needs("Players remove family members") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            try await family.joiner.get("/api/family/members?familyId=\(family.id)", expect: 404)
        }
        Needs("Parents view the families they have joined") {
            let (one, other) = (
                try await FamilyScene.recruiting(), try await FamilyScene.recruiting()
            )
            try await other.join(one.joiner)
            let families = try await one.joiner.get("/api/family").json.families.items
            #expect(Set(families.map(\.familyId.text)) == [one.id, other.id])
        }
        Needs("Parents leave a family") {
            let family = try await FamilyScene.recruiting()
            try await family.joiner.delete("/api/family/members/me?familyId=\(family.id)")
            #expect(try await family.joiner.get("/api/family").json.families.items.isEmpty)
        }
    }

    static let success = Section("1 Overview: success criteria; 9 Happy path") {
        Needs("The player sees the code, in the form FAM-XXXXXX, on page load") {
            let player = try Phone.player()
            try await player.post("/api/family/create")
            let code = try await player.get("/api/family").json.families[0].familyCode.text
            #expect(code?.wholeMatch(of: /FAM-[A-Z0-9]{6}/) != nil)
        }
        Needs("The player regenerates the code, which invalidates the old one") {
            let family = try await FamilyScene.recruiting()
            let fresh = try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id]
            ).json.familyCode.text
            #expect(fresh != family.code)
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code], expect: 404)
        }
        Needs("A parent enters a code, joins, and sees the family in their list") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent("Jo"))
            try await parent.post("/api/family/code/join", ["familyCode": family.code])
            let families = try await parent.get("/api/family").json.families
            #expect(families[0].familyName.text == "The Terns")
        }
        Needs("A parent sees a descriptive message for an invalid code") {
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": "HELLO"], expect: 400,
                saying: "Invalid family code format. Codes look like FAM-XXXXXX")
        }
        Needs("A parent sees a descriptive message for an expired code") {
            let family = try await FamilyScene.recruiting()
            try family.creator.backend.rewrite(
                """
                UPDATE app.family_units SET code_expires_at = now() - interval '1 minute'
                WHERE id = '\(family.id)'
                """)
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code], expect: 410,
                saying: "This family code has expired.")
        }
        Needs("The list of members is up to date after a person joined or was removed") {
            let family = try await FamilyScene.recruiting()
            let parent = try await family.another(.parent("Jo"))
            let list = "/api/family/members"
            #expect(try await family.creator.get(list).json.count.number == 3)
            let member = try await family.memberID(of: parent)
            try await family.creator.delete("/api/family/members/\(member)")
            #expect(try await family.joiner.get(list).json.count.number == 2)
        }
        Needs("Role-based views: the app learns whether its user is a player or a parent") {
            let family = try await FamilyScene.recruiting()
            for (phone, role) in [(family.creator, "player"), (family.joiner, "parent")] {
                #expect(try await phone.get("/api/me").json.role.text == role)
                #expect(try await phone.get("/api/family").json.families[0].role.text == role)
            }
        }
    }
}
