import Postgres
import TestSupport
import Testing

@Suite("Database connections")
struct ConnectionTests {
    private struct Everything: RowDecodable, Equatable {
        let flag: Bool
        let small: Int16
        let medium: Int32
        let large: Int64
        let number: Double
        let text: String
        let id: UInt128
        let bytes: PostgresBytes
        let time: PostgresTimestamp
        let document: PostgresJSON
        let ids: [UInt128]
        let texts: [String]
        let none: String?

        static let row = RowDecoder(Self.init)

        static let echo = Statement<
            Everything, Bool, Int16, Int32, Int64, Double, String, UInt128, PostgresBytes,
            PostgresTimestamp, PostgresJSON, [UInt128], [String], String?
        >("SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13")
    }

    private func connect(_ change: (inout ConnectionSettings) -> Void = { _ in }) throws
        -> Connection
    {
        var settings = try TestDatabase.cluster()
        change(&settings)
        return try Connection(settings)
    }

    @Test(
        "every type is returned as it was bound, prepared or not",
        arguments: [true, false])
    func everyType(prepares: Bool) throws {
        let connection = try connect { $0.preparesStatements = prepares }
        for _ in 0..<2 {
            let row = try #require(
                try connection.run(
                    Everything.echo, true, -2, 70_000, .min, -0.5, "grüße 👪 '\u{0301}", 1 << 127,
                    PostgresBytes([0, 255]), PostgresTimestamp(microsecondsSince2000: -1),
                    PostgresJSON(utf8: Array(#"{"a": 1}"#.utf8)), [7, .max], ["", "x,{}\"\\"],
                    nil
                ).first)
            #expect(row.flag && row.small == -2 && row.medium == 70_000 && row.large == .min)
            #expect(row.number == -0.5 && row.text == "grüße 👪 '\u{0301}" && row.id == 1 << 127)
            #expect(row.bytes.bytes == [0, 255] && row.time.microsecondsSince2000 == -1)
            #expect(row.document.utf8 == Array(#"{"a": 1}"#.utf8))
            #expect(row.ids == [7, .max] && row.texts == ["", "x,{}\"\\"] && row.none == nil)
        }
    }

    @Test("empty values and empty arrays are bound as such, not as null")
    func emptyValues() throws {
        let rows = try connect().query(
            "SELECT \("") = '', \([String]()) = '{}'::text[], \(PostgresBytes([])) IS NULL")
        let row = try rows.map { (row) throws(PostgresError) in
            [try row.read(Bool.self), try row.read(), try row.read()]
        }
        #expect(row == [[true, true, false]])
    }

    @Test("the hosts of a list become separate connection settings")
    func settingsPerHost() throws {
        let list = "host=a,b port=1,2 dbname=c target_session_attrs=read-write"
        let apart = try ConnectionSettings(url: list).settingsPerHost.map(\.parameters)
        #expect(
            apart == [
                ["host": "a", "port": "1", "dbname": "c"],
                ["host": "b", "port": "2", "dbname": "c"],
            ])
        let onePort = try ConnectionSettings(url: "postgresql://x@a,b,d/c").settingsPerHost
        #expect(onePort.map { $0.parameters["host"] } == ["a", "b", "d"])
        let one = try ConnectionSettings(url: "host=a port=7").settingsPerHost
        #expect(one.map(\.parameters) == [["host": "a", "port": "7"]])
    }

