import Foundation
import TestSupport
import Testing

extension FamilyManagement {
    static let screens = Section("5 State, 6 Screens: the data they show") {
        Needs("\"Created [date]\" under the code") {
            let family = try await FamilyScene.recruiting()
            let shown = try await family.creator.get("/api/family/\(family.id)").json
            #expect(shown.codeGeneratedAt.date.map { $0 <= Date() } == true)
        }
        Needs("A member card shows the full name, or the e-mail address if there is no name") {
            let family = try await FamilyScene.recruiting()
            let nameless = try await family.another(.parent(nil))
            let named = try await family.member(family.joiner, seenBy: family.creator).users
            #expect(named.full_name.text == "Pat")
            let other = try await family.creator.get("/api/family/members").json.members[2].users
            #expect(other.full_name.isNull && other.email.text == nameless.email)
        }
        Needs("A member card has initials, because the shown name is never empty") {
            let family = try await FamilyScene.recruiting()
            _ = try await family.another(.parent(nil))
            let members = try await family.creator.get("/api/family/members").json.members.items
            #expect(members.allSatisfy { $0.display_name.text?.isEmpty == false })
        }
        Needs("A member card shows role and added date") {
            let family = try await FamilyScene.recruiting()
            let card = try await family.creator.get("/api/family/members").json.members[1]
            #expect(card.role.text == "parent" && card.added_at.date != nil)
        }
        Needs("A family card shows name and code") {
            let family = try await FamilyScene.recruiting(named: "The Gulls")
            let card = try await family.joiner.get("/api/family").json.families[0]
            #expect(card.familyName.text == "The Gulls" && card.familyCode.text == family.code)
        }
        Needs("A parent without families gets an empty list") {
            let found = try await Phone.parent().get("/api/family").json.families.items
            #expect(found.isEmpty)
        }
        Needs("A code in lower case works like the upper case that the field would make of it") {
            let family = try await FamilyScene.recruiting()
            try await Phone.parent().post(
                "/api/family/code/join", ["familyCode": family.code.lowercased()])
        }
        Needs("Other pages know the active family: /api/me lists the families") {
            let family = try await FamilyScene.recruiting()
            let families = try await family.joiner.get("/api/me").json.families.items
            #expect(families.map(\.familyId.text) == [family.id])
        }
    }

