import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CommandLine
@testable import Configuration
@testable import Telemetry

/// Collects the lines that a log writes.
private final class Lines: Sendable {
    private let kept = Mutex<[String]>([])

    var all: [String] { kept.withLock { $0 } }

    func log(_ level: LogLevel = .info, _ format: Log.Format = .json) -> Log {
        // 2026-02-08T12:00:00.123Z
        Log(level: level, format: format, clock: WallClock { 1_770_552_000_123 }) { bytes in
            self.kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
    }
}

@Suite("Log")
struct LogTests {
    @Test("a line is one JSON object with time, level, message and typed fields")
    func json() throws {
        let lines = Lines()
        let id = try #require(RequestID("0f3c"))
        lines.log().info(
            "request answered",
            [
                .requestID(id), .route("GET /api/me"), .status(200),
                .duration(microseconds: 12_045),
                LogField("userId", id: 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF),
            ])
        #expect(
            lines.all == [
                #"{"time":"2026-02-08T12:00:00.123Z","level":"info","message":"request answered","#
                    + #""requestId":"0f3c","route":"GET /api/me","status":200,"#
                    + #""durationMs":12.045,"userId":"01234567-89ab-cdef-0123-456789abcdef"}"#
                    + "\n"
            ])
    }

    @Test("a line in text format has its message in one column")
    func text() throws {
        let lines = Lines()
        let log = lines.log(.debug, .text)
        log.warning("a lease was lost", [.name("mail"), .attempt(2)])
        log.debug("idle")
        #expect(
            lines.all == [
                "12:00:00.123 warning  a lease was lost  name=\"mail\" attempt=2\n",
                "12:00:00.123 debug    idle\n",
            ])
    }

    @Test("lines below the level are not written, and their fields are not created")
    func level() {
        let lines = Lines()
        let log = lines.log(.warning)
        var made = 0
        func count() -> [LogField] {
            made += 1
            return []
        }
        log.debug("a", count())
        log.info("b", count())
        #expect(made == 0 && lines.all.isEmpty)
        log.warning("c", count())
        log.error("d", count())
        #expect(made == 2 && lines.all.count == 2)
    }

    @Test("an error's text can't split a line or control a terminal")
    func escaping() {
        struct Nasty: Error, CustomDebugStringConvertible {
            let debugDescription = "a\"b\\c\nd\u{1B}[2Je\u{7F}"
        }
        for format in [Log.Format.json, .text] {
            let lines = Lines()
            lines.log(.info, format).error("failed", [.error(Nasty())])
            #expect(
                lines.all[0].hasSuffix(
                    #""a\"b\\c\nd\u001b[2Je\u007f""# + (format == .json ? "}\n" : "\n")))
        }
    }

    @Test("lines from many threads are whole, even through a full pipe")
    func threads() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let stream = Terminal(descriptor: writeEnd)
        let log = Log(level: .info, format: .json) { line in
            line.withUnsafeBufferPointer { _ = stream.write(bytes: $0) }
        }
        let reader = StartedThreads.start(1) { _ in
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1000)
            while true {
                let count = read(readEnd, &chunk, chunk.count)
                guard count > 0 else { break }
                all += chunk[..<count]
            }
            let lines = String(decoding: all, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 8 * 500)
            #expect(lines.allSatisfy { $0.hasPrefix("{\"time\"") && $0.hasSuffix("}") })
        }
        StartedThreads.start(8) { number in
            for count in 0..<500 { log.info("a line", [.attempt(number), .count(count)]) }
        }.join()
        close(writeEnd)
        reader.join()
        close(readEnd)
    }

    @Test("a pipe that nobody reads blocks no writer, and dropped lines are counted and reported")
    func unreadPipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let log = Log(level: .info, to: Terminal(descriptor: writeEnd))
        let metrics = Metrics()
        log.declareMetric(in: metrics)
        #expect(metrics.text().contains("hearth_log_lines_dropped_total 0\n"))
        let count = 40_000
        let threads = StartedThreads.start(4) { number in
            for _ in 0..<count / 4 { log.info("a line", [.attempt(number)]) }
        }
        // The threads end although nobody reads.
        threads.join()
        log.flush(withinSeconds: 0.1)
        let text = metrics.text()
        let dropped = try #require(
            text.split(separator: "\n").last { $0.hasPrefix("hearth_log_lines_dropped_total ") }
                .flatMap { Int($0.split(separator: " ")[1]) })
        #expect(dropped > 0 && dropped < count)
        let reader = StartedThreads.start(1) { _ in
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(readEnd, &chunk, chunk.count)
                guard count > 0 else { break }
                all += chunk[..<count]
            }
            let lines = String(decoding: all, as: UTF8.self).split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("{\"time\"") && $0.hasSuffix("}") })
            #expect(lines.count { $0.contains("a line") } == count - dropped + 1)
            let told = lines.filter { $0.contains("log lines were dropped") }
            #expect(told.count == 1 && told[0].contains("\"count\":\(dropped)}"))
        }
        log.flush(withinSeconds: 60)
        log.info("a line")
        log.flush(withinSeconds: 60)
        close(writeEnd)
        reader.join()
        close(readEnd)
    }

    @Test("the hundred thousandth line of a log is written like the first")
    func manyLines() {
        let bytes = Mutex(0)
        let log = Log(level: .info, format: .json) { line in
            bytes.withLock { $0 += line.count }
        }
        log.info("a line")
        log.flush()
        let first = bytes.withLock { $0 }
        for _ in 1..<100_000 { log.info("a line") }
        log.flush()
        #expect(bytes.withLock { $0 } == first * 100_000)
    }

    @Test("a write to a pipe without a reader fails without ending the process")
    func readerGone() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        #expect(!Terminal(descriptor: ends[1]).write("lost"))
        close(ends[1])
    }
}

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "redaction hides secrets, addresses and codes",
        arguments: [
            ("mail to someone@example.com failed", "mail to [address] failed"),
            ("GET /x?email=anna%40example.com", "GET /x?[address]"),
            ("postgresql://u:pw@host/db", "[address]"),
            ("the code fam-7k2m9p is known", "the code [code] is known"),
            ("host=h password=hunter2 x", "host=h [secret] x"),
            ("/join?token=abc", "/join?[secret]"),
            ("/continue?ticket=abc", "/continue?[secret]"),
            ("/callback?state=abc&code=def&iss=x", "/callback?[secret]&[secret]&iss=x"),
            ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "Bearer [token]"),
            ("Key (email)=(a b)) x) exists.\nnext", "Key (email)=([hidden])\nnext"),
            ("Failing row contains (1, x).", "Failing row contains ([hidden])"),
            ("hash 5f4dcc3b5aa765d61d8327deb882cf99", "hash [token]"),
        ])
    func hides(text: String, expected: String) {
        #expect(Redaction.clean(text) == expected)
    }

    @Test(
        "redaction keeps text that developers need",
        arguments: [
            "connection refused (SQLSTATE 08006) at Postgres/Connection.swift:120",
            "constraint family_members_family_unit_id_slot_key of app.family_members",
            "user 01234567-89AB-cdef-0123-456789abcdef", "naïve Ünïcode", "",
        ])
    func keeps(text: String) {
        #expect(Redaction.clean(text) == text)
    }

    @Test("long text is truncated after its redaction")
    func length() {
        let text = String(repeating: "x ", count: 994) + "someone@example.com and more and more"
        let cleaned = Redaction.clean(text)
        #expect(cleaned.utf8.count <= 2003)
        #expect(cleaned.hasSuffix("..."))
        #expect(!cleaned.contains("someone"))
    }
}

