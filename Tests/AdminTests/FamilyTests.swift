import JSON
import QRCode
import TestSupport
import Testing

@Suite("hearth-admin: families")
struct FamilyTests {
    let office: Office

    init() throws { office = try Office() }

    @Test("a family is created for a person, who becomes its Parent Admin")
    func create() throws {
        let made = try office.json("family create --owner ann@example.com --name 'Our family'")
        #expect(try made["family"]["name"].string() == "Our family")
        #expect(try made["family"]["code"].string().hasPrefix("FAM-"))
        #expect(try made["family"]["createdByUserId"].string() == Office.ann)
        #expect(try made["members"].texts("householdRole") == ["parent_admin"])
        let text = try office.admin("family create --owner cy@example.com")
        #expect(text.code == 0)
        #expect(text.output.contains("My Family"))
        let second = try office.admin("family create --owner cy@example.com")
        #expect(second.code == 1)
        #expect(second.errors.contains("A player belongs to one family only."))
    }

    @Test("a family is found by id, by code and by a part of its name")
    func found() throws {
        let id = try office.makeFamily("The Terns")
        let code = try office.json("family show \(id)")["family"]["code"].string()
        for word in [id, code, code.lowercased(), String(code.dropFirst(4)), "'the te'"] {
            let found = try office.json("family show \(word)")
            #expect(try found["family"]["id"].string() == id, "\(word)")
        }
    }

    @Test("an ambiguous or unknown name is reported as such")
    func notFound() throws {
        _ = try office.json("family create --owner ann@example.com --name 'Terns'")
        _ = try office.json("family create --owner bo@example.com --name 'Terns'")
        let several = try office.admin("family show terns")
        #expect(several.code == 1)
        #expect(several.errors.contains("is ambiguous"))
        #expect(several.errors.split(separator: "\n").count == 3)
        let none = try office.admin("family show nowhere")
        #expect(none.code == 1)
        #expect(none.errors.contains("No family is called 'nowhere'"))
        let nobody = try office.admin("family create --owner nobody@example.com")
        #expect(nobody.code == 1)
        #expect(nobody.errors.contains("a person who has signed in"))
    }

    @Test("a long list of families is paged and contains each family once")
    func pages() throws {
        for index in 0..<5 {
            _ = try office.json("family create --owner ann@example.com --name 'Family \(index)'")
        }
        var seen: [String] = []
        var cursor = ""
        for _ in 0..<3 {
            let page = try office.json("family list --limit 2" + cursor)
            seen += try page["families"].texts("name")
            guard let next = try page["nextCursor"].ifPresent?.string() else { break }
            cursor = " --cursor \(next)"
        }
        #expect(seen == ["Family 4", "Family 3", "Family 2", "Family 1", "Family 0"])
        let searched = try office.json("family list --search 'LY 3'")
        #expect(try searched["families"].texts("name") == ["Family 3"])
        #expect(try office.admin("family list --cursor nonsense").code == 1)
        #expect(try office.admin("family list --limit 0").code == 64)
    }

    @Test("renaming a family writes an audit entry that names the operator")
    func rename() throws {
        let id = try office.makeFamily()
        let renamed = try office.json("family rename \(id) 'The Gulls'")
        #expect(try renamed["name"].string() == "The Gulls")
        let trail = try office.json("audit --family \(id) --action family.update")
        #expect(try trail["entries"].texts("actorLabel") == ["operator:jo"])
        let entry = try trail["entries"].elements()[0]
        #expect(try entry["actorUserId"].ifPresent == nil)
        #expect(try office.admin("family rename \(id) ''").code == 64)
    }

    @Test("a code is shown, and replaced only with --yes")
    func code() throws {
        let id = try office.makeFamily()
        let code = try office.json("family code \(id)")["code"].string()
        #expect(try office.admin("family code \(id)").output == code + "\n")
        let unasked = try office.admin("family code \(id) --regenerate")
        #expect(unasked.code == 64 && unasked.errors.contains("--yes"))
        #expect(try office.json("family code \(id)")["code"].string() == code)
        let new = try office.json("family code \(id) --regenerate --expires-in-days 7 --yes")
        #expect(try new["code"].string() != code)
        #expect(try new["codeExpiresAt"].ifPresent != nil)
        #expect(try office.admin("family show \(code)").code == 1)
        #expect(try office.admin("family code \(id) --expires-in-days 7").code == 64)
    }