    static let edges = Section("8 Errors and edge cases; 9 Edge cases") {
        Needs("A player without a family gets one on first access, and only one") {
            let player = try Phone.player()
            let first = try await player.post("/api/family/create").json
            let again = try await player.post("/api/family/create").json
            #expect(again.familyId.text == first.familyId.text)
            #expect(again.message.text == "Family already exists")
        }
        Needs("Two devices that open the page at the same time create one family") {
            let player = try Phone.player()
            async let one = player.post("/api/family/create")
            async let other = player.post("/api/family/create")
            let (left, right) = (try await one.json, try await other.json)
            #expect(left.familyId.text == right.familyId.text)
        }
        Needs("A parent who joins the same family twice: 400 \"already a member\"") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await parent.post("/api/family/code/join", ["familyCode": family.code])
            let again = try await parent.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 400)
            #expect(again.json.code.text == "already_member")
        }
        Needs("A cooldown message with a timer: 429 has the time of the next attempt") {
            let parent = try Phone.parent()
            for number in 1...5 {
                try await parent.get("/api/family/code/FAM-XXXXX\(number)", expect: 404)
            }
            let refused = try await parent.get("/api/family/code/FAM-XXXXX9", expect: 429)
            #expect((1...300).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
            #expect(refused.headers["ratelimit"] != nil)
        }
        Needs("An error has a text to show, a code to branch on, and an id to report") {
            let refused = try await Phone.parent().get("/api/family/nonsense/deep", expect: 404)
            #expect(refused.headers["content-type"] == "application/problem+json")
            #expect(refused.json.message.text?.isEmpty == false)
            #expect(refused.json.requestId.text == refused.headers["x-request-id"])
        }
        Needs("Very long family names: up to 80 characters are stored, longer ones are refused") {
            let player = try Phone.player()
            let name = String(repeating: "å", count: 80)
            let created = try await player.post("/api/family/create", ["familyName": name])
            #expect(created.json.familyName.text == name)
            try await Phone.player().post(
                "/api/family/create", ["familyName": name + "a"], expect: 400)
        }
        Needs("A parent with several families sees all of them") {
            let parent = try Phone.parent()
            for number in 1...3 {
                try await FamilyScene.recruiting(named: "Family \(number)").join(parent)
            }
            let families = try await parent.get("/api/family").json.families.items
            #expect(Set(families.map(\.familyName.text)) == ["Family 1", "Family 2", "Family 3"])
        }
    }

    static let limitations = Section("10 Known limitations") {
        Needs("Codes match ^FAM-[A-Z0-9]{6}$; others are refused before they are looked up") {
            for code in ["FAM-ABC12", "FAM_ABC123", "XAM-ABC123"] {
                try await Phone.parent().post(
                    "/api/family/code/join", ["familyCode": code], expect: 400)
            }
        }
        Needs("\"Only players can create families\": the later plan lets parents as well") {
            let parent = try Phone.parent()
            let created = try await parent.post("/api/family/create").json
            #expect(created.familyCode.text?.hasPrefix("FAM-") == true)
            #expect(try await parent.get("/api/family").json.families[0].role.text == "parent")
        }
        Needs("\"Only players renew codes\": the creator and the Parent Admin may as well") {
            let family = try await FamilyScene(
                named: "The Terns", by: .parent("Ada"), joiner: .parent())
            try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id])
            try await family.joiner.post(
                "/api/family/code/regenerate", ["familyId": family.id], expect: 403)
        }
        Needs("\"Only parents can join families\": the later plan lets players as well") {
            let family = try await FamilyScene(
                named: "The Terns", by: .parent("Ada"), joiner: .player())
            #expect(
                try await family.member(family.joiner, seenBy: family.creator).role.text == "player"
            )
            try await family.joiner.get("/api/family")
        }
        Needs("A player belongs to one family: another code is refused, and the family named") {
            let (family, other) = (
                try await FamilyScene.recruiting(), try await FamilyScene.recruiting()
            )
            let refused = try await family.creator.post(
                "/api/family/code/join", ["familyCode": other.code], expect: 409)
            #expect(refused.json.code.text == "player_has_family")
            #expect(refused.json.familyId.text == family.id)
            #expect(refused.json.familyName.text == "The Terns")
        }
    }

    static let references = Section("11 References, 12 Sign-off") {
        Needs("family_code_usage_log records who joined by which family's code") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            try await parent.post("/api/family/code/join", ["familyCode": family.code])
            let logged = try parent.backend.count(
                """
                SELECT count(*) FROM app.family_code_usage_log
                WHERE family_unit_id = \(family.number) AND user_id = \(parent.person.id)
                    AND action = 'joined'
                """)
            #expect(logged == 1)
        }
        Needs("Codes are the main way to join; e-mail invitations still exist") {
            let (family, parent) = (try await FamilyScene.recruiting(), try Phone.parent())
            let token = try await family.inviteToken(for: parent)
            try await parent.post("/api/family/invite/\(token)/accept")
        }
    }
}

extension FamilyScene {
    /// The id as a number.
    var number: UInt128 {
        UInt128(id.filter { $0 != "-" }, radix: 16) ?? 0
    }

    /// The family as a direct client reads it.
    func unit(seenBy phone: Phone) throws -> Compass.FamilyUnit? {
        try phone.backend.rows(
            .get(.person(phone.person), DirectQueries.family(number)),
            as: Compass.FamilyUnit.self, request: "GET /rest/v1/family_units?id=eq.:id"
        ).first
    }
}
