import Foundation
import Testing

extension TribeBoardRequirements {
    static let authentication = Section("Requirement 1: authentication") {
        Needs("1.3 When authentication succeeds, a profile is created or fetched") {
            let phone = try Phone.apple("Jo")
            let created = try await phone.get("/api/me").json
            let again = try Phone(from: .apple, person: phone.person)
            #expect(try await again.get("/api/me").json.id.text == created.id.text)
            #expect(created.fullName.text == "Jo")
        }
        Needs("1.4 When authentication fails, there is a message, and a retry works") {
            let phone = try Phone.apple()
            var failing = phone
            failing.token = "broken"
            let refused = try await failing.get("/api/me", expect: 401)
            #expect(refused.json.message.text?.isEmpty == false)
            try await phone.get("/api/me")
        }
    }

    static let creating = Section("Requirement 2: family creation") {
        Needs("2.2 A valid name creates a family") {
            let phone = try Phone.apple()
            let created = try await phone.post("/api/family/create", ["familyName": "Gulls"])
            #expect(created.json.familyName.text == "Gulls")
        }
        Needs("2.3 A unique alphanumeric code of 6 to 8 characters: six, after \"FAM-\"") {
            let created = try await Phone.apple().post("/api/family/create").json
            #expect(created.familyCode.text?.wholeMatch(of: /FAM-[A-Z0-9]{6}/) != nil)
        }
        Needs("2.4 A QR code image for local display") {
            let family = try await FamilyScene.tribe()
            let image = try await family.creator.get("/api/family/\(family.id)/qr.png")
            #expect(Array(image.data.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
        }
        Needs("2.5 The creator's membership has the role parent_admin") {
            let phone = try Phone.apple()
            try await phone.post("/api/family/create")
            let member = try await phone.get("/api/family/members").json.members[0]
            #expect(member.household_role.text == "parent_admin")
        }
        Needs("2.6 The response has the data that the dashboard shows first") {
            let phone = try Phone.apple()
            let created = try await phone.post("/api/family/create", ["familyName": "Gulls"]).json
            #expect(created.familyName.text == "Gulls")
            #expect(created.familyCode.text?.hasPrefix("FAM-") == true)
            let id = created.familyId.text ?? ""
            let members = try await phone.get("/api/family/members?familyId=\(id)").json.members
            #expect(members.items.map(\.household_role.text) == ["parent_admin"])
        }
    }

