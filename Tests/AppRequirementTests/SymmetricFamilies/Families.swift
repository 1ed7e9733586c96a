import Foundation
import TestSupport
import Testing

extension SymmetricFamilies {
    static let goal = Section("Goal") {
        Needs("Either role can create a family") {
            for phone in [try Phone.player(), try Phone.parent()] {
                let created = try await phone.post("/api/family/create").json
                let members = try await phone.get("/api/family/members").json.members
                #expect(members[0].family_unit_id.text == created.familyId.text)
                #expect(members[0].role.text == phone.person.role)
            }
        }
        Needs("The app itself opens the links of e-mailed invitations (`/join?token=`)") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await family.invite(parent.email)
            let link = try #require(parent.backend.letter(to: parent.email).link)
            #expect(link.hasPrefix("\(parent.backend.url)/join?token="))
            let site = try await parent.signedOut.get("/.well-known/apple-app-site-association")
            #expect(site.text.contains("/join") && site.text.contains("com.example.app"))
        }
    }

    static let infrastructure = Section("Infrastructure that the app calls") {
        Needs("POST /api/family/invite sends an e-mail and creates the invitation") {
            let family = try await FamilyScene.recruiting()
            let email = "new-\(family.id)@example.com"
            let sent = try await family.creator.post(
                "/api/family/invite", ["email": email, "role": "parent", "familyUnitId": family.id])
            #expect(try family.creator.backend.letter(to: email).subject.contains("The Terns"))
            let listed = try await family.creator.get("/api/family/invitations").json.invitations
            #expect(listed[0].id.text == sent.json.invitationId.text)
        }
        Needs("GET /api/family/invite/:token is public and returns the invitation") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            let shown = try await parent.signedOut.get("/api/family/invite/\(token)").json
            #expect(shown.familyName.text == "The Terns" && shown.role.text == "parent")
        }
        Needs("POST /api/family/invite/:token/accept accepts it and inserts the member") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent("Jo"))
            let token = try await family.inviteToken(for: parent)
            let accepted = try await parent.post("/api/family/invite/\(token)/accept").json
            #expect(accepted.success.flag == true && accepted.familyUnitId.text == family.id)
            let members = try await parent.get("/api/family/members").json.members.items
            #expect(members.map(\.display_name.text) == ["Kim", "Pat", "Jo"])
        }
        Needs("GET /api/family/invitations lists pending invitations of the caller's family") {
            let family = try await FamilyScene.recruiting()
            try await family.invite("one@example.com")
            let listed = try await family.joiner.get("/api/family/invitations").json.invitations
            #expect(listed.items.map(\.invited_email.text) == ["one@example.com"])
        }
        Needs("DELETE /api/family/invitations/:id revokes a pending one") {
            let family = try await FamilyScene.recruiting()
            let id = try await family.invite("one@example.com")
            let revoked = try await family.creator.delete("/api/family/invitations/\(id)")
            #expect(revoked.json.success.flag == true)
            try await family.creator.delete("/api/family/invitations/\(id)", expect: 404)
        }
        Needs("POST /api/family/code/join joins by code") {
            let family = try await FamilyScene.recruiting()
            let joined = try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code])
            #expect(joined.json.success.flag == true)
        }
        Needs("POST /api/family/player-details stores what the parent enters about the player") {
            let parent = try Phone.parent()
            try await parent.post("/api/family/create")
            let details = #"""
                {"playerName": "Kim", "playerDob": "2009-05-04", "graduationYear": 2027,
                 "sport": "Rowing", "position": "Cox"}
                """#
            try await parent.send("POST", "/api/family/player-details", json: details)
            let kept = try await parent.get("/api/family/player-details").json.playerDetails
            #expect(kept.playerName.text == "Kim" && kept.graduationYear.number == 2027)
            #expect(kept.sport.text == "Rowing" && kept.position.text == "Cox")
        }
        Needs("Player details are accepted as forms send them: the year as text, further fields") {
            let parent = try Phone.parent()
            try await parent.post("/api/family/create")
            try await parent.post(
                "/api/family/player-details",
                ["graduationYear": "2028", "gender": "female", "club": "Thames"])
            let kept = try await parent.get("/api/family/player-details").json.playerDetails
            #expect(kept.graduationYear.number == 2028 && kept.gender.text == "female")
            #expect(kept.club.text == "Thames")
        }
        Needs("A player who joins without a name gets the name in the pre-filled details") {
            let parent = try Phone.parent()
            let created = try await parent.post("/api/family/create").json
            try await parent.post("/api/family/player-details", ["playerName": "Kim"])
            let player = try Phone.player(nil)
            try await player.post(
                "/api/family/code/join", ["familyCode": created.familyCode.text ?? ""])
            #expect(try await player.get("/api/me").json.fullName.text == "Kim")
        }
        Needs("`created_by_user_id` is in the schema; `player_user_id` is gone") {
            let family = try await FamilyScene.recruiting()
            #expect(
                try family.unit(seenBy: family.joiner)?.createdByUserId == family.creator.userID)
            let columns = try family.creator.backend.count(
                """
                SELECT count(*) FROM information_schema.columns
                WHERE table_schema = 'api' AND column_name = 'player_user_id'
                """)
            #expect(columns == 0)
        }
    }

    static let familyUnit = Section("Task 1: FamilyUnit") {
        Needs("FamilyUnit decodes from the table, with its creator") {
            let family = try await FamilyScene.recruiting()
            let unit = try #require(try family.unit(seenBy: family.creator))
            #expect(unit.id == family.id && unit.createdByUserId == family.creator.userID)
        }
        Needs("`createdAt` and `updatedAt` have the form that the app's parser reads") {
            let family = try await FamilyScene.recruiting()
            let unit = try #require(try family.unit(seenBy: family.joiner))
            for time in [unit.createdAt, unit.updatedAt] {
                #expect(ISO8601DateFormatter().date(from: time ?? "") != nil)
            }
        }
        Needs("`homeLatitude` and `homeLongitude` are numbers or null") {
            let family = try await FamilyScene.recruiting()
            #expect(try family.unit(seenBy: family.creator)?.homeLatitude == nil)
            try await family.creator.send(
                "PATCH", "/api/family/\(family.id)",
                json: #"{"homeLatitude": 51.5, "homeLongitude": -0.12}"#)
            let unit = try family.unit(seenBy: family.creator)
            #expect(unit?.homeLatitude == 51.5 && unit?.homeLongitude == -0.12)
        }
    }

    static let schemaQueries = Section("Task 2: FamilyServiceImpl") {
        Needs("A family is found by family_members.user_id, then by its id, for either role") {
            let family = try await FamilyScene.recruiting()
            for phone in [family.creator, family.joiner] {
                let rows = try phone.backend.rows(
                    .get(.person(phone.person), DirectQueries.membership(of: phone.person)),
                    as: Compass.MemberRow.self,
                    request: "GET /rest/v1/family_members?user_id=eq.:id")
                #expect(rows.map(\.family_unit_id) == [family.id])
                #expect(try family.unit(seenBy: phone)?.familyCode == family.code)
            }
        }
        Needs("Without a membership the query returns no row and no error") {
            let phone = try Phone.parent()
            let rows = try phone.backend.rows(
                .get(.person(phone.person), DirectQueries.membership(of: phone.person)),
                as: Compass.MemberRow.self, request: "GET /rest/v1/family_members?user_id=eq.:id")
            #expect(rows.isEmpty)
        }
        Needs("A parent without a family who loads the page gets one, as a parent") {
            let parent = try Phone.parent()
            try await parent.post("/api/family/create", ["role": "parent"])
            let shown = try await parent.get("/api/family").json.families[0]
            #expect(shown.role.text == "parent" && shown.householdRole.text == "parent_admin")
        }
        Needs("createFamily(role:) stores the given role") {
            let player = try Phone.player()
            try await player.post("/api/family/create", ["role": "player"])
            let member = try await player.get("/api/family/members").json.members[0]
            #expect(member.role.text == "player")
        }
        Needs("Creating is idempotent: an existing family is returned") {
            let family = try await FamilyScene.recruiting()
            for phone in [family.creator, family.joiner] {
                let created = try await phone.post("/api/family/create")
                    .decoded(Compass.CreateFamilyResponse.self)
                #expect(created.familyId == family.id && created.familyCode == family.code)
            }
        }
        Needs("A direct insert creates the family with the id, code and times that the app chose") {
            let player = try Phone.player()
            let id = try player.insertFamily(code: Phone.freshCode())
            let rows = try player.backend.rows(
                .get(.person(player.person), DirectQueries.family(id)),
                as: Compass.FamilyUnit.self, request: "GET /rest/v1/family_units?id=eq.:id")
            #expect(rows.map(\.createdByUserId) == [player.userID])
        }
        Needs("A direct insert adds the creator as a member with the role") {
            for phone in [try Phone.player(), try Phone.parent()] {
                try phone.insertFamily(code: Phone.freshCode())
                let shown = try await phone.get("/api/family").json.families[0]
                #expect(shown.role.text == phone.person.role)
            }
        }
        Needs("The code that the app generated is the family's: the app shows it at once") {
            let (player, code) = (try Phone.player(), Phone.freshCode())
            try player.insertFamily(code: code)
            #expect(try await player.get("/api/family").json.families[0].familyCode.text == code)
        }
        Needs("Ids may be in upper case, as UUID().uuidString returns them") {
            let family = try await FamilyScene.recruiting()
            let shown = try await family.creator.get("/api/family/\(family.id.uppercased())").json
            #expect(shown.familyId.text == family.id)
        }
        Needs("CreateFamilyResponse decodes, with a name or without") {
            let created = try await Phone.parent().post("/api/family/create")
                .decoded(Compass.CreateFamilyResponse.self)
            #expect(created.success && created.familyName != nil)
        }
    }

    static let familyManaging = Section("Task 2: FamilyManaging") {
        Needs("fetchFamilyMembers(familyUnitId:)") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.joiner.get("/api/family/members?familyId=\(family.id)")
                .decoded(Compass.MembersResponse.self).members
            #expect(members.map(\.familyUnitId) == [family.id, family.id])
        }
        Needs("getCurrentMember(userId:): the caller's membership, with the user's details") {
            let family = try await FamilyScene.recruiting()
            let rows = try family.joiner.backend.rows(
                .get(.person(family.joiner.person), DirectQueries.members(of: family.number)),
                as: Compass.FamilyMember.self,
                request: "GET /rest/v1/family_members?select=*,users(...)")
            let own = try #require(rows.first { $0.userId == family.joiner.userID })
            #expect(own.role == "parent" && own.user.fullName == "Pat")
        }
        Needs("regenerateCode(familyId:), for players and parents who created the family") {
            for creator in [try Phone.player(), try Phone.parent()] {
                let family = try await FamilyScene(
                    named: "The Terns", by: creator, joiner: .parent())
                let fresh = try await creator.post(
                    "/api/family/code/regenerate", ["familyId": family.id]
                ).decoded(Compass.RegenerateFamilyCodeResponse.self)
                #expect(fresh.familyCode != family.code)
            }
        }
        Needs("removeFamilyMember(memberId:), for players and parents who created the family") {
            for creator in [try Phone.player(), try Phone.parent()] {
                let family = try await FamilyScene(
                    named: "The Terns", by: creator, joiner: .parent())
                let member = try await family.memberID(of: family.joiner)
                let removed = try await creator.delete("/api/family/members/\(member)")
                    .decoded(Compass.RemoveResponse.self)
                #expect(removed.success)
            }
        }
        Needs("getParentFamilies(): a parent's families; for a player none") {
            let family = try await FamilyScene.recruiting()
            for (phone, count) in [(family.joiner, 1), (family.creator, 0)] {
                let rows = try phone.backend.rows(
                    .get(.person(phone.person), DirectQueries.families(of: phone.person)),
                    as: Compass.ParentFamilyMembership.self,
                    request: "GET /rest/v1/family_members?select=...,family_units!inner(...)")
                #expect(rows.count == count)
            }
        }
    }

    static let joiningByCode = Section("Task 5: joinFamilyWithCode") {
        Needs("POST /api/family/code/join with a Bearer token and `familyCode`; any 2xx is success")
        {
            let family = try await FamilyScene.recruiting()
            let joined = try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code])
            #expect((200..<300).contains(joined.status))
        }
        Needs("The same business logic as the web app: one route for both, refusals included") {
            let family = try await FamilyScene.recruiting()
            try await family.joiner.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 400,
                saying: "You are already a member of this family.")
        }
        Needs("Without API_BASE_URL the app falls back to the edge function family-code-join") {
            let family = try await FamilyScene.recruiting()
            let joined = try await Phone.parent().post(
                "/functions/v1/family-code-join", ["familyCode": family.code])
            #expect(
                try joined.decoded(Compass.JoinResponse.self).message
                    == "Successfully joined family")
        }
        Needs("Unresolved 3: the edge function refuses in the same cases as joining") {
            try await Phone.parent().post(
                "/functions/v1/family-code-join", ["familyCode": "FAM-ZZZZZ0"], expect: 404,
                saying: "Family code not found. Please check and try again.")
        }
        Needs("A player can join if the family created on first load has no other member") {
            let family = try await FamilyScene(named: "The Terns", by: .parent(), joiner: .parent())
            let player = try Phone.player()
            let own = try await player.post("/api/family/create").json
            let joined = try await player.post(
                "/api/family/code/join", ["familyCode": family.code]
            ).json
            #expect(joined.leftFamilyId.text == own.familyId.text)
            let families = try await player.get("/api/family").json.families.items
            #expect(families.map(\.familyId.text) == [family.id])
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": own.familyCode.text ?? ""], expect: 404)
        }
    }
}

extension Phone {
    /// Creates a code as the app does.
    static func freshCode() -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        return "FAM-" + String((0..<6).compactMap { _ in letters.randomElement() })
    }

    /// Creates a family by the app's two direct inserts and returns its id.
    @discardableResult
    func insertFamily(code: String) throws -> UInt128 {
        let id = UInt128.random(in: 0...UInt128.max)
        _ = try DirectQueries.insertFamily(id, code: code, by: person).send(to: backend.database)
        Transcript.current?.add("POST /rest/v1/family_units", "201")
        _ = try DirectQueries.insertMember(person, as: person.role, into: id)
            .send(to: backend.database)
        Transcript.current?.add("POST /rest/v1/family_members", "201")
        return id
    }
}
