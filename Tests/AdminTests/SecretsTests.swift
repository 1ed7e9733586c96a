import Foundation
import FamilySettings
import TestSupport
import Testing

/// Gives every setting a misplaced secret, and searches all output of each program for the secret.
@Suite("Secrets in what programs print")
struct SecretsTests {
    private static let marker = "Hu9terTw0"
    private static let programs = ["hearth-api", "hearth-worker", "hearth-admin", "hearth-migrate"]

    /// Values that contain the secret by mistake.
    static let misplaced = [
        "postgresql://user:\(marker)@host:many/db", "postgresql:/user:\(marker)@host/db",
        "postgresql://user:\(marker)@@host/db", "postgresql://user:a@\(marker)@host/db",
        "postgresql://user:12/\(marker)@host/db", "postgresql://user:a%zz\(marker)@host/db",
        "postgresql://user:12?\(marker)@host/db", "postgresql://user:pw@[\(marker)/db",
        "postgresql://user:\(marker)/db", "user:\(marker)@host:5432/db",
        "host=h user=u password=\(marker) port=x", "host=h password=a \(marker) dbname=d",
        "host=h password='\(marker)", "host=h pasword=\(marker)", "password=\(marker)",
        "smtp://user:\(marker)@mail.example.org:587", "smtps://user:\(marker)@mail:x",
        "smtp://\(marker)@mail", "smtp://user:\(marker)", "smtp:user:\(marker)@mail:587",
        "smtp://mail?password=\(marker)", "https://user:\(marker)@family.example.org",
        "https://user:\(marker)", "ftp://user:\(marker)@host", "\(marker)=",
        "-----BEGIN PRIVATE KEY-----\n\(marker)\n-----END PRIVATE KEY-----\n",
    ]

    /// Names of the settings that are secrets or may contain one.
    private static let secretSettings = HearthSettings.all.map(\.declaration)
        .filter { $0.isSecret }.map(\.name)

    private func check(
        _ program: String, _ words: [String], _ environment: [String: String] = [:]
    ) throws {
        let ending = try run(program, words, environment: environment)
        let told = ending.output + ending.errors
        #expect(!told.contains(Self.marker), "\(program) \(words): \(told)")
        #expect(!told.isEmpty)
    }

    @Test("an error about any setting never repeats a misplaced secret", arguments: misplaced)
    func settings(value: String) throws {
        let names = HearthSettings.all.map(\.declaration.name)
        let folder = try Folder()
        try folder.write("secret", value + "\n")
        let lines = names.map { "\($0)=\(value)" } + [value, "\(value)=x", "\(value)=x"]
        try folder.write("hearth.conf", lines.joined(separator: "\n"))
        let files = Self.secretSettings.map { ($0 + "_FILE", folder.path("secret")) }
        for program in Self.programs {
            let check = ["--check-config"]
            let given = names.map { ($0, value) }
            try self.check(program, check, Dictionary(uniqueKeysWithValues: given))
            try self.check(program, check, Dictionary(uniqueKeysWithValues: files))
            try self.check(program, check + ["--config", folder.path("hearth.conf")])
        }
    }

    @Test("an error never repeats a secret given alone or as a file name")
    func bare() throws {
        let names = Self.secretSettings + ["HEARTH_SMTP_URL"]
        let folder = try Folder()
        try folder.write("hearth.conf", names.map { "\($0)_FILE=\(Self.marker)\n" }.joined())
        for program in Self.programs {
            for suffix in ["", "_FILE"] {
                let given = names.map { ($0 + suffix, Self.marker) }
                try check(
                    program, ["--check-config"], Dictionary(uniqueKeysWithValues: given))
            }
            try check(program, ["--check-config", "--config", folder.path("hearth.conf")])
        }
    }

    @Test("settings are shown without their secrets")
    func shown() throws {
        let folder = try Folder()
        try folder.write("s", String(repeating: Self.marker, count: 4))
        try folder.write(
            "issuers.json",
            """
            [{"issuer": "https://i.test", "kind": "generic", "audiences": ["a"],
              "hs256SecretFile": "s"}]
            """)
        var good = [
            "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
            "HEARTH_PUBLIC_URL": "https://family.test", "HEARTH_MAIL_FROM": "a@b.test",
            "HEARTH_SMTP_URL": "smtps://mail.test", "HEARTH_SMTP_USER": Self.marker,
            "HEARTH_SECRET_KEY": String(repeating: Self.marker, count: 4),
        ]
        for name in Self.secretSettings where good[name] == nil {
            good[name] =
                name.hasSuffix("_URL")
                ? "postgresql://u:\(Self.marker)@127.0.0.1:1/db" : Self.marker
        }
        for program in Self.programs {
            try check(program, ["--check-config"], good)
            try check(program, ["--help"], good)
            try check(program, ["--man"], good)
            let ending = try run(program, ["--check-config"], environment: good)
            #expect(ending.code == 0 && ending.output.contains("=(secret)"), "\(ending.errors)")
        }
        // A database that can't be reached.
        for host in ["127.0.0.1:1", "host.invalid", "a.invalid,b.invalid"] {
            let url = "postgresql://u:\(Self.marker)@\(host)/db"
            good["HEARTH_ADMIN_DATABASE_URL"] = url
            good["HEARTH_MIGRATE_DATABASE_URL"] = url
            try check("hearth-admin", ["doctor"], good)
            try check("hearth-migrate", ["status"], good)
            try check("hearth-migrate", ["status", "--database-url", url])
        }
    }

