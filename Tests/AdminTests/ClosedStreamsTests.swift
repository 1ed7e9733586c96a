import Foundation
import JSON
import TestSupport
import Testing

/// Runs programs with closed standard streams, as a shell does with `>&-`. A connection must not
/// get the descriptor of a closed stream.
@Suite("Programs with closed standard streams")
struct ClosedStreamsTests {
    @Test("a closed standard output fails the command after its change and audit entry are made")
    func output() throws {
        let office = try Office()
        let id = try office.makeFamily()
        let before = try office.json("family code \(id)")["code"].string()
        for words in [
            ["export", id], ["family", "list"], ["family", "code", id, "--regenerate", "--yes"],
        ] {
            let ending = try run(
                "hearth-admin", words, environment: office.environment, output: .closed)
            #expect(ending.code == 1, "\(words)")
            #expect(
                ending.errors.hasPrefix("hearth-admin: standard output: Bad file descriptor"),
                "\(words): \(ending.errors)")
        }
        #expect(try office.json("family code \(id)")["code"].string() != before)
    }

    @Test("a command that writes no results works with all streams closed")
    func others() throws {
        let office = try Office()
        let id = try office.makeFamily()
        let folder = try Folder()
        let ending = try run(
            "hearth-admin", ["export", id, "--output", folder.path("family.json")],
            environment: office.environment, input: .closed, output: .closed, errors: .closed)
        #expect(ending.code == 0)
        let document = try folder.read("family.json")
        #expect(try JSONField(JSONValue(parsing: Array(document.utf8)))["version"].integer() == 1)
        let listed = try run(
            "hearth-admin", ["family", "list"], environment: office.environment, input: .closed,
            errors: .closed)
        #expect(listed.code == 0 && listed.output.contains(id))
    }

    @Test("hearth-migrate applies every migration although standard output is closed")
    func migrations() throws {
        let folder = try Folder()
        try folder.write("0001_a.sql", "CREATE TABLE public.a (b int);")
        try folder.write("0002_c.sql", "CREATE TABLE public.c (d int);")
        let database = try TestDatabase(.empty)
        defer { try? database.drop() }
        let ending = try run(
            "hearth-migrate",
            ["up", "--dir", folder.path("."), "--database-url", database.url()], output: .closed)
        #expect(ending.code == 1)
        #expect(ending.errors.hasSuffix("standard output: Bad file descriptor\n"))
        let status = try run(
            "hearth-migrate",
            ["status", "--dir", folder.path("."), "--database-url", database.url()])
        #expect(status.code == 0, "\(status.output)")
    }

    @Test("hearth-worker works with all streams closed and opens /dev/null in their place")
    func service() throws {
        let office = try Office()
        let folder = try Folder()
        let ending = try run(
            "hearth-worker", [],
            environment: office.environment.merging([
                "HEARTH_WORKER_DATABASE_URL": office.database.url(as: "hearth_worker"),
                "HEARTH_OUTBOX_DIR": folder.path("outbox"),
            ]) { $1 },
            input: .closed, output: .closed, errors: .closed
        ) { id in
            try eventually {
                try office.scalar(
                    """
                    SELECT EXISTS (SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND application_name = 'hearth-worker')
                    """)
            }
            for number in 0...2 {
                let target = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(id)/fd/\(number)")
                #expect(target == "/dev/null", "\(number)")
            }
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0)
    }
}