@Suite("Ids in the log")
struct LogIdTests {
    @Test("a caller's request id is accepted if it is short and has plain characters")
    func requestID() {
        #expect(RequestID("01234567-89ab-cdef-0123-456789abcdef")?.description != nil)
        #expect(RequestID("4bf92f3577b34da6a3ce929d0e0e4736") != nil)
        for bad in ["", "a b", "a@b", "a\"", "FAM-ABC234", String(repeating: "a", count: 41)] {
            #expect(RequestID(bad) == nil)
        }
        #expect(RequestID.fresh().description.utf8.count == 16)
        #expect(Set((0..<1000).map { _ in RequestID.fresh() }).count == 1000)
    }

    @Test("a trace header is parsed as its standard requires, and ignored if malformed")
    func traceparent() throws {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let trace = try #require(TraceContext(traceparent: good))
        #expect(trace.parent == 0x00f0_67aa_0ba9_02b7 && trace.isSampled)
        #expect(TraceContext(traceparent: String(good.dropLast(2)) + "02")?.isSampled == false)
        let lines = Lines()
        lines.log().info("x", LogField.trace(trace))
        #expect(lines.all[0].contains(#""traceId":"4bf92f3577b34da6a3ce929d0e0e4736""#))
        #expect(lines.all[0].contains(#""spanId":"00f067aa0ba902b7""#))
        #expect(TraceContext(traceparent: "cc" + good.dropFirst(2) + "-more") != nil)
        for bad in [
            "", "00", good + "-more", good + "x", good.uppercased(), "ff" + good.dropFirst(2),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        ] {
            #expect(TraceContext(traceparent: bad) == nil)
        }
    }

    @Test(
        "dates in log lines follow the calendar",
        arguments: [
            (0, 1970, 1, 1), (951_782_400_000, 2000, 2, 29), (-1, 1969, 12, 31),
            (4_107_542_400_000, 2100, 3, 1), (1_709_164_800_000, 2024, 2, 29),
        ])
    func calendar(milliseconds: Int, year: Int, month: Int, day: Int) {
        let time = CivilTime(millisecondsSince1970: milliseconds)
        #expect(time.year == year && time.month == month && time.day == day)
    }
}
