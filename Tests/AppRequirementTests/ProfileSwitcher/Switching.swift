import Foundation
import Testing

extension ProfileSwitcher {
    static let overview = Section("Overview, scope boundary") {
        Needs("One device acts on behalf of members who have no account of their own") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            let me = try await family.creator.acting(for: child).get("/api/me").json
            #expect(me.id.text == child && me.isManaged.flag == true)
        }
        Needs("Parents see their own profile and the managed members that they control") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            let profiles = try await family.creator.get("/api/me/profiles")
                .decoded(ProfilesResponse.self).profiles
            #expect(profiles.map(\.memberId) == [family.creator.userID, child])
        }
        Needs("Switching needs no new sign-in: the same token, with or without the header") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            for actingAs in [nil, child, nil, child] {
                let me = try await family.creator.acting(for: actingAs).get("/api/me").json
                #expect(me.id.text == actingAs ?? family.creator.userID)
            }
        }
        Needs("Calls carry X-Acting-As-Member until the user switches back") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            let acting = family.creator.acting(for: child)
            try await acting.putPreferences(family.id, likes: "16")
            let own = try await family.creator.get("/groups/\(family.id)/preferences").json
            #expect(own.genre_likes.isMissing)
        }
        Needs("Only managed members whose `parent_user_id` is the user's id are shown") {
            let family = try await FamilyScene.movies()
            let mine = try await family.child(named: "Max")
            _ = try await family.child(of: family.joiner, named: "Mia")
            let shown = try await family.creator.switchableProfiles()
            #expect(shown.map(\.memberId) == [family.creator.userID, mine])
        }
        Needs("Independent members can't be impersonated") {
            let family = try await FamilyScene.movies()
            try await family.creator.acting(for: family.joiner.userID).get(
                "/api/me", expect: 403)
        }
        Needs("A managed member of somebody else can't be acted for") {
            let family = try await FamilyScene.movies()
            let child = try await family.child(of: family.joiner)
            try await family.creator.acting(for: child).get("/api/me", expect: 403)
        }
        Needs("A managed member of another household can't be acted for") {
            let (family, other) = (try await FamilyScene.movies(), try await FamilyScene.movies())
            let child = try await other.child()
            try await family.creator.acting(for: child).get("/groups/\(other.id)", expect: 403)
        }
    }

    static let flow = Section("Flow 12") {
        Needs("1: the sheet's header shows the household's name") {
            let family = try await FamilyScene.movies(named: "The Emersons")
            #expect(try await family.creator.loadMyGroup().name == "The Emersons")
        }
        Needs("1: one row for each managed member") {
            let family = try await FamilyScene.movies()
            for name in ["Max", "Mia"] { _ = try await family.child(named: name) }
            let managed = try await family.creator.switchableProfiles().filter(\.isManaged)
            #expect(managed.map(\.displayName) == ["Max", "Mia"])
        }
        Needs("2: \"Now viewing as [Name]\": responses while acting are the managed member's") {
            let family = try await FamilyScene.movies()
            let child = try await family.child(named: "Max")
            let me = try await family.creator.acting(for: child).get("/api/me").json
            #expect(me.fullName.text == "Max" && me.avatarKey.text == "avatar_bear")
            #expect(me.actor.id.text == family.creator.userID)
        }
        Needs("3: without the header the user acts for itself again") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            try await family.creator.acting(for: child).get("/api/me")
            #expect(try await family.creator.get("/api/me").json.fullName.text == "Ada")
        }
        Needs("4: \"Add Family Member\" creates a managed member") {
            let family = try await FamilyScene.movies()
            let added = try await family.creator.send(
                "POST", "/groups/\(family.id)/members/managed",
                json: #"{"display_name": "Max", "avatar_key": "avatar_dino"}"#, expect: 201)
            #expect(added.json.is_managed.flag == true)
        }
    }

    static let session = Section("State machine, ProfileSessionManager") {
        Needs("From one managed member straight to another") {
            let family = try await FamilyScene.movies()
            for name in ["Max", "Mia"] {
                let child = try await family.child(named: name)
                let me = try await family.creator.acting(for: child).get("/api/me").json
                #expect(me.fullName.text == name)
            }
        }
        Needs("`actingAsMemberId` is the id that the group shows, \"managed_<uuid>\"") {
            let family = try await FamilyScene.movies()
            _ = try await family.child()
            let profile = try #require(try await family.creator.switchableProfiles().last)
            #expect(profile.memberId.hasPrefix("managed_"))
            try await family.creator.acting(for: profile.memberId).get("/groups/\(family.id)")
        }
        Needs("The header is left out when the user acts for itself") {
            let family = try await FamilyScene.movies()
            let me = try await family.creator.get("/api/me").json
            #expect(me.isManaged.flag == false && me.actor.isMissing)
        }
        Needs("Identity and delegation are separate: the token is still the guardian's") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            try await family.creator.acting(for: child).signedOut.get("/api/me", expect: 401)
        }
        Needs("updateProfiles: a removed managed member is no longer in the group") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            try await family.creator.delete("/api/family/managed/\(child)")
            let profiles = try await family.creator.switchableProfiles()
            #expect(profiles.map(\.memberId) == [family.creator.userID])
        }
        Needs("The header is a hint only: it is checked again at every request") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            let acting = family.creator.acting(for: child)
            try await acting.get("/api/me")
            let heir = try await family.memberID(of: family.joiner)
            try await family.creator.post(
                "/api/family/managed/\(child)/guardian", ["memberId": heir])
            try await acting.get("/api/me", expect: 403)
        }
        Needs("A header that can't be an id is refused as malformed") {
            let family = try await FamilyScene.movies()
            try await family.creator.acting(for: "managed_max").get("/api/me", expect: 400)
        }
    }

    static let models = Section("SwitchableProfile, GroupMember") {
        Needs("`memberId` is the Cognito sub for the authenticated user") {
            let family = try await FamilyScene.movies()
            let own = try await family.creator.switchableProfiles()[0]
            #expect(own.memberId == family.creator.person.subject && !own.isManaged)
        }
        Needs("`memberId` is \"managed_<uuid>\" for a managed member") {
            let family = try await FamilyScene.movies()
            let child = try await family.child()
            #expect(try await family.creator.switchableProfiles()[1].memberId == child)
            #expect(child.wholeMatch(of: /managed_[0-9a-f-]{36}/) != nil)
        }
        Needs("`parentUserId` is null for the authenticated user, the guardian's id for a child") {
            let family = try await FamilyScene.movies()
            _ = try await family.child()
            let profiles = try await family.creator.switchableProfiles()
            #expect(profiles.map(\.parentUserId) == [nil, family.creator.userID])
        }
        Needs("`displayName` and `avatarKey` are never null") {
            let family = try await FamilyScene(
                named: "Nameless", by: Phone(name: nil, from: .cognito),
                joiner: Phone(name: nil, from: .cognito))
            let members = try await family.creator.loadMyGroup().members
            #expect(members.count == 2 && members.allSatisfy { $0.avatarKey.isEmpty })
        }
        Needs("SwitchableProfile.from(GroupMember) and /api/me/profiles agree") {
            let family = try await FamilyScene.movies()
            _ = try await family.child()
            let made = try await family.creator.switchableProfiles()
            let told = try await family.creator.get("/api/me/profiles")
                .decoded(ProfilesResponse.self).profiles
            #expect(made == told)
        }
        Needs("GroupMember has isManaged, parentUserId, and memberType independent or managed") {
            let family = try await FamilyScene.movies()
            _ = try await family.child()
            let members = try await family.creator.loadMyGroup().members
            #expect(members.map(\.memberType) == ["independent", "independent", "managed"])
            #expect(members.map(\.isManaged) == [false, false, true])
        }
        Needs("GroupMember's existing fields are unchanged: role, joinedAt, displayName, ...") {
            let family = try await FamilyScene.movies()
            let members = try await family.creator.loadMyGroup().members
            #expect(members.map(\.role) == ["creator", "member"])
            let parser = ISO8601DateFormatter()
            #expect(members.allSatisfy { parser.date(from: $0.joinedAt) != nil })
        }
        Needs("The Group around it decodes: createdBy, memberCount, createdAt, streamingServices") {
            let family = try await FamilyScene.movies()
            let group = try await family.creator.get("/groups/\(family.id)")
                .decodedFromSnakeCase(Group.self)
            #expect(group.createdBy == family.creator.userID && group.memberCount == 2)
            #expect(group.streamingServices.isEmpty && group.groupId == family.id)
        }
        Needs("A household's streaming services are stored, and the group shows them") {
            let family = try await FamilyScene.movies()
            try await family.creator.send(
                "PATCH", "/api/family/\(family.id)/attributes",
                json: #"{"streaming_services": ["netflix", "mubi"]}"#)
            let group = try await family.joiner.loadMyGroup()
            #expect(group.streamingServices == ["netflix", "mubi"])
        }
    }
}
