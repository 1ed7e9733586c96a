import Domain
import Foundation
import TestSupport
import Testing

@testable import API

@Suite("Texts of the pages of families")
struct FamilyTextTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }

    @Test("each refusal has a message in each language, without a field's name")
    func refusals() {
        for refusal in RefusalCode.allCases {
            let english = EnglishFamilyTexts.sentence(for: refusal).text
            let spanish = SpanishFamilyTexts.sentence(for: refusal).text
            for sentence in [english, spanish] {
                #expect(
                    sentence.hasSuffix(".") || sentence.hasSuffix("XXXXXX")
                        || sentence.hasSuffix("family") || sentence.hasSuffix("preferences"),
                    "\(refusal): \(sentence)")
                #expect(!sentence.contains("`") && !sentence.contains("Id"), "\(sentence)")
            }
            #expect(english != spanish, "\(refusal)")
        }
    }

    @Test("the English pages use one spelling for words that have several")
    func spelling() throws {
        let others = /\b([Ss]omebody|any more|You are|You have left|[Ee]-mails?)\b/
        let folder = SourceTree.root.appendingPathComponent("Sources/Family/API/Pages/Texts")
        for name in ["EnglishTexts", "EnglishAccountTexts", "EnglishFamilyTexts"] {
            let file = name + ".swift"
            let source = try String(
                contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            for line in source.components(separatedBy: "\n") where !line.contains("//") {
                #expect(line.firstMatch(of: others) == nil, "\(file): \(line)")
            }
        }
        for refusal in RefusalCode.allCases {
            let sentence = EnglishFamilyTexts.sentence(for: refusal).text
            #expect(sentence.firstMatch(of: /[Ss]omebody|any more|e-mail/) == nil, "\(sentence)")
        }
    }

    @Test("each notice and each wrong field has a message in each language")
    func sentences() {
        for notice in FamilyNotice.allCases {
            let texts = Language.allCases.map { $0.familyTexts.text(.done(notice)).text }
            #expect(Set(texts).count == texts.count && texts.allSatisfy { $0.hasSuffix(".") })
        }
        for field in FormField.allCases {
            let texts = Language.allCases.map { $0.familyTexts.text(ChildText.wrong(field)).text }
            #expect(Set(texts).count == texts.count && texts.allSatisfy { $0.hasSuffix(".") })
        }
    }

    @Test("the activity of one person is found behind all newer entries of others, page by page")
    func activityOfPerson() throws {
        let home = try Site(trustsLocalProxy: true).home()
        let pat = try home.member(home.adult)
        for number in 0..<3 {
            let changed = try home.adult.patch("/api/me", #"{"fullName": "Pat \#(number)"}"#)
            try #require(changed.status == 200)
        }
        let child = try home.child(of: home.adult).replacing("managed_", with: "")
        for number in 0..<55 {
            let changed = try home.admin.patch(
                "/api/family/\(home.id)", #"{"familyName": "Name \#(number)"}"#)
            try #require(changed.status == 200)
        }
        let browser = PageBrowser(home.admin.site)
        try browser.enter(as: home.admin)
        let all = try browser.open("/family/activity?family=\(home.id)")
        #expect(all.says("You changed the family’s settings.") && !all.says("added the child"))
        let own = try browser.open("/family/activity?family=\(home.id)&person=\(pat)")
        #expect(own.says("added the child") && !own.says("changed the family’s settings"))
        #expect(!own.links.contains { $0.contains("cursor=") })
        let ada = try home.member(home.admin)
        let first = try browser.open("/family/activity?family=\(home.id)&person=\(ada)")
        let next = try browser.follow("cursor=", on: first)
        #expect(next.path.contains("person=\(ada)") && !next.says("added the child"))
        #expect(next.says("changed the family’s settings") && next.says("created the family"))
        let ofChild = try browser.open("/family/activity?family=\(home.id)&person=\(child)")
        #expect(ofChild.says("added the child") && !ofChild.says("changed the family"))
    }

    @Test("the activity calls neither a rejected person nor a removed child a former member")
    func activityOfOutsiders() throws {
        let site = try Self.shared.get()
        let home = try site.home()
        let child = try home.child(of: home.adult)
        try #require(home.admin.delete("/api/family/managed/\(child)").status == 200)
        let changed = try home.admin.patch(
            "/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        try #require(changed.status == 200)
        let newcomer = try site.person(.parent, name: "Newcomer")
        let asked = try newcomer.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        try #require(asked.status == 202)
        let waiting = try home.admin.get("/api/family/members?status=invited")
        let request = try waiting.json["members"].elements()[0]["id"].string()
        try #require(home.admin.post("/api/family/members/\(request)/reject").status == 200)
        let ada = PageBrowser(site)
        try ada.enter(as: home.admin)
        let path = "/family/activity?family=\(home.id)"
        let page = try ada.open(path)
        #expect(page.says("You turned down a request to join."), "\(page)")
        #expect(page.says("Someone asked to join with the code."))
        #expect(page.says("You removed a child."))
        #expect(page.says("<bdi>Pat</bdi> added a child."))
        #expect(!page.says("ormer member"))
        ada.language = "es"
        let spanish = try ada.open(path)
        #expect(spanish.says("Rechazaste una solicitud para unirse."), "\(spanish)")
        #expect(spanish.says("Alguien pidió unirse con el código."))
        #expect(spanish.says("Quitaste a un menor."))
        #expect(spanish.says("<bdi>Pat</bdi> añadió a un menor."))
    }

    @Test("the activity page lists events as sentences, by day, to those who may read it")
    func activity() throws {
        let site = try Self.shared.get()
        let home = try site.home()
        _ = try home.child(of: home.adult)
        try home.set(home.player, to: .visitor)
        let (stranger, member) = try home.joiner()
        try #require(home.admin.delete("/api/family/members/\(member)").status == 200)
        let browser = PageBrowser(site)
        let page = try browser.follow("family/activity", on: browser.enter(as: home.admin))
        #expect(page.says("You created the family."))
        #expect(page.says("<bdi>Pat</bdi> joined with the code."))
        #expect(page.says("<bdi>Pat</bdi> added the child <bdi>Robin</bdi>."))
        #expect(page.says("You gave <bdi>Kim</bdi> the role Visitor."))
        #expect(page.says("You removed a former member.") && !page.says(stranger.email))
        #expect(!page.says("did something"))
        let pat = try home.member(home.adult)
        let filtered = try browser.open("/family/activity?family=\(home.id)&person=\(pat)")
        #expect(filtered.says("joined with the code") && !filtered.says("created the family"))
        let kim = PageBrowser(site)
        try kim.enter(as: home.adult)
        let refused = try kim.open("/family/activity")
        #expect(refused.status == 403 && refused.heading == "Nothing to do here")
    }
}
