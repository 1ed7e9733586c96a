import Domain
import Mail
import Testing
import UseCases

@Suite("The texts of e-mails")
struct MailTextsTests {
    private func content(
        _ name: MailKind, _ language: String?, _ facts: MailFacts = .examples()
    ) -> MailContent {
        MailTexts().content(of: name, facts, in: language.flatMap { LanguageTag($0) })
    }

    @Test(
        "each e-mail exists in each language, with its code and its link",
        arguments: MailKind.allCases)
    func languages(name: MailKind) {
        let (english, spanish) = (content(name, "en"), content(name, "es"))
        #expect(english.subject != spanish.subject && english.text != spanish.text)
        for (text, tag) in [(english, "en"), (spanish, "es")] {
            #expect(text.html.contains("<html lang=\"\(tag)\">"))
            for body in [text.text, text.html] {
                #expect(!body.contains("{{") && !body.contains("}}"))
                #expect(body.contains("The Gulls") && body.contains("zoe@example.org"))
                if name.needed.contains(.code) { #expect(body.contains("123456")) }
                if name.needed.contains(.link) {
                    #expect(body.contains("https://family.test/sign-in?token=t"))
                }
            }
            #expect((text.unsubscribePage != nil) == (name == .invitation))
        }
        let words = ["account", "child", "please", "minutes", "because"]
        #expect(words.allSatisfy { !spanish.text.lowercased().contains($0) }, "\(spanish.text)")
    }

    @Test(
        "a text is in the language of the tag, or in English if that language is missing",
        arguments: [
            ("es", "Zoë te invita a unirte a Zoë"), ("es-MX", "Zoë te invita a unirte a Zoë"),
            ("en-GB", "Zoë invites you to join Zoë"), ("de", "Zoë invites you to join Zoë"),
            (nil, "Zoë invites you to join Zoë"),
        ])
    func tags(tag: String?, subject: String) {
        #expect(content(.invitation, tag).subject == subject)
    }

    @Test(
        "an invitation made with an API key names the app as the inviter",
        arguments: [
            ("en", "Compass invites you to join Zoë", "Someone"),
            ("es", "Compass te invita a unirte a Zoë", "Alguien"),
        ])
    func invitationByKey(language: String, sentence: String, nobody: String) {
        var facts = MailFacts.examples()
        facts.texts[.inviter] = "Compass"
        let content = content(.invitation, language, facts)
        #expect(content.subject == sentence)
        #expect(content.text.contains(sentence) && content.html.contains(sentence))
        #expect(!content.text.contains(nobody) && !content.html.contains(nobody))
        // The recipient can stop further invitations.
        #expect(content.unsubscribePage != nil)
    }

    @Test("an e-mail's button has the accent colour, on light and on dark backgrounds")
    func accent() throws {
        let accent = try AccentColors("#1d5f8a,#7cc0ea")
        for name in MailKind.allCases where name.needed.contains(.link) {
            let plain = content(name, "en").html
            let own = MailTexts().content(
                of: name, .examples(), in: LanguageTag("en"), accent: accent
            ).html
            #expect(own.contains("background:#1d5f8a;\ncolor:#fff"), "\(name)")
            #expect(own.contains("background:#7cc0ea;color:#22150c"), "\(name)")
            #expect(own.contains("class=\"b\" href="), "\(name)")
            #expect(!plain.contains("#1d5f8a") && !plain.contains("#7cc0ea"), "\(name)")
        }
    }

    @Test("dates, sides and greetings follow the language")
    func wording() {
        let english = content(.invitation, "en").text
        let spanish = content(.invitation, "es").text
        #expect(english.contains("until November 25, 2026") && english.contains("as a player"))
        #expect(spanish.contains("hasta el 25 de noviembre de 2026"))
        #expect(spanish.contains("como deportista"))
        #expect(content(.passwordChanged, "es").text.hasPrefix("Hola, Zoë:\n"))
        let nobody = content(.passwordChanged, "es", .examples(name: ""))
        #expect(nobody.text.hasPrefix("Hola:\n"))
        #expect(
            content(.invitation, "es", .examples(name: " \n")).subject
                == "Alguien te invita a unirte a una familia")
    }

    @Test(
        "a code is on a line of its own, and large in HTML",
        arguments: [MailKind.signIn, .signUp, .deletionCode, .consentCode], ["en", "es"])
    func codes(name: MailKind, language: String) {
        let content = content(name, language)
        #expect(content.text.contains("\n\n    123456\n\n"))
        #expect(content.html.contains("<p class=\"c\">123456</p>"))
        #expect(content.html.contains("font:600 32px"))
    }