    @Test("a value that looks like SQL stays a value")
    func injection() throws {
        let evil = "'; DROP TABLE users; --"
        #expect(try connect().query("SELECT \(evil)").scalar() == evil)
        #expect(SQL.quoted(identifier: "a\"b") == "\"a\"\"b\"")
        let backslash = #"\'; SELECT 1"#
        #expect(
            try connect().query(SQL(unsafe: "SELECT \(SQL.quoted(literal: backslash))"))
                .scalar() == backslash)
    }

    @Test("reading a column of an unexpected type throws an error that names the column")
    func wrongType() throws {
        let rows = try connect().query("SELECT 1::int8 AS one")
        let error = #expect(throws: PostgresError.self) { try rows.scalar(String.self) }
        #expect(error?.code == .decoding && error?.message.contains("one") == true)
    }

    @Test("reading null as a non-optional value throws an error")
    func unexpectedNull() throws {
        let rows = try connect().query("SELECT NULL::int8")
        let error = #expect(throws: PostgresError.self) { try rows.scalar(Int.self) }
        #expect(error?.code == .decoding)
        #expect(try rows.scalar(Int?.self) == nil)
    }

    @Test("a server error carries its fields for logs and shows none of them to clients")
    func errorFields() throws {
        let connection = try connect()
        try connection.execute(
            script: "CREATE TEMP TABLE t (secret_column int CONSTRAINT positive CHECK (false))")
        let error = try #require(
            #expect(throws: PostgresError.self) {
                try connection.query("INSERT INTO t VALUES (\(Int32(42)))")
            })
        #expect(error.sqlState == "23514" && error.constraint == "positive")
        #expect(error.server?.table == "t" && error.code == .server)
        #expect(error.debugDescription.contains("ConnectionTests.swift"))
        #expect(error.debugDescription.contains("INSERT INTO t"))
        #expect(!error.debugDescription.contains("42)"))
        for word in ["positive", "23514", "INSERT", "t.", "Connection"] {
            #expect(!error.description.contains(word))
        }
        #expect(try connection.query("SELECT 1::int8").scalar(Int.self) == 1)
    }

    @Test("a statement past its deadline is cancelled on the server and breaks the connection")
    func deadline() throws {
        let connection = try connect()
        let id = Int(connection.backendProcessID)
        let error = #expect(throws: PostgresError.self) {
            try connection.query(
                "SELECT pg_sleep(600)", deadline: .after(seconds: 2))
        }
        #expect(error?.code == .deadlineExceeded && connection.isBroken)
        let next = #expect(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(next?.code == .connectionLost)
        let observer = try connect()
        try eventually {
            try observer.query(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(id) AND state = 'active'"
            ).scalar(Int.self) == 0
        }
    }

    @Test("another thread can cancel the running statement, and the connection stays usable")
    func cancel() throws {
        let connection = try connect()
        let id = Int(connection.backendProcessID)
        let canceller = connection.canceller
        let observerSettings = try TestDatabase.cluster()
        let cancelling = inBackground {
            let observer = try Connection(observerSettings)
            try eventually {
                try observer.query(
                    "SELECT count(*) FROM pg_stat_activity WHERE pid = \(id) AND wait_event = 'PgSleep'"
                ).scalar(Int.self) == 1
            }
            try canceller.cancel()
        }
        let error = #expect(throws: PostgresError.self) {
            try connection.query("SELECT pg_sleep(600)")
        }
        try cancelling.wait()
        #expect(error?.sqlState == .queryCanceled && !connection.isBroken)
        #expect(try connection.query("SELECT 1::int8").scalar(Int.self) == 1)
    }

    @Test("a backend terminated during a statement is reported as a lost connection")
    func terminated() throws {
        let connection = try connect()
        let error = #expect(throws: PostgresError.self) {
            try connection.query("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        #expect(error?.code == .connectionLost && error?.sqlState == "57P01")
        #expect(connection.isBroken)
    }

    @Test("connecting to an unreachable server throws a clear error that omits the password")
    func unreachable() throws {
        let settings = try ConnectionSettings(
            url: "postgresql://someone:hidden-word@127.0.0.1:1/nowhere")
        let error = try #require(#expect(throws: PostgresError.self) { try Connection(settings) })
        #expect(error.code == .connectionFailed)
        #expect(!error.debugDescription.contains("hidden-word"))
        #expect(!settings.summary.contains("hidden-word"))
    }

    @Test("parsing a malformed connection string throws an error that omits its values")
    func badURL() throws {
        let error = try #require(
            #expect(throws: PostgresError.self) {
                try ConnectionSettings(
                    url: "postgresql://u:hidden-word@host:1?nonsense=hidden-word")
            })
        #expect(error.code == .settings && !error.debugDescription.contains("hidden-word"))
    }

    @Test("unreachable hosts of a list are skipped")
    func severalHosts() throws {
        let connection = try connect { settings in
            let host = settings.parameters["host"] ?? ""
            let port = settings.parameters["port"] ?? "5432"
            settings.set("host", "127.0.0.1,\(host)")
            settings.set("port", "1,\(port)")
            settings.set("target_session_attrs", "read-write")
        }
        #expect(try connection.query("SELECT 1::int8").scalar(Int.self) == 1)
    }

    @Test("the host of a list that last accepted writes is tried first the next time")
    func remembersHost() throws {
        let curt = try CurtServer()
        var settings = try TestDatabase.cluster()
        let host = settings.parameters["host"] ?? ""
        settings.set("host", "127.0.0.1,\(host)")
        settings.set("port", "\(curt.port),\(settings.parameters["port"] ?? "5432")")
        settings.set("sslmode", "disable")
        settings.set("gssencmode", "disable")
        // Without a requirement on the server, the first host that answers is taken.
        _ = try Connection(settings)
        _ = try Connection(settings)
        #expect(curt.countCallers() == 2)
        settings.set("target_session_attrs", "read-write")
        _ = try Connection(settings)
        #expect(curt.countCallers() == 1)
        let copy = settings
        for _ in 1...3 { _ = try Connection(copy) }
        #expect(curt.countCallers() == 0)
    }

    @Test("a notice from the server reaches the connection's receiver")
    func notices() throws {
        let connection = try connect()
        var seen: [Notice] = []
        connection.onNotice = { seen.append($0) }
        try connection.execute(script: "DO $$ BEGIN RAISE NOTICE 'hello'; END $$")
        #expect(seen.map(\.message) == ["hello"] && seen.map(\.severity) == ["NOTICE"])
    }

    @Test("a script stops at its first error, which is returned")
    func script() throws {
        let connection = try connect()
        try connection.execute(script: "CREATE TEMP TABLE s (n int); INSERT INTO s VALUES (1)")
        let error = #expect(throws: PostgresError.self) {
            try connection.execute(
                script: "INSERT INTO s VALUES (2); SELECT 1/0; INSERT INTO s VALUES (3)")
        }
        #expect(error?.sqlState == "22012")
        #expect(try connection.query("SELECT count(*) FROM s").scalar(Int.self) == 1)
    }

    @Test("a script that starts a COPY is refused instead of hanging")
    func scriptWithCopy() throws {
        let connection = try connect()
        #expect(throws: PostgresError.self) {
            try connection.execute(script: "CREATE TEMP TABLE c (n int); COPY c FROM STDIN")
        }
        #expect(connection.isBroken)
    }

    @Test("decoders and the server agree on the columns of a statement")
    func expectations() throws {
        let expected = Everything.expectedColumns
        let described = try connect().describe(
            Everything.echo.text, parameterTypes: Everything.echo.parameterTypes)
        #expect(described.parameters == Everything.echo.parameterTypes)
        #expect(expected.count == described.columns.count)
        for (column, expectation) in zip(described.columns, expected) {
            #expect(expectation.types.contains(column.type))
        }
        #expect(expected.last?.allowsNull == true && expected.first?.allowsNull == false)
    }

    @Test("settings of plans are startup options beside those of the URL, and outlast a reset")
    func planOptions() throws {
        let database = try TestDatabase(.empty)
        func shown(_ settings: ConnectionSettings) throws -> String {
            let connection = try Connection(settings)
            try connection.execute(script: "DISCARD ALL")
            return try connection.query(
                """
                SELECT concat_ws(' ', current_setting('plan_cache_mode'), current_setting('jit'),
                    current_setting('statement_timeout'))
                """
            ).scalar(String.self)
        }
        var settings = database.settings()
        settings.set("options", "-c statement_timeout=7s -c jit=on")
        #expect(try shown(settings) == "auto on 7s")
        settings.compilesStatements = false
        #expect(try shown(settings) == "auto off 7s")
        settings.plans = .generic
        #expect(try shown(settings) == "force_generic_plan off 7s")
        settings.preparesStatements = false
        #expect(try shown(settings) == "auto on 7s")
        try database.drop()
    }

    @Test(
        "connecting to a pooler that refuses a startup parameter throws an error with advice",
        .enabled(if: PgBouncer.isInstalled))
    func refusedParameter() throws {
        let database = try TestDatabase(.empty)
        let pooler = try PgBouncer(database.settings())
        var settings = try pooler.settings(database.settings())
        settings.plans = .generic
        settings.poolerAdvice = "turn prepared statements off"
        let error = #expect(throws: PostgresError.self) { try Connection(settings) }
        #expect(error?.code == .connectionFailed)
        #expect(error?.message.contains("unsupported startup parameter") == true)
        #expect(error?.message.hasSuffix("(turn prepared statements off)") == true)
        settings.preparesStatements = false
        _ = try Connection(settings)
        try database.drop()
    }

    @Test(
        "a statement is described correctly even if other clients share the pooler's sessions",
        .enabled(if: PgBouncer.isInstalled))
    func describedBehindPooler() throws {
        let database = try TestDatabase(.empty)
        let pooler = try PgBouncer(database.settings())
        let settings = try pooler.settings(database.settings())
        _ = try onThreads(6) { thread in
            let connection = try Connection(settings)
            for _ in 0..<50 {
                let described = try connection.describe(
                    "SELECT 1 AS c\(thread)", parameterTypes: [])
                #expect(described.columns.map(\.name) == ["c\(thread)"])
            }
        }.map { try $0.get() }
        try database.drop()
    }
}
