import Foundation
import Testing

extension TribeBoardDesign {
    static let authService = Section("AuthService") {
        Needs("signInWithApple returns a profile: the first request creates it") {
            let profile = try await Phone.apple("Jo").get("/api/me")
            #expect(try profile.decoded(UserProfile.self).displayName == "Jo")
        }
        Needs("getCurrentUser returns the same profile") {
            let phone = try Phone.apple()
            let first = try await phone.get("/api/me").decoded(UserProfile.self)
            let again = try await phone.get("/api/me").decoded(UserProfile.self)
            #expect(first.id == again.id)
        }
        Needs("Without a sign-in there is no current user") {
            try await Phone.apple().signedOut.get("/api/me", expect: 401)
        }
    }

    static let cloudService = Section("CloudKitService") {
        Needs("save: a record is created, and a read returns it unchanged") {
            let phone = try Phone.apple()
            let saved = try await phone.post("/api/family/create", ["familyName": "Gulls"]).json
            let id = saved.familyId.text ?? ""
            #expect(try await phone.get("/api/family/\(id)").json.familyName.text == "Gulls")
        }
        Needs("save: a record is changed") {
            let family = try await FamilyScene.tribe()
            try await family.creator.patch("/api/family/\(family.id)", ["familyName": "Terns"])
            #expect(
                try await family.joiner.get("/api/family").json.families[0].familyName.text
                    == "Terns")
        }
        Needs("fetch: records by a predicate") {
            let family = try await FamilyScene.tribe()
            let active = try await family.creator.get(
                "/api/family/members?familyId=\(family.id)&status=active"
            ).json
            #expect(active.count.number == 2)
        }
        Needs("delete: readers no longer find a record") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            #expect(try await family.creator.get("/api/family/members").json.count.number == 1)
        }
    }

    static let codes = Section("QRCodeService") {
        Needs("generateQRCode: an image of the code for display, as PNG and as SVG") {
            let family = try await FamilyScene.tribe()
            for (type, kind) in [("png", "image/png"), ("svg", "image/svg+xml")] {
                let image = try await family.creator.get("/api/family/\(family.id)/qr.\(type)")
                #expect(image.headers["content-type"] == kind && image.data.count > 100)
            }
        }
        Needs("scanQRCode: the scanned string can be used to join the family") {
            let family = try await FamilyScene.tribe()
            let link = "\(family.creator.backend.url)/join?code=\(family.code)"
            let joined = try await Phone.apple().post(
                "/api/family/code/join", ["familyCode": link])
            #expect(joined.json.familyId.text == family.id)
        }
        Needs("scanQRCode: a bare code with blanks or a dash, in any case, joins as well") {
            let family = try await FamilyScene.tribe()
            let bare = family.code.dropFirst(4).lowercased()
            for typed in [" fam \(bare) ", "\(bare.prefix(3))-\(bare.suffix(3))"] {
                try await Phone.apple().post("/api/family/code/join", ["familyCode": typed])
            }
        }
    }

    static let creatingViewModel = Section("OnboardingViewModel, CreateFamilyViewModel") {
        Needs("errorMessage: a failed sign-in has a message") {
            var phone = try Phone.apple()
            phone.token = "not a token"
            let refused = try await phone.get("/api/me", expect: 401)
            #expect(refused.json.message.text?.isEmpty == false)
        }
        Needs("createFamily takes a name and returns the family") {
            let phone = try Phone.apple()
            let created = try await phone.post(
                "/api/family/create", ["familyName": "The Tribe"]
            ).json
            #expect(created.familyName.text == "The Tribe")
            #expect(created.familyId.text != nil && created.familyCode.text != nil)
        }
        Needs("A family's name is validated: 1 to 80 characters") {
            let phone = try Phone.apple()
            try await phone.post(
                "/api/family/create", ["familyName": String(repeating: "x", count: 81)],
                expect: 400)
            try await phone.post("/api/families", ["familyName": "  "], expect: 400)
        }
        Needs("generateFamilyCode: the server generates a different code for each family") {
            var seen: Set<String> = []
            for _ in 1...5 {
                let created = try await Phone.apple().post("/api/family/create")
                seen.insert(created.json.familyCode.text ?? "")
            }
            #expect(seen.count == 5 && !seen.contains(""))
        }
        Needs("qrCodeImage: the image of the created family's code is available at once") {
            let phone = try Phone.apple()
            let id = try await phone.post("/api/family/create").json.familyId.text ?? ""
            try await phone.get("/api/family/\(id)/qr.png")
        }
    }

    static let joiningViewModel = Section("JoinFamilyViewModel") {
        Needs("searchFamily(by:) finds the family of a code, and joins nothing") {
            let (family, phone) = (try await FamilyScene.tribe(named: "Gulls"), try Phone.apple())
            let found = try await phone.get("/api/family/code/\(family.code)").json
            #expect(found.familyName.text == "Gulls" && found.memberCount.number == 2)
            #expect(try await phone.get("/api/family").json.families.items.isEmpty)
        }
        Needs("joinFamily joins the family that was found") {
            let (family, phone) = (try await FamilyScene.tribe(), try Phone.apple())
            try await phone.get("/api/family/code/\(family.code)")
            try await phone.post("/api/family/code/join", ["familyCode": family.code])
            #expect(try await phone.get("/api/family").json.families[0].memberCount.number == 3)
        }
    }

    static let roleViewModel = Section("RoleSelectionViewModel") {
        Needs("selectedRole: a new member is an adult") {
            let family = try await FamilyScene.tribe()
            let mine = try await family.joiner.get("/api/family").json.families[0]
            #expect(mine.householdRole.text == "adult")
        }
        Needs("setRole changes one's own role") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            let changed = try await family.joiner.setRole("kid", of: member)
            #expect(changed.json.household_role.text == "kid")
        }
        Needs("A role chosen by mistake can be undone") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            for role in ["visitor", "adult", "kid", "adult"] {
                let changed = try await family.joiner.setRole(role, of: member)
                #expect(changed.json.household_role.text == role)
            }
        }
        Needs("checkParentAdminAvailability: whether the seat is free, taken or reserved") {
            let family = try await FamilyScene.tribe()
            let listed = try await family.joiner.get("/api/family/members").json
            #expect(listed.parentAdmin.text == "taken")
            let mine = try await family.joiner.get("/api/family").json.families[0]
            #expect(mine.parentAdmin.text == "taken")
        }
        Needs("canSelectParentAdmin: the response lists the roles that may be chosen") {
            let family = try await FamilyScene.tribe()
            let listed = try await family.joiner.get("/api/family/members").json
            let roles = Set(listed.selectableRoles.items.compactMap(\.text))
            #expect(roles == ["adult", "kid", "visitor"])
        }
    }

    static let dashboardViewModel = Section("FamilyDashboardViewModel") {
        Needs("loadMembers") {
            let family = try await FamilyScene.tribe()
            let members = try await family.joiner.get("/api/family/members")
                .decodedWithDates(Memberships.self).members
            #expect(members.map(\.role) == [.parentAdmin, .adult])
        }
        Needs("currentUserRole") {
            let family = try await FamilyScene.tribe()
            for (phone, role) in [(family.creator, "parent_admin"), (family.joiner, "adult")] {
                let mine = try await phone.get("/api/family").json.families[0]
                #expect(mine.householdRole.text == role)
            }
        }
        Needs("changeRole(for:to:) by the Parent Admin") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            let changed = try await family.creator.setRole("visitor", of: member)
            #expect(changed.json.household_role.text == "visitor")
        }
        Needs("removeMember(_:) by the Parent Admin") {
            let family = try await FamilyScene.tribe()
            let member = try await family.memberID(of: family.joiner)
            try await family.creator.delete("/api/family/members/\(member)")
            try await family.joiner.get("/api/family/\(family.id)", expect: 404)
        }
    }
}
