import Foundation
import Testing

extension TribeBoardDesign {
    static let familyModel = Section("Data Models: Family") {
        Needs("id, name, code, createdByUserId and createdAt decode") {
            let family = try await FamilyScene.tribe(named: "Gulls")
            let shown = try await family.creator.get("/api/family")
                .decodedWithDates(Families.self).families[0]
            #expect(shown.name == "Gulls" && shown.code == family.code)
            #expect(shown.id == UUID(uuidString: family.id) && shown.createdAt <= Date())
            let creator = try await family.creator.get("/api/me").decoded(UserProfile.self)
            #expect(shown.createdByUserId == creator.id)
        }
        Needs("`code` is unique: no two families ever share one") {
            let (one, other) = (
                try await FamilyScene.tribe(), try await FamilyScene.tribe()
            )
            #expect(one.code != other.code)
            // Not even by bypassing the programs: the table of codes has each one once.
            let refusing = try one.creator.backend.constraint(
                against: "INSERT INTO app.family_codes (code, family_unit_id) "
                    + "VALUES ('\(one.code)', '\(other.id)')")
            #expect(refusing == "family_codes_pkey")
            let found = try await other.creator.get("/api/family/code/\(one.code)").json
            #expect(found.familyName.text == "The Tribe")
        }
    }

    static let profileModel = Section("Data Models: UserProfile") {
        Needs("id, displayName and avatarUrl decode") {
            let phone = try Phone.apple("Jo")
            try await phone.patch("/api/me", ["avatarUrl": "https://example.com/jo.png"])
            let profile = try await phone.get("/api/me").decoded(UserProfile.self)
            #expect(profile.displayName == "Jo")
            #expect(profile.avatarUrl?.absoluteString == "https://example.com/jo.png")
            let nameless = try await Phone.apple(nil).get("/api/me").decoded(UserProfile.self)
            #expect(!nameless.displayName.isEmpty, "the model's `displayName` is not optional")
        }
        Needs("`appleUserIdHash`: only a hash of Apple's user id is stored") {
            let phone = try Phone.apple()
            try await phone.get("/api/me")
            let stored = try phone.backend.count(
                """
                SELECT count(*) FROM app.user_identities
                WHERE subject_hash = sha256(convert_to(
                    \("https://appleid.test\n" + phone.person.subject), 'UTF8'))
                """)
            #expect(stored == 1)
            let plain = try phone.backend.count(
                "SELECT count(*) FROM app.users WHERE id::text = \(phone.person.subject)")
            #expect(plain == 0)
        }
        Needs("The display name can be changed") {
            let phone = try Phone.apple("Jo")
            try await phone.patch("/api/me", ["fullName": "Joanna"])
            #expect(try await phone.get("/api/me").json.fullName.text == "Joanna")
        }
    }

    static let membershipModel = Section("Data Models: Membership") {
        Needs("id, familyId, userId, role, joinedAt and status decode") {
            let family = try await FamilyScene.tribe()
            let member = try await family.creator.get("/api/family/members")
                .decodedWithDates(Memberships.self).members[1]
            #expect(member.familyId == UUID(uuidString: family.id))
            #expect(member.role == .adult && member.status == .active)
            #expect(member.joinedAt <= Date())
        }
        Needs("A new membership is active") {
            let family = try await FamilyScene.tribe()
            let shown = try await family.member(family.joiner, seenBy: family.creator)
            #expect(shown.status.text == "active")
            try await family.creator.get("/api/family/members")
        }
    }

    static let enums = Section("Data Models: enums") {
        Needs("Role: parent_admin, adult, kid, visitor, by these raw values") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            for role in Role.allCases where role != .parentAdmin {
                let changed = try await family.creator.setRole(role.rawValue, of: member)
                #expect(changed.json.household_role.text == role.rawValue)
            }
            try await family.creator.patch(
                "/api/family/members/\(member)", ["householdRole": "grandma"], expect: 400)
        }
        Needs("MembershipStatus: active, invited, removed") {
            let family = try await FamilyScene.tribe()
            try await family.creator.send(
                "PATCH", "/api/family/\(family.id)", json: #"{"approvalRequired": true}"#)
            let waiting = try Phone.apple("Wendy")
            try await waiting.post(
                "/api/family/code/join", ["familyCode": family.code], expect: 202)
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            for status in ["active", "invited", "removed"] {
                let listed = try await family.creator.get(
                    "/api/family/members?status=\(status)"
                ).decodedWithDates(Memberships.self).members
                #expect(listed.map(\.status.rawValue) == [status])
            }
        }
    }

    static let records = Section("CloudKit schema: what can be asked for") {
        Needs("A family by its code") {
            let family = try await FamilyScene.tribe(named: "Gulls")
            let found = try await Phone.apple().get("/api/family/code/\(family.code)").json
            #expect(found.familyName.text == "Gulls" && found.memberCount.number == 2)
        }
        Needs("Memberships by family") {
            let family = try await FamilyScene.tribe()
            let path = "/api/family/members?familyId=\(family.id)"
            let members = try await family.joiner.get(path).json.members.items
            #expect(members.map(\.family_unit_id.text) == [family.id, family.id])
        }
        Needs("Memberships by user") {
            let family = try await FamilyScene.tribe()
            let mine = try await family.joiner.get("/api/me").json.families
            #expect(mine[0].familyId.text == family.id)
        }
        Needs("Memberships by status; only creator and Parent Admin see ended ones") {
            let family = try await FamilyScene.tribe()
            let path = "/api/family/members?status=removed"
            #expect(try await family.creator.get(path).json.members.items.isEmpty)
            try await family.joiner.get(path, expect: 403)
        }
        Needs("A profile by the hash of Apple's id: the same sign-in finds the same profile") {
            let phone = try Phone.apple()
            let again = try Phone(from: .apple, person: phone.person)
            let one = try await phone.get("/api/me").json.id.text
            #expect(try await again.get("/api/me").json.id.text == one)
        }
    }
}
