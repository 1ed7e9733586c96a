import Domain
import Foundation
import Mail
import MailSupport
import TestSupport
import Testing
import UseCases

@Suite("Custom e-mail texts")
struct CustomTextsTests {
    private let folder: URL

    init() throws { folder = try TemporaryFolder.make() }

    private func write(_ files: [String: String]) throws {
        for (name, text) in files {
            let place = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: place, atomically: false, encoding: .utf8)
        }
    }

    private func texts(_ files: [String: String]) throws -> MailTexts {
        try write(files)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try MailTexts(folder: folder.path)
    }

    /// Problems with the files, without the folder's path.
    private func problems(_ files: [String: String]) throws -> [String] {
        try write(files)
        defer { try? FileManager.default.removeItem(at: folder) }
        return MailTexts.problems(ofFolder: folder.path).map {
            $0.replacing(folder.path + "/", with: "")
        }
    }

    private func content(
        _ texts: MailTexts, _ name: MailKind, _ language: String?,
        _ facts: MailFacts = .examples()
    ) -> MailContent {
        texts.content(of: name, facts, in: language.flatMap { LanguageTag($0) })
    }

    @Test("custom parts replace Hearth's own; missing parts stay Hearth's")
    func parts() throws {
        let texts = try texts([
            "en/invitation.subject.txt": "Come in, says {{inviter}}\n",
            "es/invitation.txt": "{{ inviter }} te llama:\r\n{{link}}\r\n", ".git/x": "",
            "en/.keep": "",
        ])
        let english = content(texts, .invitation, "en")
        let own = content(MailTexts(), .invitation, "en")
        #expect(english.subject == "Come in, says Zoë")
        #expect(english.text == own.text && english.html == own.html)
        #expect(english.unsubscribePage == own.unsubscribePage)
        let spanish = content(texts, .invitation, "es-MX")
        #expect(spanish.text == "Zoë te llama:\nhttps://family.test/sign-in?token=t\n")
        #expect(spanish.subject == content(MailTexts(), .invitation, "es").subject)
        #expect(content(texts, .signIn, "en") == content(MailTexts(), .signIn, "en"))
        #expect(content(texts, .invitation, "de").subject == "Come in, says Zoë")
    }

    @Test("a custom language can be added; a regional variety falls back to it, then to English")
    func further() throws {
        let mail = { (place: String, word: String) in
            [
                "\(place)/invitation.subject.txt": "\(word) {{family}}",
                "\(place)/invitation.txt": "{{link}} {{until}}",
                "\(place)/invitation.html": "<p>{{link}} {{family}}</p>",
            ]
        }
        let texts = try texts(
            mail("de", "Komm zu").merging(["de-AT/invitation.subject.txt": "Servus {{family}}"]) {
                $1
            })
        #expect(content(texts, .invitation, "de").subject == "Komm zu Zoë")
        #expect(content(texts, .invitation, "de-CH").text.hasSuffix(" 2026-11-25"))
        let austrian = content(texts, .invitation, "de-AT")
        #expect(austrian.subject == "Servus Zoë" && austrian.text.hasSuffix(" 2026-11-25"))
        #expect(content(texts, .signIn, "de") == content(MailTexts(), .signIn, "en"))
        #expect(Set(texts.languages.map(\.text)) == ["de", "de-AT"])
    }

    @Test("values are one line in a subject, escaped in HTML, and never expanded themselves")
    func injection() throws {
        let name = "Eve\r\nBcc: x@y.z\n<script>\"'&{{code}}"
        let texts = try texts([
            "en/sign_in.subject.txt": "{{recipient}}: {{code}}",
            "en/sign_in.txt": "{{recipient}} {{code}}",
            "en/sign_in.html":
                "<title>{{recipient}}</title><a href='{{link}}'>{{recipient}}</a>{{code}}",
        ])
        let found = content(texts, .signIn, "en", .examples(name: name))
        let line = "Eve Bcc: x@y.\u{2060}z <script>\"'&{{code}}"
        #expect(found.subject == "\(line): 123456" && found.text == "\(line) 123456")
        let shown = "Eve Bcc: x@y.\u{2060}z &lt;script&gt;&quot;&#39;&amp;{{code}}"
        let link = "https://family.test/sign-in?token=t"
        #expect(found.html == "<title>\(shown)</title><a href='\(link)'>\(shown)</a>123456")
    }

    @Test(
        "a mistake is reported with its file and line",
        arguments: [
            (
                "en/invitation.txt", "Hello\n{{link}}\n{{famly}}",
                "line 3: {{famly}} is unknown in this e-mail; did you mean {{family}}?"
            ),
            (
                "en/invitation.txt", "{{code}} {{link}}",
                "line 1: {{code}} is unknown in this e-mail."
            ),
            ("en/invitation.txt", "\n{{link}} {{family\n}}", "line 2: {{ has no }} on its line"),
            ("en/sign_in.html", "<p>{{link}}</p>", "{{code}} is missing"),
            ("es/reset.txt", "Hola", "{{link}} is missing"),
            ("en/sign_in.subject.txt", "One\nTwo", "a subject is one line of 1 to 200 characters"),
            ("en/sign_in.subject.txt", "\n", "a subject is one line"),
            (
                "en/invitation.html", "<a href=\"{{inviter}}\">{{link}}</a>",
                "line 1: {{inviter}} stands in an attribute, where only links may"
            ),
            (
                "en/invitation.html", "{{link}}\n<a href={{link}}>x</a>",
                "line 2: {{link}} stands within a tag"
            ),
            (
                "en/invitation.html", "{{link}}<p {{family}}>",
                "line 1: {{family}} stands within a tag"
            ),
            (
                "en/invitation.html", "{{link}}<STYLE>\n.{{family}}{}</style >",
                "line 2: {{family}} stands in a comment, a script or a style"
            ),
            (
                "en/invitation.html", "{{link}}<script>'{{link}}'</script>",
                "line 1: {{link}} stands in a comment, a script or a style"
            ),
            (
                "en/invitation.html", "{{link}}<!-- > {{family}} -->",
                "line 1: {{family}} stands in a comment"
            ),
            ("de/invitation.txt", "{{link}} {{greeting}}", "line 1: {{greeting}} is unknown"),
            ("en/invitaton.txt", "", "did you mean 'invitation'?"),
            ("en/invitation.md", "", "expected NAME.subject.txt, NAME.txt or NAME.html"),
        ])
    func mistakes(file: String, text: String, told: String) throws {
        let problems = try problems([file: text])
        #expect(
            problems.contains { $0.hasPrefix("\(file): ") && $0.contains(told) }, "\(problems)")
    }

    @Test("a folder not named after a language is refused, and all mistakes are reported at once")
    func folders() throws {
        let problems = try problems([
            "English/sign_in.txt": "{{code}}", "ES/sign_in.txt": "{{code}}", "notes.txt": "",
            "de/sign_in.txt": "{{code}}", "en/sign_in.txt": "{{cod}}",
        ])
        let beginnings = [
            "ES: expected a folder named after a language", "English: expected a folder",
            "notes.txt: expected a folder", "en/sign_in.txt: line 1: {{cod}}",
            "en/sign_in.txt: {{code}} is missing", "de/sign_in.html: it is missing",
            "de/sign_in.subject.txt: it is missing",
        ]
        for beginning in beginnings {
            #expect(problems.contains { $0.hasPrefix(beginning) }, "\(beginning): \(problems)")
        }
        #expect(problems.count == beginnings.count)
        #expect(
            MailTexts.problems(ofFolder: "/nonexistent")
                == ["/nonexistent: it can't be read (No such file or directory)"])
    }

    @Test("bytes that are not UTF-8 and files that are too large are refused")
    func bytes() throws {
        try write(["en/sign_in.txt": "", "en/reset.txt": ""])
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data([0xC3, 0x28]).write(to: folder.appendingPathComponent("en/sign_in.txt"))
        try Data(repeating: 65, count: 300_000)
            .write(to: folder.appendingPathComponent("en/reset.txt"))
        let problems = MailTexts.problems(ofFolder: folder.path)
        #expect(problems.contains { $0.hasSuffix("en/sign_in.txt: it is not UTF-8 text") })
        #expect(problems.contains { $0.hasSuffix("reset.txt: it is larger than 262144 bytes") })
    }

    @Test("Hearth's own texts, written as files and read again, make the same e-mails")
    func written() throws {
        var files: [String: String] = [:]
        for language in Language.allCases {
            for name in MailKind.allCases {
                for source in MailTexts.source(of: name, in: language) {
                    files["\(language.rawValue)/\(source.file)"] = source.text
                }
            }
        }
        let texts = try texts(files)
        var facts = MailFacts.examples(name: "Zoë & <Ada>")
        facts.texts[.appLink] = nil
        for language in ["en", "es"] {
            for name in MailKind.allCases {
                let own = content(MailTexts(), name, language, facts)
                #expect(content(texts, name, language, facts) == own, "\(language) \(name)")
            }
        }
    }
}