    @Test("a button has the colour of the pages")
    func button() {
        #expect(content(.signIn, "en").html.contains("background:#b3471d"))
    }

    @Test(
        "e-mails about added and linked sign-ins name the provider; the latter link to the account")
    func providers() {
        var facts = MailFacts.examples()
        facts.texts[.link] = "https://family.test/account"
        for language in ["en", "es"] {
            let linked = content(.signInLinked, language, facts)
            for body in [linked.subject, linked.text, linked.html] {
                #expect(body.contains("Google"))
            }
            #expect(linked.text.contains("https://family.test/account"))
            #expect(linked.html.contains("href=\"https://family.test/account\""))
            #expect(content(.identityAdded, language).text.contains("Google"))
        }
        facts.texts[.provider] = ""
        #expect(content(.signInLinked, "en", facts).text.contains("with another provider"))
    }

    @Test(
        "an e-mail about a request, a guardianship or the seat has a button to the page for it",
        arguments: [
            MailKind.joinRequested, .requestApproved, .requestRejected, .waitingEnded,
            .requestInOtherRole, .guardianNamed, .adminChanged,
        ], ["en", "es"])
    func familyLinks(name: MailKind, language: String) {
        var facts = MailFacts.examples()
        facts.texts[.link] = "https://family.test/family?id=1"
        let content = content(name, language, facts)
        #expect(content.text.contains(":\nhttps://family.test/family?id=1\n"))
        #expect(content.html.contains("class=\"b\" href=\"https://family.test/family?id=1\""))
        #expect(!content.text.contains(" app.") && !content.text.contains("aplicación"))
    }

    @Test("an e-mail about a change without anything to do has no link")
    func changesWithoutLink() {
        for name in [MailKind.memberRemoved, .guardianReplaced, .guardianRemoved, .graduated] {
            for language in ["en", "es"] {
                #expect(!content(name, language).text.contains("https://"), "\(name)")
            }
        }
    }

    @Test("the new Parent Admin is addressed directly, and named in the e-mails to others")
    func seat() {
        var facts = MailFacts.examples()
        #expect(content(.adminChanged, "en", facts).subject.hasPrefix("Zoë is now"))
        facts.isAboutRecipient = true
        #expect(content(.adminChanged, "en", facts).subject.hasPrefix("You're now the Parent"))
        #expect(content(.adminChanged, "es", facts).subject.hasPrefix("Ahora administras"))
    }

    @Test("a name stays one line and is escaped in HTML", arguments: ["en", "es"])
    func names(language: String) {
        let facts = MailFacts.examples(name: "Eve\r\nBcc: x@y.z <b>\"&'{{code}}")
        for name in MailKind.allCases {
            let content = content(name, language, facts)
            let lines = content.subject.split(whereSeparator: \.isNewline)
            #expect(lines.count == 1)
            #expect(!content.html.contains("<b>") && !content.text.contains("\nBcc:"))
        }
        #expect(
            content(.invitation, language, facts).html
                .contains("Eve Bcc: x@y.\u{2060}z &lt;b&gt;&quot;&amp;&#39;{{code}}"))
    }

    @Test(
        "a mail program finds no link in a name",
        arguments: [
            ("Prize at https://evil.test/x", "Prize at https:\u{2060}//evil.\u{2060}test/x"),
            ("www.evil.test", "www.\u{2060}evil.\u{2060}test"),
            (
                "evil\u{3002}test, evil\u{FF0E}test",
                "evil\u{3002}\u{2060}test, evil\u{FF0E}\u{2060}test"
            ),
            ("me@evil.test", "me@evil.\u{2060}test"),
            ("evil.\u{0440}\u{0444}", "evil.\u{2060}\u{0440}\u{0444}"),
            ("tel:0900123", "tel:\u{2060}0900123"),
            ("10.0.0.1", "10.\u{2060}0.\u{2060}0.\u{2060}1"),
            ("Dr. Ada St. John Jr.", "Dr. Ada St. John Jr."), ("J.R.", "J.\u{2060}R."),
        ])
    func links(name: String, written: String) {
        let facts = MailFacts.examples(name: name)
        for mail in MailKind.allCases {
            let content = content(mail, "en", facts)
            for body in [content.subject, content.text, content.html] where name != written {
                #expect(!body.contains(name), "\(mail)")
            }
        }
        let invitation = content(.invitation, "en", facts)
        for body in [invitation.subject, invitation.text, invitation.html] {
            #expect(body.contains("\(written) invites you to join \(written)"))
        }
        // Hearth's own links stay unchanged.
        #expect(invitation.text.contains("https://family.test/sign-in?token=t"))
    }
}