    @Test("an error about the command line never repeats a secret in it", arguments: misplaced)
    func words(value: String) throws {
        let lines = [
            ["hearth-migrate", "status", "--database-url", value],
            ["hearth-migrate", "status", value], ["hearth-migrate", value],
            ["hearth-migrate", "up", "--lock-wait", value],
            ["hearth-migrate", "status", "--json=\(value)"], ["hearth-worker", value],
            ["hearth-api", "--check-config", "--config", value],
            ["hearth-api", "--completion", value], ["hearth-admin", "doctor", value],
        ]
        for line in lines { try check(line[0], Array(line.dropFirst())) }
    }

    @Test("an error never repeats keys given instead of their file's name")
    func keysForName() throws {
        for command in ["show", "rotate"] {
            try check(
                "hearth-admin", ["keys", command],
                ["HEARTH_SIGNING_KEYS_FILE": "MIGHAgEAMBMG/\(Self.marker)"])
        }
    }

    @Test("an error never repeats contents of the issuers file or of the files it names")
    func issuers() throws {
        let folder = try Folder()
        let marker = Self.marker
        let fields = [
            #""hs256SecretFile": "\#(marker)""#, #""hs256SecretFile": ["\#(marker)"]"#,
            #""hs256SecretFile": "/run/\#(marker)""#, #""hs256SecretFile": "short""#,
            #""hs256Secret": "\#(marker)""#, #""jwksFile": "keys""#, #""jwksFile": "text""#,
            #""jwksURL": "https://user:\#(marker)@keys.test/""#,
            #""jwksURL": "http://keys.test/?key=\#(marker)""#, #""tokenUse": "\#(marker)""#,
            #""primary": "\#(marker)""#, #""jwksURL": "\#(marker)""#,
        ]
        try folder.write("short", marker)
        try folder.write("text", "{\(marker)")
        try folder.write(
            "keys",
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "d": "\#(marker)", "x": "\#(marker)"}, "#
                + #"{"kty": "oct", "k": "\#(marker)"}, {"kty": "\#(marker)"}, "\#(marker)", "#
                + #"{"kty": "RSA", "n": "\#(marker)", "e": "\#(marker)", "kid": ["\#(marker)"]}]}"#)
        for field in fields {
            try folder.write(
                "issuers.json",
                #"[{"issuer": "https://i.test", "kind": "generic", "audiences": ["a"], \#(field)}]"#
            )
            for program in ["hearth-api", "hearth-admin"] {
                try check(
                    program, ["--check-config"],
                    [
                        "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
                        "HEARTH_ADMIN_DATABASE_URL": "host=h", "HEARTH_DATABASE_URL": "host=h",
                    ])
            }
        }
    }

    @Test("a client of an issuer without a sign-in page is refused, one without effect is reported")
    func clients() throws {
        let folder = try Folder()
        try folder.write("secret", "the secret of the client\n")
        try folder.write(
            "keys",
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "#
                + #""x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#)
        #expect(try run("hearth-admin", ["keys", "create", folder.path("signing.pem")]).code == 0)
        func check(_ kind: String, _ more: [String: String] = [:]) throws -> Ending {
            try folder.write(
                "issuers.json",
                #"[{"issuer": "https://i.test", "kind": "\#(kind)", "audiences": ["web"], "#
                    + #""jwksFile": "keys", "clientID": "web", "clientSecretFile": "secret", "#
                    + #""name": "Gull"}]"#)
            let environment = [
                "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
                "HEARTH_DATABASE_URL": "host=h", "HEARTH_PUBLIC_URL": "https://family.test",
                "HEARTH_SECRET_KEY": String(repeating: "k", count: 32),
            ]
            return try run(
                "hearth-api", ["--check-config"], environment: environment.merging(more) { $1 })
        }
        let keys = ["HEARTH_SIGNING_KEYS_FILE": folder.path("signing.pem")]
        let refused = try check("supabase", keys)
        #expect(refused.code == 78, "\(refused.errors)")
        #expect(
            refused.errors.contains(
                "`[0].clientID` is not for the kind supabase, which has no sign-in page"),
            "\(refused.errors)")
        let warning = "warning: HEARTH_ISSUERS_FILE: clientID of https://i.test has no effect: "
        let withoutExchange = keys.merging(["HEARTH_SIGN_IN": "email"]) { $1 }
        for settings in [[:], withoutExchange] {
            let unused = try check("generic", settings)
            #expect(unused.code == 0 && unused.output.contains(warning), "\(unused)")
        }
        let used = try check("generic", keys)
        #expect(used.code == 0 && !used.output.contains("has no effect"), "\(used)")
    }

    @Test("unused keys in a key file cause a warning")
    func ignoredKeys() throws {
        let folder = try Folder()
        try folder.write(
            "keys",
            #"{"keys": [{"kty": "OKP", "crv": "Ed25519", "#
                + #""x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}, {"kty": "RSA"}]}"#)
        try folder.write(
            "issuers.json",
            #"[{"issuer": "https://i.test", "kind": "generic", "audiences": ["a"], "#
                + #""jwksFile": "keys"}]"#)
        let ending = try run(
            "hearth-api", ["--check-config"],
            environment: [
                "HEARTH_ISSUERS_FILE": folder.path("issuers.json"),
                "HEARTH_DATABASE_URL": "host=h", "HEARTH_PUBLIC_URL": "https://family.test",
                "HEARTH_SECRET_KEY": String(repeating: "k", count: 32),
            ])
        #expect(ending.code == 0)
        #expect(
            ending.output.contains(
                "warning: HEARTH_ISSUERS_FILE: a key of https://i.test is ignored: "
                    + "`keys[1].n` is missing: expected a string"), "\(ending.output)")
    }
}
