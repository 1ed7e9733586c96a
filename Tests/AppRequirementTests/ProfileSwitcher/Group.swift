import Foundation
import Testing

extension ProfileSwitcher {
    static let states = Section("State definitions") {
        Needs("State 1: the household's name is known before its members") {
            let family = try await FamilyScene.movies(named: "The Emersons")
            #expect(
                try await family.creator.get("/api/family").json.families[0].familyName.text
                    == "The Emersons")
        }
        Needs("State 2: no managed members: the user's own profile alone") {
            let family = try await FamilyScene.movies()
            #expect(try await family.creator.switchableProfiles().count == 1)
        }
        Needs("State 3: the user first, then managed members in the order of creation") {
            let family = try await FamilyScene.movies()
            for name in ["Zoe", "Max", "Anna"] { _ = try await family.child(named: name) }
            let profiles = try await family.creator.switchableProfiles()
            #expect(profiles.map(\.displayName) == ["Ada", "Zoe", "Max", "Anna"])
        }
        Needs("State 5: another device removes the active member; the next refresh shows it") {
            let family = try await FamilyScene.movies()
            let child = try await family.child(of: family.joiner)
            // As in the app: its header names the member until a refresh shows that it is gone.
            let acting = family.joiner.acting(for: child)
            #expect(try await acting.switchableProfiles().count == 2)
            #expect(try await acting.loadMyGroup().members.count == 3)
            try await family.creator.delete("/api/family/managed/\(child)")
            #expect(try await acting.switchableProfiles().map(\.isManaged) == [false])
            #expect(try await acting.loadMyGroup().members.map(\.isManaged) == [false, false])
        }
        Needs("State 5: calls that still carry the removed member's header return 403") {
            let family = try await FamilyScene.movies()
            let child = try await family.child(of: family.joiner)
            let acting = family.joiner.acting(for: child)
            try await acting.get("/groups/\(family.id)")
            try await family.creator.delete("/api/family/managed/\(child)")
            try await acting.get("/groups/\(family.id)", expect: 403)
            try await acting.putPreferences(family.id, expect: 403)
        }
        Needs("State 5: the user's own calls go on") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            try await family.creator.delete("/api/family/managed/\(child)")
            try await family.creator.get("/groups/\(family.id)")
        }
    }

    static let navigation = Section("ProfileAvatarNavButton, ProfileSwitcherRow") {
        Needs("The button shows the active profile's avatar") {
            let family = try await FamilyScene.movies()
            _ = try await family.child()
            try await family.creator.patch("/api/me", ["avatarKey": "avatar_owl"])
            let profiles = try await family.creator.switchableProfiles()
            #expect(profiles.map(\.avatarKey) == ["avatar_owl", "avatar_bear"])
        }
        Needs("A row shows name and kind: \"You\" or \"Family Member\"") {
            let family = try await FamilyScene.movies()
            _ = try await family.child(named: "Max")
            let rows = try await family.creator.switchableProfiles()
            #expect(
                rows.map { $0.isManaged ? "Family Member" : "You" } == ["You", "Family Member"])
            #expect(rows.map(\.displayName) == ["Ada", "Max"])
        }
        Needs("Names are capped at 30 characters by the data model") {
            let family = try await FamilyScene.movies()
            let name = String(repeating: "m", count: 30)
            _ = try await family.child(named: name)
            #expect(try await family.creator.switchableProfiles()[1].displayName == name)
            try await family.creator.send(
                "POST", "/groups/\(family.id)/members/managed",
                json: #"{"display_name": "\#(name)m"}"#, expect: 400)
        }
        Needs("A longer name, possible only for an account, is sent in full; rows truncate it") {
            let family = try await FamilyScene.movies()
            let name = String(repeating: "m", count: 80)
            try await family.creator.patch("/api/me", ["fullName": name])
            #expect(try await family.creator.switchableProfiles()[0].displayName == name)
            #expect(try await family.joiner.loadMyGroup().members[0].displayName == name)
        }
    }

    static let requests = Section("Integration: APIClient") {
        Needs("Requests have Content-Type, Bearer token and, when acting, the header") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            try await family.creator.acting(for: child).putPreferences(family.id)
        }
        Needs("Any status of 200 to 299 is success, and its body decodes from snake_case") {
            let family = try await FamilyScene.movies()
            let group = try await family.creator.get("/groups/\(family.id)")
            #expect((200...299).contains(group.status))
            _ = try group.decodedFromSnakeCase(Group.self)
        }
        Needs("A request with the ID token of a Cognito user pool is accepted") {
            let phone = try Phone(name: "Ada", from: .cognito)
            #expect(try await phone.get("/api/me").json.id.text == phone.userID)
        }
    }

    static let groupLoading = Section("Integration: GroupViewModel") {
        Needs("GET /groups/me returns the user's group") {
            let family = try await FamilyScene.movies()
            #expect(try await family.joiner.loadMyGroup().groupId == family.id)
        }
        Needs("GET /groups/me returns {\"group\": null} if there is none") {
            let answer = try await Phone(name: "Ada", from: .cognito).get("/groups/me")
            #expect(answer.json.group.isNull && answer.json.names == ["group"])
        }
        Needs("The user finds itself among the members by its user id") {
            let family = try await FamilyScene.movies()
            let ids = try await family.joiner.loadMyGroup().members.map(\.userId)
            #expect(ids.contains(family.joiner.userID))
        }
        Needs("Managed members have isManaged and the user's id as parentUserId") {
            let family = try await FamilyScene.movies()
            let (mine, yours) = (
                try await family.child(), try await family.child(of: family.joiner)
            )
            let members = try await family.creator.loadMyGroup().members
            let guardians = Dictionary(
                uniqueKeysWithValues: members.map { ($0.userId, $0.parentUserId) })
            #expect(guardians[mine] == family.creator.userID)
            #expect(guardians[yours] == family.joiner.userID)
        }
    }

    static let adding = Section("Add Managed Member; OQ-3") {
        Needs("A created member appears in the switcher on the next load") {
            let family = try await FamilyScene.movies()
            let added = try await family.creator.send(
                "POST", "/groups/\(family.id)/members/managed",
                json: #"{"display_name": "Max", "avatar_key": "avatar_dino"}"#, expect: 201)
            let profile = try #require(try await family.creator.switchableProfiles().last)
            #expect(profile.memberId == added.json.user_id.text)
            #expect(profile.avatarKey == "avatar_dino")
        }
        Needs("One user may control seven managed members of a household of eight") {
            let creator = try Phone(name: "Ada", from: .cognito)
            let group = try await creator.post("/api/family/create").json.familyId.text ?? ""
            for number in 1...7 {
                try await creator.send(
                    "POST", "/groups/\(group)/members/managed",
                    json: #"{"display_name": "Child \#(number)"}"#, expect: 201)
            }
            #expect(try await creator.switchableProfiles().count == 8)
            let refused = try await creator.send(
                "POST", "/groups/\(group)/members/managed",
                json: #"{"display_name": "Ninth"}"#, expect: 409)
            #expect(refused.json.code.text == "family_full")
        }
        Needs("The cap also applies to people who join: \"maximum 8 members\"") {
            let family = try await FamilyScene.movies()
            for _ in 1...6 { _ = try await family.child() }
            let refused = try await Phone(name: "Late", from: .cognito).post(
                "/api/family/code/join", ["familyCode": family.code], expect: 409)
            #expect(refused.json.code.text == "family_full")
            #expect(refused.json.message.text?.contains("maximum 8 members") == true)
        }
        Needs("US-25: only adults add managed members") {
            let family = try await FamilyScene.movies()
            try await family.set(family.joiner, to: "kid")
            try await family.joiner.send(
                "POST", "/groups/\(family.id)/members/managed",
                json: #"{"display_name": "Max"}"#, expect: 403)
        }
    }
}
