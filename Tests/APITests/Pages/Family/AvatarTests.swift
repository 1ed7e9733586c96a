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
