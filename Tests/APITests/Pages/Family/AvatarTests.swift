import Domain
import Foundation
import TestSupport
import Testing

@testable import API

@Suite("Pictures of members")
struct AvatarTests {
    @Test("a key with a drawing is drawn, any other key is shown by initials, and none is loaded")
    func pictures() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home()
        for (person, key) in [(home.admin, "Fox"), (home.adult, "https://example.com/a.png")] {
            let changed = try person.patch("/api/me", #"{"avatarKey": "\#(key)"}"#)
            try #require(changed.status == 200, "\(changed)")
        }
        let browser = PageBrowser(site)
        let page = try browser.enter(as: home.admin)
        let shown = page.text.matches(of: /<span class="avatar hue-[0-5]"[^>]*>(.*?)<\/span>/)
            .map { String($0.1) }
        #expect(shown.count == 3, "\(page)")
        #expect(shown.contains(AvatarDrawing.fox.svg.text))
        #expect(shown.contains("P") && shown.contains("K"))
        #expect(!page.says("<img") && !page.says("example.com/a.png"))
    }

    @Test("each picture is offered by a name in each language, and an app's own key is kept")
    func names() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home()
        let key = "crest_7"
        let changed = try home.admin.patch("/api/me", #"{"avatarKey": "\#(key)"}"#)
        try #require(changed.status == 200, "\(changed)")
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        let page = try browser.open("/account")
        for name in ["Bear", "Cat", "Dog", "Fox", "Owl", "Rabbit", "Star"] {
            #expect(page.says("<option value=\"\(name.lowercased())\">\(name)</option>"))
        }
        let kept = "<option value=\"\(key)\" selected>"
        #expect(page.says(kept + "The picture from the app</option>"), "\(page)")
        // A browser sends the chosen option, too.
        let saved = try browser.press("name", on: page, ["name": "Ada B", "avatar": key])
        #expect(saved.status == 200 && saved.says(kept), "\(saved)")
        let other = try browser.press("name", on: saved, ["avatar": "owl"])
        #expect(other.says("<option value=\"owl\" selected>Owl</option>") && !other.says(key))
        browser.language = "es"
        let spanish = try browser.open("/account")
        for drawing in AvatarDrawing.allCases {
            let name = SpanishFamilyTexts.text(ChildText.pictureName(drawing)).text
            #expect(name != EnglishFamilyTexts.text(ChildText.pictureName(drawing)).text)
            #expect(spanish.says(">\(name)</option>"))
        }
    }

    @Test("drawings contain no style, no script and no address", arguments: AvatarDrawing.allCases)
    func content(drawing: AvatarDrawing) {
        let svg = drawing.svg.text
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>") && svg.utf8.count < 600)
        #expect(svg.firstMatch(of: /style=|<script|href|url\(| on[a-z]+=/) == nil)
    }

    @Test("initials and drawings have a contrast of at least 4.5 on each colour")
    func contrast() throws {
        let style = FamilyStyle.css
        let colours = style.matches(of: /\.hue-[0-5] \{ background: #([0-9a-f]{6}); \}/)
            .map { String($0.1) }
        #expect(colours.count == 6)
        #expect(style.contains("border-radius: 50%; color: #ffffff;"))
        for colour in colours {
            #expect(try 1.05 / (luminance(colour) + 0.05) >= 4.5, "white on \(colour)")
        }
    }

    /// Returns the relative luminance of a colour (WCAG 2.2).
    private func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour, radix: 16))
        let parts = [16, 8, 0].map { shift -> Double in
            let value = Double((number >> shift) & 0xff) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