    @Test("an expired code is never shown, purged or not")
    func expired() throws {
        let id = try office.makeFamily()
        let code = try office.json("family code \(id)")["code"].string()
        for change in ["", ", family_code = NULL"] {
            try office.breakingRules(
                "UPDATE app.family_units SET code_expires_at = now() - interval '1 second'"
                    + change)
            for line in ["family code \(id)", "family qr \(id)", "family qr \(id) --json"] {
                let ending = try office.admin(line)
                #expect(ending.code == 1 && ending.output == "", "\(line)")
                #expect(ending.errors.contains("[code_expired]"))
            }
            #expect(try office.json("family code \(id)")["code"].ifPresent == nil)
            for line in ["family show \(id)", "family list"] {
                #expect(try !office.admin(line).output.contains(code), "\(line)")
            }
        }
        #expect(try office.admin("family code \(id) --regenerate --yes").code == 0)
        #expect(try office.admin("family code \(id)").output.hasPrefix("FAM-"))
    }

    @Test("a family's QR code, in characters or as an image, contains its link")
    func qr() throws {
        let id = try office.makeFamily()
        let told = try office.json("family qr \(id)")
        let link = try told["link"].string()
        #expect(link == "https://family.test/join?code=" + (try told["code"].string()))
        let drawn = try office.admin("family qr \(id)")
        #expect(drawn.code == 0)
        let lines = drawn.output.split(separator: "\n", omittingEmptySubsequences: false)
        let code = try QRCode(link)
        let edge = QRCode.quietZone
        for row in -edge..<code.size + edge {
            let cells = Array(lines[(row + edge) / 2])
            #expect(cells.count == code.size + 2 * edge)
            let dark: [Character] = (row + edge) % 2 == 0 ? ["█", "▀"] : ["█", "▄"]
            for column in -edge..<code.size + edge {
                #expect(
                    dark.contains(cells[column + edge]) == code.isDark(row: row, column: column))
            }
        }
        let folder = try Folder()
        #expect(try office.admin("family qr \(id) -o '\(folder.path("code.svg"))'").code == 0)
        #expect(try folder.read("code.svg").hasPrefix("<svg"))
        #expect(try office.admin("family qr \(id) -o '\(folder.path("code.png"))'").code == 0)
        #expect(try office.admin("family qr \(id) -o '\(folder.path("code.gif"))'").code == 64)
        #expect(try office.admin("family qr \(id) -o '\(folder.path("code.svg"))'").code == 1)
    }

    @Test("transferring the seat leaves exactly one Parent Admin, who is an adult")
    func transfer() throws {
        let id = try office.makeFamily()
        let moved = try office.admin("family transfer-admin \(id) Bo --yes")
        #expect(moved.code == 0 && moved.output == "Bo is the Parent Admin of The Terns\n")
        let admins: Int = try office.scalar(
            """
            SELECT count(*) FROM app.family_members
            WHERE household_role = 'parent_admin' AND status = 'active'
            """)
        #expect(admins == 1)
        let player = try office.admin("family transfer-admin \(id) Cy --yes")
        #expect(player.code == 1)
        #expect(player.errors.contains("The next Parent Admin is another adult"))
        #expect(try office.admin("family transfer-admin \(id) Ann").code == 64)
    }

    @Test("a person is found by a further address that signs in, not by one that was removed")
    func furtherAddress() throws {
        try office.asOwner(
            """
            INSERT INTO app.email_sign_ins (user_id, email, removed_at) VALUES
                ('\(Office.ann)', 'ann.at.work@example.com', NULL),
                ('\(Office.ann)', 'former@example.com', now());
            """)
        let found = try office.json("user show Ann.at.Work@example.com")
        #expect(try found["user"]["id"].string() == Office.ann)
        #expect(try office.admin("user show former@example.com").code == 1)
        // The address is stored for one person, and another signs in with it.
        try office.asOwner(
            """
            UPDATE app.users SET email = 'ann.at.work@example.com', email_verified = false
                WHERE id = '\(Office.bo)'
            """)
        let several = try office.admin("user show ann.at.work@example.com")
        #expect(several.code == 1, "\(several)")
        #expect(several.errors.contains(Office.ann) && several.errors.contains(Office.bo))
    }

    @Test("people are listed, searched and shown with their families")
    func users() throws {
        let id = try office.makeFamily()
        let found = try office.json("user list --search BO@")
        #expect(try found["users"].texts("id") == [Office.bo])
        let bo = try office.json("user show bo@example.com")
        #expect(try bo["memberships"].texts("familyId") == [id])
        #expect(try bo["user"]["issuers"].elements()[0].string() == "https://issuer.test")
        let text = try office.admin("user show \(Office.bo)").output
        #expect(text.contains("bo@example.com") && text.contains("The Terns"))
        #expect(try office.admin("user show nobody").code == 1)
    }
}