    static let joining = Section("Requirement 3: family joining") {
        Needs("3.2 A code resolves the family") {
            let (family, phone) = (try await FamilyScene.tribe(named: "Gulls"), try Phone.apple())
            let found = try await phone.get("/api/family/code/\(family.code)").json
            #expect(found.familyName.text == "Gulls")
        }
        Needs("3.3 The content of a QR code resolves the family") {
            let family = try await FamilyScene.tribe()
            let link = "\(family.creator.backend.url)/join?code=\(family.code)"
            try await Phone.apple().post("/api/family/code/join", ["familyCode": link])
        }
        Needs("3.4 The confirmation shows family name and member count") {
            let (family, phone) = (try await FamilyScene.tribe(named: "Gulls"), try Phone.apple())
            let found = try await phone.get("/api/family/code/\(family.code)").json
            #expect(found.familyName.text == "Gulls" && found.memberCount.number == 2)
        }
        Needs("3.5 A person who joins gets the role adult") {
            let (family, phone) = (try await FamilyScene.tribe(), try Phone.apple())
            try await phone.post("/api/family/code/join", ["familyCode": family.code])
            #expect(
                try await phone.get("/api/family").json.families[0].householdRole.text == "adult")
        }
        Needs("3.6 An invalid code has an error message") {
            for (code, status) in [("FAM-1", 400), ("FAM-ZZZZZ0", 404)] {
                let refused = try await Phone.apple().post(
                    "/api/family/code/join", ["familyCode": code], expect: status)
                #expect(refused.json.message.text?.contains("amily code") == true)
            }
        }
        Needs("3.7 Role selection comes next: the id of the user's membership is known") {
            let (family, phone) = (try await FamilyScene.tribe(), try Phone.apple())
            try await phone.post("/api/family/code/join", ["familyCode": family.code])
            let member = try await phone.get("/api/family").json.families[0].memberId.text ?? ""
            _ = try await phone.setRole("kid", of: member)
        }
    }

    static let roles = Section("Requirement 4: role management") {
        Needs("4.1 The available roles") {
            let family = try await FamilyScene.tribe()
            let offered = try await family.joiner.get("/api/family").json.families[0]
            #expect(
                Set(offered.selectableRoles.items.compactMap(\.text)) == [
                    "adult", "kid", "visitor",
                ])
        }
        Needs("4.2 A role other than Parent Admin is stored") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            for role in ["kid", "visitor", "adult"] {
                _ = try await family.joiner.setRole(role, of: member)
                let shown = try await family.member(family.joiner, seenBy: family.creator)
                #expect(shown.household_role.text == role)
            }
        }
        Needs("4.3 Selecting Parent Admin while one exists is an error, and the role stays adult") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            _ = try await family.joiner.setRole("parent_admin", of: member, expect: 409)
            let mine = try await family.joiner.get("/api/family").json.families[0]
            #expect(mine.householdRole.text == "adult")
        }
        Needs("4.4 Selecting Parent Admin while none exists is allowed to the creator") {
            let phone = try Phone.apple()
            let player = try Phone.player()
            let created = try await player.post("/api/family/create").json
            try await phone.post(
                "/api/family/code/join", ["familyCode": created.familyCode.text ?? ""])
            let shown = try await phone.get("/api/family").json.families[0]
            #expect(shown.parentAdmin.text == "reserved")
            let member = shown.memberId.text ?? ""
            _ = try await phone.setRole("parent_admin", of: member, expect: 403)
            let named = try await player.setRole("parent_admin", of: member)
            #expect(named.json.household_role.text == "parent_admin")
        }
        Needs("4.4 A Parent Admin who stepped down takes the free seat again") {
            let phone = try Phone.apple()
            try await phone.post("/api/family/create")
            let mine = try await phone.get("/api/family").json.families[0].memberId.text ?? ""
            _ = try await phone.setRole("adult", of: mine)
            #expect(try await phone.get("/api/family").json.families[0].parentAdmin.text == "free")
            _ = try await phone.setRole("parent_admin", of: mine)
        }
        Needs("4.6 Role changes persist") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            _ = try await family.joiner.setRole("visitor", of: member)
            let again = try Phone(from: .apple, person: family.joiner.person)
            #expect(
                try await again.get("/api/family").json.families[0].householdRole.text == "visitor")
        }
    }

    static let dashboard = Section("Requirement 5: dashboard and members") {
        Needs("5.1 All active members with avatar, name and role") {
            let family = try await FamilyScene.tribe()
            try await family.joiner.patch("/api/me", ["avatarUrl": "https://example.com/pat.png"])
            let members = try await family.joiner.get("/api/family/members").json.members
            #expect(members.items.map(\.display_name.text) == ["Ada", "Pat"])
            #expect(members[1].avatar_url.text == "https://example.com/pat.png")
            #expect(members.items.map(\.household_role.text) == ["parent_admin", "adult"])
        }
        Needs("5.2 A Parent Admin changes roles and removes members") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            _ = try await family.creator.setRole("kid", of: member)
            try await family.creator.delete("/api/family/members/\(member)")
        }
        Needs("5.3 Others can only read: they can change and remove nobody") {
            let family = try await FamilyScene.tribe()
            let third = try await family.another(.apple("Third"))
            let member = try await family.memberID(of: third)
            try await family.joiner.get("/api/family/members")
            _ = try await family.joiner.setRole("kid", of: member, expect: 403)
            try await family.joiner.delete("/api/family/members/\(member)", expect: 403)
        }
        Needs("5.4 A removed member's status is removed: the row is kept") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            let gone = try await family.creator.get("/api/family/members?status=removed").json
                .members
            #expect(gone.items.map(\.id.text) == [member])
            #expect(gone[0].status.text == "removed")
        }
        Needs("5.5 A Parent Admin's change of a role is stored") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            _ = try await family.creator.setRole("visitor", of: member)
            let mine = try await family.joiner.get("/api/family").json.families[0]
            #expect(mine.householdRole.text == "visitor")
        }
        Needs("5.6 Changes are seen on all devices: the next read of each shows them") {
            let family = try await FamilyScene.tribe()
            let tablet = try Phone(from: .apple, person: family.joiner.person)
            try await family.creator.patch("/api/family/\(family.id)", ["familyName": "Terns"])
            for device in [family.creator, family.joiner, tablet] {
                let shown = try await device.get("/api/family").json.families[0]
                #expect(shown.familyName.text == "Terns")
            }
        }
    }

    static let synchronization = Section("Requirement 6: synchronization") {
        Needs("6.2 A successful operation is reported, with the state to mark as synced") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            let stored = try await family.joiner.setRole("kid", of: member)
            #expect(stored.json.household_role.text == "kid")
        }
        Needs("6.3 A failed operation is retried, without a second effect") {
            let phone = try Phone.apple()
            let key = ["Idempotency-Key": UUID().uuidString]
            let body = #"{"familyName": "Once"}"#
            for _ in 1...3 {
                try await phone.send(
                    "POST", "/api/families", json: body, headers: key, expect: 201)
            }
            #expect(try await phone.get("/api/family").json.families.items.count == 1)
        }
    }

    static let privacy = Section("Requirement 7: security and privacy") {
        Needs("7.1 Only necessary data is stored: a display name and an avatar's address") {
            let phone = try Phone.apple("Jo")
            let profile = try await phone.get("/api/me").json
            #expect(
                Set(profile.names).isSubset(of: [
                    "id", "email", "fullName", "role", "avatarKey", "avatarUrl", "isManaged",
                    "families", "joinRequests", "createdAt", "updatedAt", "locale",
                    "displayName", "roleIsDefault", "consentsMissing",
                ]))
        }
        Needs("7.2 No QR image is stored, only the code") {
            let family = try await FamilyScene.tribe()
            try await family.creator.get("/api/family/\(family.id)/qr.png")
            let images = try family.creator.backend.count(
                """
                SELECT count(*) FROM information_schema.columns
                WHERE table_schema = 'app' AND table_name = 'family_units' AND data_type = 'bytea'
                """)
            #expect(images == 0)
        }
        Needs("7.3 The server stores only a hash of the Apple user id") {
            let phone = try Phone(email: "\(UUID())@example.com", from: .apple)
            let shown = try await phone.get("/api/me")
            #expect(!shown.text.contains(phone.person.subject))
            let pattern = "%\(phone.person.subject)%"
            let stored = try phone.backend.count(
                """
                SELECT count(*) FROM (
                    SELECT u::text FROM app.users AS u
                    UNION ALL SELECT i::text FROM app.user_identities AS i) AS kept (row)
                WHERE kept.row ILIKE \(pattern)
                """)
            #expect(stored == 0)
        }
        Needs("7.4 Data is private to the family") {
            let (family, stranger) = (try await FamilyScene.tribe(), try Phone.apple())
            try await stranger.get("/api/family/\(family.id)", expect: 404)
        }
        Needs("7.5 Apple's rules: a token of another app, or without a signature, is refused") {
            var phone = try Phone.apple()
            let token = phone.token ?? ""
            phone.token = try phone.backend.appleToken(of: phone.person, audience: "com.other.app")
            try await phone.get("/api/me", expect: 401)
            phone.token = token.prefix { $0 != "." } + ".e30."
            try await phone.get("/api/me", expect: 401)
        }
        Needs("7.5 Apple's rules: a user deletes the account in the app") {
            let phone = try Phone.apple()
            try await phone.get("/api/me")
            #expect(try await phone.delete("/api/me").json.success.flag == true)
        }
    }

    static let codes = Section("Requirement 8: codes") {
        Needs("8.1 Codes have 6 to 8 alphanumeric characters: six, after \"FAM-\"") {
            let family = try await FamilyScene.tribe()
            let code = try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id]
            ).json.familyCode.text
            #expect(code?.wholeMatch(of: /FAM-[A-Z0-9]{6}/) != nil)
        }
        Needs("8.2 No other family has or has had the same code") {
            let family = try await FamilyScene.tribe()
            try await family.creator.post(
                "/api/family/code/regenerate", ["familyId": family.id])
            let phone = try Phone.parent()
            try phone.insertFamily(code: family.code)
            let own = try await phone.get("/api/family").json.families[0].familyCode.text
            #expect(own != family.code)
        }
        Needs("8.3 After a collision a new code is generated, without an error") {
            let family = try await FamilyScene.tribe()
            let phone = try Phone.parent()
            try phone.insertFamily(code: family.code)
            let own = try await phone.get("/api/family").json.families[0].familyCode.text
            #expect(own != family.code && own?.hasPrefix("FAM-") == true)
        }
        Needs("8.4 An entered code is checked for format and existence") {
            try await Phone.apple().get("/api/family/code/FAM-12", expect: 400)
            try await Phone.apple().get("/api/family/code/FAM-ZZZZZ0", expect: 404)
        }
        Needs("8.5 Codes are easily readable: no letters that look alike") {
            for _ in 1...3 {
                let created = try await Phone.apple().post("/api/family/create").json
                #expect(
                    created.familyCode.text?.dropFirst(4).contains(where: "ILO01".contains) == false
                )
            }
        }
    }
}
