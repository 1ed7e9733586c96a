import Foundation
import TestSupport
import Testing

@Suite("Settings of the look of pages, and of a demonstration")
struct LookSettingsTests {
    /// Settings that both programs accept.
    private func settings(_ folder: Folder, _ more: [String: String]) throws -> [String: String] {
        try folder.write("s", String(repeating: "k", count: 40))
        try folder.write(
            "issuers.json",
            """
            [{"issuer": "https://i.test", "kind": "generic", "audiences": ["a"],
              "hs256SecretFile": "s"}]
            """)
        return [
            "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
            "HEARTH_PUBLIC_URL": "https://family.test",
            "HEARTH_SECRET_KEY": String(repeating: "k", count: 40),
            "HEARTH_DATABASE_URL": "postgresql://u@127.0.0.1:1/db",
            "HEARTH_WORKER_DATABASE_URL": "postgresql://u@127.0.0.1:1/db",
        ].merging(more) { _, new in new }
    }

    /// Returns a program's complaints; empty if there are none.
    private func complaints(_ program: String, _ more: [String: String]) throws -> String {
        let folder = try Folder()
        for (name, value) in more where name == "HEARTH_APP_LOGO_FILE" {
            try folder.write("logo", value)
        }
        var more = more
        if more["HEARTH_APP_LOGO_FILE"] != nil {
            more["HEARTH_APP_LOGO_FILE"] = folder.path("logo")
        }
        let ending = try run(
            program, ["--check-config"], environment: try settings(folder, more))
        #expect((ending.code == 0) == ending.errors.isEmpty, "\(ending.errors)")
        return ending.errors
    }

    @Test("both programs refuse an accent colour with too little contrast")
    func accent() throws {
        for program in ["hearth-api", "hearth-worker"] {
            #expect(try complaints(program, ["HEARTH_APP_ACCENT": "#1d5f8a"]) == "")
            let told = try complaints(program, ["HEARTH_APP_ACCENT": "#f0a030"])
            #expect(
                told.contains("HEARTH_APP_ACCENT: #f0a030 has a contrast of 2.1 on light pages"),
                "\(told)")
            let dark = try complaints(program, ["HEARTH_APP_ACCENT": "#1d5f8a,#1d5f8a"])
            #expect(dark.contains("on dark pages, expected at least 4.5"), "\(dark)")
        }
    }

    @Test("a logo that is not a picture, or could load something, is refused")
    func logo() throws {
        let svg = #"<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>"#
        #expect(try complaints("hearth-api", ["HEARTH_APP_LOGO_FILE": svg]) == "")
        let wrong = [
            "text": "it is no PNG, WebP or SVG picture",
            svg.replacing("<path", with: "<script/><path"): "the SVG contains '<script'",
            svg.replacing("<path", with: "<path onload='x()'"): "contains an event handler",
            svg.replacing("<path", with: "<image href='https://a.test/x'/><path"):
                "refers to another file",
            svg + String(repeating: " ", count: 110_000): "it is larger than 102400 bytes",
        ]
        for (content, words) in wrong {
            let told = try complaints("hearth-api", ["HEARTH_APP_LOGO_FILE": content])
            #expect(told.contains("HEARTH_APP_LOGO_FILE: ") && told.contains(words), "\(told)")
        }
    }

    @Test("the links shown on pages need a name and an https address")
    func links() throws {
        let good = "Privacy https://a.test/privacy, Terms of use https://a.test/terms"
        #expect(try complaints("hearth-api", ["HEARTH_APP_LINKS": good]) == "")
        let wrong = [
            "https://a.test", "Privacy", "Privacy http://a.test", "Privacy javascript:alert(1)",
            "Privacy https://a.test,", "Privacy https://a.test/\"x",
        ]
        for links in wrong {
            let told = try complaints("hearth-api", ["HEARTH_APP_LINKS": links])
            #expect(told.contains("HEARTH_APP_LINKS"), "\(links): \(told)")
            #expect(told.contains("expected up to 8 names"), "\(links): \(told)")
        }
    }

    @Test("sign-in links of a demonstration are refused unless the site is on this machine")
    func demo() throws {
        let folder = try Folder()
        try folder.write("links", "")
        let links = ["HEARTH_DEMO_LINKS_FILE": folder.path("links")]
        for site in ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"] {
            #expect(
                try complaints("hearth-api", links.merging(["HEARTH_PUBLIC_URL": site]) { $1 })
                    == "")
        }
        for site in [
            "https://family.test", "https://localhost.family.test", "http://127.0.0.1.family.test",
            "http://192.168.1.5:8080", "http://localhost:8080@family.test",
        ] {
            let told = try complaints(
                "hearth-api", links.merging(["HEARTH_PUBLIC_URL": site]) { $1 })
            #expect(!told.isEmpty, "\(site)")
        }
        let told = try complaints("hearth-api", links)
        #expect(told.contains("HEARTH_DEMO_LINKS_FILE: sign-in links of a demonstration are only"))
    }
}
