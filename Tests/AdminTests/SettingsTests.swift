import JSON
import TestSupport
import Testing

@Suite("Settings of the executables")
struct SettingsTests {
    @Test(
        "--check-config tells every wrong setting at once, by name, and ends with 78",
        arguments: [
            (
                "hearth-api",
                [
                    "HEARTH_DATABASE_URL": "postgresql://u:s3cret@host:many/db",
                    "HEARTH_ISSUERS_FILE": "/nonexistent/issuers.json",
                    "HEARTH_DATABASE_POOL": "several", "HEARTH_LISTEN": "nowhere",
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
                    "HEARTH_KEEP_INVITATIONS_DAYS": "few",
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
        #expect(ending.errors.contains("settings are not as expected"))
    }

    @Test("an issuers file that can't be used is told by its setting, and ends with 78")
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

    @Test("of a configuration file that is not there only that is told")
    func noConfig() throws {
        let ending = try run("hearth-admin", ["--config", "/nonexistent", "user", "list"])
        #expect(ending.code == 78)
        #expect(ending.errors.contains("the configuration file '/nonexistent'"))
        #expect(!ending.errors.contains("is missing"))
    }

    @Test("what can't be understood ends with 64 and tells where help is")
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

    @Test("a database that is away is told as such, and ends with 69")
    func away() throws {
        let ending = try run(
            "hearth-admin", ["family", "list"],
            environment: ["HEARTH_ADMIN_DATABASE_URL": "host=/nonexistent dbname=x user=x"])
        #expect(ending.code == 69)
        #expect(ending.errors.contains("the database can't be reached"))
    }

    @Test("the operator is who says so, else who is logged in")
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

    @Test("the API's own role is no operator's")
    func notTheAPI() throws {
        let office = try Office()
        var environment = office.environment
        environment["HEARTH_ADMIN_DATABASE_URL"] = office.database.url(as: "hearth_api")
        let ending = try run("hearth-admin", ["user", "list"], environment: environment)
        #expect(ending.code == 1)
        #expect(ending.errors.contains("permission denied"))
    }
}
