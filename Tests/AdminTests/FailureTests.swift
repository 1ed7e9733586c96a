import Foundation
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin: failures")
struct FailureTests {
    private func list(_ url: String) throws -> Ending {
        try run(
            "hearth-admin", ["family", "list"], environment: ["HEARTH_ADMIN_DATABASE_URL": url])
    }

    @Test("an unreachable database exits with 69 and gives the reason")
    func unreachable() throws {
        let ending = try list("postgresql://hearth_admin@127.0.0.1:1/hearth")
        #expect(ending.code == 69)
        #expect(ending.errors.hasPrefix("hearth-admin: the database can't be reached\n  "))
        #expect(ending.errors.contains("Connection refused"))
    }

    @Test("a role or database that the server lacks is reported as a wrong setting: exit code 78")
    func unknown() throws {
        try TestDatabase.with(.migrated) { database in
            var nowhere = database.settings(as: "hearth_admin")
            nowhere.set("dbname", "nowhere")
            let superuser = try Connection(database.settings())
            try superuser.execute(
                script: "REVOKE CONNECT ON DATABASE \(database.name) FROM PUBLIC")
            for (url, told) in [
                (database.url(as: "hearth_nobody"), "role \"hearth_nobody\" does not exist"),
                (nowhere.url, "database \"nowhere\" does not exist"),
                (database.url(as: "hearth_admin"), "permission denied for database"),
            ] {
                let ending = try list(url)
                #expect(ending.code == 78, "\(ending.errors)")
                #expect(ending.errors.contains("HEARTH_ADMIN_DATABASE_URL"))
                #expect(ending.errors.contains(told))
            }
        }
    }

    @Test("a missing password is reported as a wrong setting, with exit code 78")
    func noPassword() throws {
        let server = try PrivateServer()
        let superuser = try Connection(server.settings)
        let file = try superuser.query("SHOW hba_file").scalar(String.self)
        try superuser.execute(
            script: """
                COPY (VALUES ('local all postgres trust'), ('local all all scram-sha-256'))
                    TO '\(file)';
                SELECT pg_reload_conf()
                """)
        var settings = try server.settings
        settings.set("user", "hearth_admin")
        settings.set("passfile", "/nonexistent")
        try eventually {
            let ending = try list(settings.url)
            return ending.code == 78 && ending.errors.contains("no password supplied")
        }
    }

    @Test(
        "a change that no synchronous standby confirms exits with 75, and so does its repetition")
    func unconfirmed() throws {
        let server = try PrivateServer()
        let standby = AwayStandby(of: try server.settings)
        let database = try TestDatabase(.migrated, on: server.settings)
        func suppress() throws -> Ending {
            try run(
                "hearth-admin", ["mail", "suppress", "gone@example.com", "--operator", "ops"],
                environment: ["HEARTH_ADMIN_DATABASE_URL": database.url(as: "hearth_admin")])
        }
        try standby.set(away: true)
        for _ in 0..<2 {
            let ending = try suppress()
            #expect(ending.code == 75, "\(ending.errors)")
            #expect(ending.errors.contains("standby did not confirm"))
        }
        try standby.set(away: false)
        #expect(try suppress().code == 0)
    }

    @Test("a command whose results can't be written exits with 1, whatever the format")
    func fullDisk() throws {
        let office = try Office()
        let id = try office.makeFamily()
        for line in [
            "export \(id)", "family list", "audit --json", "family code \(id)", "rights", "--help",
        ] {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let ending = try run(
                "hearth-admin", line.split(separator: " ").map(String.init),
                environment: office.environment, output: .file(full))
            #expect(ending.code == 1, "\(line)")
            #expect(ending.errors.contains("standard output: No space left on device"))
        }
    }

    @Test("a file that can't be written completely is reported with the reason and removed")
    func fileTooLarge() throws {
        let office = try Office()
        let id = try office.makeFamily()
        let folder = try Folder()
        let limited = ["-c", #"ulimit -f 0; trap '' XFSZ; exec "$0" "$@""#]
        for (words, name) in [(["export"], "family.json"), (["family", "qr"], "code.svg")] {
            let path = folder.path(name)
            let ending = try run(
                "/bin/bash",
                limited + [programPath("hearth-admin")] + words + [id, "--output", path],
                environment: office.environment)
            #expect(ending.code == 1)
            #expect(ending.errors == "hearth-admin: \(path): File too large\n")
        }
        #expect(try folder.names().isEmpty)
    }

    @Test("a wrong role or schema is reported with a remedy")
    func wrongDatabase() throws {
        try TestDatabase.with(.migrated) { database in
            let wrongRole = try list(database.url(as: "hearth_api"))
            #expect(wrongRole.code == 1 && wrongRole.errors.contains("the role hearth_admin"))
            #expect(!wrongRole.errors.contains("SELECT"))
        }
        try TestDatabase.with(.empty) { database in
            let empty = try list(database.url(as: "hearth_admin"))
            #expect(empty.code == 1 && empty.errors.contains("hearth-migrate up"))
        }
    }

    @Test("a missing or wrong argument exits with 64 and names the expected one")
    func words() throws {
        let office = try Office()
        for (line, told) in [
            ("family show", "FAMILY is missing: expected the id, the code or the name of a family"),
            ("user show", "USER is missing: expected the id or the e-mail address of a person"),
            ("family create", "--owner USER is missing: expected the id or the e-mail address"),
            ("family transfer-admin x", "MEMBER is missing: expected the id, the e-mail address"),
            ("managed reassign x", "CHILD is missing: expected the id or the name of a child"),
            ("job show", "JOB is missing: expected the number of a job"),
        ] {
            let ending = try office.admin(line)
            #expect(ending.code == 64 && ending.errors.contains(told), "\(line): \(ending.errors)")
        }
    }

    @Test("an absent person or job, or a change made earlier, is reported with the next step")
    func notFound() throws {
        let office = try Office()
        let id = try office.makeFamily()
        for (line, told) in [
            ("member add \(id) nobody@example.com", "not signed in yet can be invited"),
            ("family transfer-admin \(id) Ann --yes", "is the Parent Admin already"),
            (
                "job show 7",
                "There is no job 7. [job_not_found]\n  Finished jobs are not listed."
            ),
        ] {
            let ending = try office.admin(line)
            #expect(ending.code == 1 && ending.errors.contains(told), "\(line): \(ending.errors)")
        }
    }

    @Test("the doctor prints each finding in full with its remedy")
    func findings() throws {
        let office = try Office()
        let id = try office.makeFamily()
        try office.breakingRules(
            "UPDATE app.family_members SET slot = 60 WHERE user_id = '\(Office.cy)'")
        let ending = try office.admin("doctor")
        #expect(ending.code == 1)
        #expect(ending.output.contains(": family \(id)"))
        #expect(ending.output.contains("\n  -> hearth-admin doctor --fix\n"))
    }
}
