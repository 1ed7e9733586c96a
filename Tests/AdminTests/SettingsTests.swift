import JSON
import TestSupport
import Testing

@Suite("Settings of the executables")
struct SettingsTests {
    @Test(
        "--check-config names every wrong setting at once and exits with 78",
        arguments: [
            (
                "hearth-api",
                [
                    "HEARTH_DATABASE_URL": "postgresql://u:s3cret@host:many/db",
                    "HEARTH_ISSUERS_FILE": "/nonexistent/issuers.json",
                    "HEARTH_DATABASE_POOL": "several", "HEARTH_LISTEN": "nowhere",
                    "HEARTH_TRUSTED_PROXIES": "10.0.0.0/33",
                ]
            ),
            (
                "hearth-admin",
                [
                    "HEARTH_ADMIN_DATABASE_URL": "host=a =b s3cret",
                    "HEARTH_ISSUERS_FILE": "/nonexistent/issuers.json",
                    "HEARTH_SECRET_KEY": "s3cret", "HEARTH_PUBLIC_URL": "ftp://family.test",
                ]
            ),
            (
                "hearth-worker",
                [
                    "HEARTH_WORKER_DATABASE_URL": "host=localhost port=s3cret",
                    "HEARTH_KEEP_INVITATIONS_DAYS": "few", "HEARTH_MAIL_FROM": "xx",
                    "HEARTH_MAIL_REPLY_TO": "yy", "HEARTH_OUTBOX_DIR": "/etc/passwd",
                    "HEARTH_SMTP_CA_FILE": "/nonexistent/ca.pem",
                ]
            ),
            (
                "hearth-migrate",
                [
                    "HEARTH_MIGRATE_DATABASE_URL": "s3cret",
                    "HEARTH_API_PASSWORD_FILE": "/nonexistent/password",
                ]
            ),
        ])
    func checkConfig(_ program: String, _ wrong: [String: String]) throws {
        let ending = try run(program, ["--check-config"], environment: wrong)
        #expect(ending.code == 78)
        for name in wrong.keys { #expect(ending.errors.contains(name), "\(ending.errors)") }
        #expect(!ending.errors.contains("s3cret"))
        #expect(ending.errors.contains("settings are wrong"))
    }

    /// Checks the worker's configuration, valid except for these settings.
    private func worker(_ more: [String: String]) throws -> Ending {
        let good = [
            "HEARTH_WORKER_DATABASE_URL": "host=localhost", "HEARTH_PUBLIC_URL": "https://a.test",
            "HEARTH_SECRET_KEY": "a-key-of-at-least-thirty-two-bytes",
            "HEARTH_MAIL_FROM": "hearth@example.org",
        ]
        return try run("hearth-worker", ["--check-config"], environment: good.merging(more) { $1 })
    }

    @Test(
        "a mail server may be used without TLS only if it is on this machine",
        arguments: [
            ("localhost:25", true), ("127.0.0.2", true), ("[::1]:1025", true),
            ("mail.example.org:25", false), ("10.0.0.1", false), ("127.evil.example", false),
            ("[2001:db8::1]", false), ("localhost.example.org", false),
        ])
    func plainMail(_ place: String, _ isAllowed: Bool) throws {
        let settings = ["HEARTH_SMTP_URL": "smtp://\(place)", "HEARTH_SMTP_TLS": "none"]
        let ending = try worker(settings)
        #expect(ending.code == (isAllowed ? 0 : 78), "\(ending.errors)")
        #expect(ending.errors.contains("HEARTH_SMTP_TLS: 'none' is only allowed for") != isAllowed)
        #expect(try worker(["HEARTH_SMTP_URL": "smtp://\(place)"]).code == 0)
    }

    @Test(
        "the mail server's address has a valid port or no port",
        arguments: [
            "smtp://mail:99999", "smtp://mail:0", "smtp://mail:", "smtp://mail:+25", "smtp://:25",
            "smtp://[::1", "smtp://[::1]25", "smtp://a:b:25", "mail:25",
            "smtp://bob%3Ahunter2%40mail", "smtp://mail;auth=x", "smtp://a,b",
        ])
    func mailServer(_ url: String) throws {
        let ending = try worker(["HEARTH_SMTP_URL": url])
        #expect(ending.code == 78)
        #expect(ending.errors.contains("HEARTH_SMTP_URL is invalid"))
    }

    @Test("the worker's files and folders are checked")
    func mailFiles() throws {
        let folder = try Folder()
        try folder.write("text", "no certificate")
        let server = ["HEARTH_SMTP_URL": "smtp://mail.example.org"]
        let wrong = try worker(server.merging(["HEARTH_SMTP_CA_FILE": folder.path("text")]) { $1 })
        #expect(wrong.code == 78 && wrong.errors.contains("it contains no certificate"))
        #expect(try worker(["HEARTH_OUTBOX_DIR": folder.path("new")]).code == 0)
        let deep = try worker(["HEARTH_OUTBOX_DIR": folder.path("none/new")])
        #expect(deep.code == 78 && deep.errors.contains("No such file or directory"))
        // With a mail server, the outbox is not used.
        let unused = server.merging(["HEARTH_OUTBOX_DIR": folder.path("text")]) { $1 }
        #expect(try worker(unused).code == 0)
    }

    @Test("each program reports mistakes in e-mail texts with file and line")
    func mailTexts() throws {
        let folder = try Folder()
        let texts = folder.path("texts")
        let written = try run("hearth-admin", ["mail", "texts", texts])
        #expect(written.code == 0, "\(written.errors)")
        let good = [
            "HEARTH_WORKER_DATABASE_URL": "host=localhost", "HEARTH_DATABASE_URL": "host=localhost",
            "HEARTH_ADMIN_DATABASE_URL": "host=localhost", "HEARTH_PUBLIC_URL": "https://a.test",
            "HEARTH_SECRET_KEY": "a-key-of-at-least-thirty-two-bytes",
            "HEARTH_MAIL_TEMPLATES": texts,
        ]
        for program in ["hearth-worker", "hearth-admin"] {
            let ending = try run(program, ["--check-config"], environment: good)
            #expect(ending.code == 0, "\(ending.errors)")
        }
        let again = try run("hearth-admin", ["mail", "texts", texts])
        #expect(again.code == 1 && again.errors.contains("File exists"))
        try folder.write("texts/es/reset.txt", "{{app}}\n{{lnk}}\n")
        try folder.write("texts/en/sign_in.html", "<p>{{code}}</p><a href=\"{{recipient}}\">x</a>")
        for program in ["hearth-api", "hearth-worker", "hearth-admin"] {
            let ending = try run(program, ["--check-config"], environment: good)
            #expect(ending.code == 78)
            for told in [
                "HEARTH_MAIL_TEMPLATES: \(texts)/es/reset.txt: line 2: {{lnk}} is unknown",
                "did you mean {{link}}?", "es/reset.txt: {{link}} is missing",
                "en/sign_in.html: line 1: {{recipient}} stands in an attribute",
            ] {
                #expect(ending.errors.contains(told), "\(program): \(ending.errors)")
            }
        }
    }

    @Test("a wrong issuers file is reported with its setting's name and exits with 78")
    func issuers() throws {
        let folder = try Folder()
        try folder.write("issuers.json", #"[{"issuer": "x"}, {"kind": "other"}]"#)
        let environment = [
            "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
            "HEARTH_ADMIN_DATABASE_URL": "host=localhost", "HEARTH_DATABASE_URL": "host=localhost",
        ]
        for words in [["--check-config"], ["issuers", "apply"]] {
            let ending = try run("hearth-admin", words, environment: environment)
            #expect(ending.code == 78)
            #expect(
                ending.errors.contains("HEARTH_ISSUERS_FILE: \(folder.path("issuers.json")): "))
        }
        #expect(try run("hearth-api", [], environment: environment).code == 78)
    }

    /// Files of purposes with mistakes, and the report of each mistake.
    static let purposes: [(text: String, told: [String])] = [
        (
            """
            [{"purpose": "profile",
              "title": "Ü", "version": }]
            """, ["Not valid JSON in line 2, column 28: expected a value"]
        ),
        ("{}", ["The document must be an array, found an object"]),
        (
            #"[{"purpose": "Profile", "version": "1 2", "requird": true, "title": ""}]"#,
            [
                "`[0].requird` is unknown; known are purpose, version, for, required, refuses, title, text",
                "`[0].purpose` must be 1 to 63 of a-z, 0-9, _ and -, a letter first",
                "`[0].version` must be 1 to 64 visible ASCII characters",
                "`[0].title` must be a text, or a text for each language",
                "`[0].text` is missing: expected a text, or a text for each language",
            ]
        ),
        (
            """
            [{"purpose": "news", "version": "1", "title": "News", "text": {"en": "Letters."}},
             {"purpose": "news", "version": "2", "required": "yes", "title": {}, "text": "x"},
             {"purpose": "news", "version": "2", "title": "News", "text": "x"}]
            """,
            [
                "`[1].required` must be a boolean, found a string",
                "`[1].title` must be a text, or a text for each language",
                "`[2].purpose` is a duplicate",
            ]
        ),
    ]

    @Test("hearth-api does not start with a wrong file of purposes, and reports all mistakes")
    func consents() throws {
        let folder = try Folder()
        let file = folder.path("consents.json")
        try folder.write("secret", String(repeating: "s", count: 40))
        try folder.write(
            "issuers.json",
            """
            [{"issuer": "https://i.test", "kind": "generic", "audiences": ["a"],
              "hs256SecretFile": "secret"}]
            """)
        let environment = [
            "HEARTH_CONSENTS_FILE": file, "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
            "HEARTH_DATABASE_URL": "postgresql://u@127.0.0.1:1/db",
            "HEARTH_LISTEN": "127.0.0.1:0", "HEARTH_PUBLIC_URL": "https://family.test",
            "HEARTH_SECRET_KEY": String(repeating: "k", count: 40),
        ]
        let good = #"[{"purpose": "news", "version": "1", "title": "News", "text": "Letters."}]"#
        try folder.write("consents.json", good)
        let fine = try run("hearth-api", ["--check-config"], environment: environment)
        #expect(fine.code == 0, "\(fine.errors)")
        for (text, told) in Self.purposes {
            try folder.write("consents.json", text)
            for words in [["--check-config"], []] {
                let ending = try run("hearth-api", words, environment: environment)
                #expect(ending.code == 78, "\(ending.errors)")
                // Between them is the file's path, which the log may hide as a secret.
                #expect(ending.errors.contains("HEARTH_CONSENTS_FILE: "), "\(ending.errors)")
                for sentence in told {
                    #expect(ending.errors.contains(" \(sentence)"), "\(ending.errors)")
                }
            }
        }
        let absent = environment.merging(["HEARTH_CONSENTS_FILE": folder.path("none")]) { $1 }
        let ending = try run("hearth-api", [], environment: absent)
        #expect(ending.code == 78 && ending.errors.contains("HEARTH_CONSENTS_FILE"))
        #expect(ending.errors.contains("No such file or directory"), "\(ending.errors)")
    }

    @Test(
        "an unreadable file of signing keys is reported with its setting's name",
        arguments: ["rotate", "show"])
    func signingKeys(command: String) throws {
        let ending = try run(
            "hearth-admin", ["keys", command],
            environment: ["HEARTH_SIGNING_KEYS_FILE": "/none/keys.pem"])
        #expect(ending.code == 78)
        #expect(
            ending.errors.contains(
                "HEARTH_SIGNING_KEYS_FILE: No such file or directory"))
    }

