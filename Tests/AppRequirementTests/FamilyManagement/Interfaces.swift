import Foundation
import TestSupport
import Testing

extension FamilyManagement {
    static let models = Section("3 Data models") {
        Needs("FamilyUnit decodes; the later plan renames `playerUserId` to `createdByUserId`") {
            let family = try await FamilyScene.recruiting()
            let unit = try family.unit(seenBy: family.creator)
            #expect(unit?.createdByUserId == family.creator.userID)
            #expect(unit?.familyCode == family.code && unit?.familyName == "The Terns")
        }
        Needs("FamilyMember decodes, with its FamilyMemberUser") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.creator.get("/api/family/members")
                .decoded(Compass.MembersResponse.self).members
            #expect(members.map(\.user.fullName) == ["Kim", "Pat"])
            #expect(members.map(\.user.email) == [family.creator.email, family.joiner.email])
        }
        Needs("FamilyMemberUser's `fullName` may be null") {
            let player = try Phone.player(nil)
            try await player.post("/api/family/create")
            let members = try await player.get("/api/family/members")
                .decoded(Compass.MembersResponse.self).members
            #expect(members[0].user.fullName == nil && members[0].user.role == "player")
        }
        Needs("ParentFamilyData decodes") {
            let family = try await FamilyScene.recruiting()
            let families = try await family.joiner.get("/api/family")
                .decoded(Compass.FamiliesResponse.self).families
            #expect(families.map(\.familyCode) == [family.code])
        }
        Needs("ParentFamilyData has no null, even without a code to show") {
            let family = try await FamilyScene(
                named: "The Terns", by: .parent("Ada"), joiner: .parent())
            try await family.set(family.joiner, to: "visitor")
            let families = try await family.joiner.get("/api/family")
                .decoded(Compass.FamiliesResponse.self).families
            #expect(families.map(\.familyCode) == [""])
        }
        Needs("A member's `role` is \"player\" or \"parent\"") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.creator.get("/api/family/members").json.members
            #expect(Set(members.items.map(\.role.text)) == ["player", "parent"])
        }
        Needs("Times are ISO timestamps that ISO8601DateFormatter reads") {
            let family = try await FamilyScene.recruiting()
            let members = try await family.creator.get("/api/family/members").json.members
            #expect(members.items.allSatisfy { $0.added_at.date != nil })
            let unit = try family.unit(seenBy: family.creator)
            let parser = ISO8601DateFormatter()
            for time in [unit?.codeGeneratedAt, unit?.createdAt, unit?.updatedAt] {
                #expect(parser.date(from: time ?? "") != nil)
            }
        }
    }

    static let dataOrigin = Section("3 Data origin") {
        Needs("Tables family_units, family_members and users can be queried") {
            let family = try await FamilyScene.recruiting()
            let rows = try family.creator.backend.rows(
                .get(
                    .person(family.creator.person), DirectQueries.members(of: family.number)),
                as: Compass.FamilyMember.self,
                request: "GET /rest/v1/family_members?select=*,users(...)")
            #expect(Set(rows.map(\.user.id)) == [family.creator.userID, family.joiner.userID])
        }
        Needs("No caching: data is always fetched fresh") {
            let family = try await FamilyScene.recruiting()
            let kept = try await family.creator.get("/api/family/members").headers["cache-control"]
            #expect(["no-store", "private, no-cache"].contains(kept))
        }
        Needs(
            "Refresh after mutations: the next read shows a create, join, regenerate or remove"
        ) {
            let (player, parent) = (try Phone.player(), try Phone.parent())
            let created = try await player.post("/api/family/create").json
            let code = created.familyCode.text ?? ""
            try await parent.post("/api/family/code/join", ["familyCode": code])
            #expect(try await parent.get("/api/family").json.families[0].memberCount.number == 2)
            let fresh = try await player.post(
                "/api/family/code/regenerate", ["familyId": created.familyId.text ?? ""]
            ).json.familyCode.text
            #expect(try await parent.get("/api/family").json.families[0].familyCode.text == fresh)
            let members = try await player.get("/api/family/members").json.members
            try await player.delete("/api/family/members/\(members[1].id.text ?? "")")
            #expect(try await parent.get("/api/family").json.families.items.isEmpty)
        }
    }

    static let endpoints = Section("4 Endpoints") {
        Needs("1: a direct query finds the player's family: one record") {
            let family = try await FamilyScene.recruiting()
            #expect(try family.unit(seenBy: family.creator)?.id == family.id)
        }
        Needs("1: the same query returns nothing if there is no family") {
            let (family, player) = (try await FamilyScene.recruiting(), try Phone.player())
            #expect(try family.unit(seenBy: player) == nil)
        }
        Needs("2: a parent's memberships by a direct query, with the family embedded in each") {
            let family = try await FamilyScene.recruiting()
            let parent = family.joiner
            let rows = try parent.backend.rows(
                .get(.person(parent.person), DirectQueries.families(of: parent.person)),
                as: Compass.ParentFamilyMembership.self,
                request: "GET /rest/v1/family_members?select=...,family_units!inner(...)")
            #expect(rows.map(\.family_units.family_code) == [family.code])
            #expect(rows.map(\.family_unit_id) == [family.id])
        }
        Needs("3: GET /api/family/members returns `members` with the listed fields") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.creator.get("/api/family/members").json.members[1]
            for name in ["id", "family_unit_id", "user_id", "role", "added_at"] {
                #expect(member[name].text?.isEmpty == false, "\(name)")
            }
            for name in ["id", "email", "full_name", "role"] {
                #expect(member.users[name].text?.isEmpty == false, "\(name)")
            }
        }
        Needs("4: POST /api/family/create returns success, familyCode, familyId, familyName") {
            let created = try await Phone.player().send("POST", "/api/family/create")
                .decoded(Compass.CreateFamilyResponse.self)
            #expect(created.success && created.familyName == "My Family")
        }
        Needs("5: POST /api/family/code/join answers \"Successfully joined family\"") {
            let family = try await FamilyScene.recruiting()
            let joined = try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code])
            #expect(
                try joined.decoded(Compass.JoinResponse.self).message
                    == "Successfully joined family")
        }
        Needs("5: 400 for an invalid request") {
            try await Phone.parent().send(
                "POST", "/api/family/code/join", json: #"{"familyCode": 7}"#, expect: 400)
            try await Phone.parent().send("POST", "/api/family/code/join", json: "{", expect: 400)
        }
        Needs("5: 429 ends after five minutes") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            for number in 1...5 {
                try await parent.post(
                    "/api/family/code/join", ["familyCode": "FAM-YYYYY\(number)"], expect: 404)
            }
            try await parent.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 429)
            try parent.backend.rewrite(
                """
                UPDATE app.rate_limits SET window_start = window_start - interval '5 minutes'
                WHERE bucket IN ('code:account:\(parent.userID)', 'code:address:\(parent.address)')
                """)
            try await parent.post("/api/family/code/join", ["familyCode": family.code])
        }
        Needs("6: POST /api/family/code/regenerate takes familyId and returns familyCode") {
            let family = try await FamilyScene.recruiting()
            let fresh = try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id]
            ).decoded(Compass.RegenerateFamilyCodeResponse.self)
            #expect(fresh.familyCode.wholeMatch(of: /FAM-[A-Z0-9]{6}/) != nil)
        }
        Needs("7: DELETE /api/family/members/:memberId returns {\"success\": true}") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.memberID(of: family.joiner)
            let removed = try await family.creator.delete("/api/family/members/\(member)")
                .decoded(Compass.RemoveResponse.self)
            #expect(removed.success)
        }
    }

    static let authentication = Section("4 Authentication") {
        Needs("The token is a bearer token in the header") {
            let player = try Phone.player()
            #expect(try await player.get("/api/me").json.id.text == player.userID)
        }
        Needs("All endpoints require authentication") {
            let nobody = try Phone.parent().signedOut
            try await nobody.get("/api/family/members", expect: 401)
            for path in ["create", "code/join", "code/regenerate"] {
                try await nobody.post("/api/family/\(path)", expect: 401)
            }
            try await nobody.delete("/api/family/members/\(nobody.userID)", expect: 401)
        }
        Needs("Roles are enforced on the server: a parent who joined may not renew the code") {
            let family = try await FamilyScene.recruiting()
            try await family.joiner.post(
                "/api/family/code/regenerate", ["familyId": family.id], expect: 403)
        }
        Needs("Roles are enforced on the server: a parent who joined may not remove anybody") {
            let family = try await FamilyScene.recruiting()
            let member = try await family.memberID(of: family.creator)
            try await family.joiner.delete("/api/family/members/\(member)", expect: 403)
        }
    }
}