    @Test("an absent configuration file is reported alone")
    func noConfig() throws {
        let ending = try run("hearth-admin", ["--config", "/nonexistent", "user", "list"])
        #expect(ending.code == 78)
        #expect(ending.errors.contains("the configuration file '/nonexistent'"))
        #expect(!ending.errors.contains("is missing"))
    }

    @Test("a wrong command line exits with 64 and refers to --help")
    func usage() throws {
        for (words, told) in [
            (["famly", "list"], "did you mean 'family'?"), (["family"], "needs a command"),
            (["family", "show"], "FAMILY is missing"),
            (["family", "list", "--limi", "3"], "--limit"),
            (["completion"], "bash, zsh or fish"), (["completion", "tcsh"], "bash, zsh or fish"),
        ] {
            let ending = try run("hearth-admin", words)
            #expect(ending.code == 64, "\(words)")
            #expect(ending.errors.contains(told), "\(ending.errors)")
            #expect(ending.errors.contains("--help"))
        }
    }

    @Test("an unreachable database exits with 69")
    func away() throws {
        let ending = try run(
            "hearth-admin", ["family", "list"],
            environment: ["HEARTH_ADMIN_DATABASE_URL": "host=/nonexistent dbname=x user=x"])
        #expect(ending.code == 69)
        #expect(ending.errors.contains("the database can't be reached"))
    }

    @Test("the operator is taken from --operator, else from the login name")
    func operatorName() throws {
        let office = try Office()
        let id = try office.makeFamily()
        let named = try office.admin("--operator 'kim lee' family rename \(id) Gulls")
        #expect(named.code == 0)
        var environment = office.environment
        environment["HEARTH_OPERATOR"] = nil
        let unnamed = try run(
            "hearth-admin", ["family", "rename", id, "Terns"], environment: environment)
        #expect(unnamed.code == 0, "\(unnamed.errors)")
        let labels = try office.json("audit --family \(id) --action family.update")["entries"]
            .texts("actorLabel")
        #expect(labels.count == 2 && labels[1] == "operator:kim lee")
        #expect(labels[0].hasPrefix("operator:") && labels[0] != "operator:jo")
    }

    @Test("the API's own role can't be used by operators")
    func notTheAPI() throws {
        let office = try Office()
        var environment = office.environment
        environment["HEARTH_ADMIN_DATABASE_URL"] = office.database.url(as: "hearth_api")
        let ending = try run("hearth-admin", ["user", "list"], environment: environment)
        #expect(ending.code == 1)
        #expect(ending.errors.contains("permission denied"))
    }
}
