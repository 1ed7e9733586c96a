import Glibc
import Postgres
import Synchronization
import TestSupport
import Basics

/// Reads a row of four columns by its key, repeatedly, on `CONNECTIONS` threads.
///
/// Prints the queries per second over all connections, the number of queries, and how much the
/// resident memory grew between the first tenth and the end.
func benchmarkPostgres(_ arguments: [String]) throws {
    guard arguments.count == 3, let connections = Int(arguments[1]),
        let limit = Limit(arguments[2], connections)
    else {
        print("usage: benchmarks postgres URL CONNECTIONS (SECONDS | QUERIESq)")
        exit(64)
    }
    let settings = try ConnectionSettings(url: arguments[0])
    let start = MonotonicClock.nanoseconds()
    let earlyBytes = Atomic<Int>(0)
    let counts = onThreads(connections) { index in
        let connection = try Connection(settings)
        // A generator of the simplest kind, as cheap as pgbench's.
        var random = UInt64(index + 1)
        var count = 0
        while !limit.isReached(count) {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Int32(truncatingIfNeeded: random >> 33) % 100_000 + 1
            let rows = try connection.run(AccountRow.byKey, key)
            guard rows.count == 1 else { throw TimedOut() }
            count += 1
            if count % 64 == 0, limit.isEarlyOver(count) {
                _ = earlyBytes.compareExchange(
                    expected: 0, desired: residentBytes(), ordering: .relaxed)
            }
        }
        return count
    }
    let total = try counts.map { try $0.get() }.reduce(0, +)
    let seconds = MonotonicClock.seconds(since: start)
    let growth = (residentBytes() - earlyBytes.load(ordering: .relaxed)) / 1024
    print("swift \(Int(Double(total) / seconds)) queries/s, \(total) in all, grew \(growth) KiB")
}

/// The end of a benchmark's thread: by time, or after a number of queries.
private enum Limit: Sendable {
    case time(early: Deadline, end: Deadline)
    case count(Int)

    init?(_ text: String, _ threads: Int) {
        if text.hasSuffix("q") {
            guard let count = Int(text.dropLast()) else { return nil }
            self = .count(count / threads)
        } else {
            guard let seconds = Double(text) else { return nil }
            self = .time(early: .after(seconds: seconds / 10), end: .after(seconds: seconds))
        }
    }

    func isReached(_ count: Int) -> Bool {
        switch self {
        case .time(_, let end): count % 64 == 0 && end.hasPassed
        case .count(let limit): count >= limit
        }
    }

    func isEarlyOver(_ count: Int) -> Bool {
        switch self {
        case .time(let early, _): early.hasPassed
        case .count(let limit): count >= limit / 10
        }
    }
}

private struct AccountRow: RowDecodable {
    let account: Int32
    let branch: Int32
    let balance: Int32
    let filler: String

    static let row = RowDecoder(Self.init)

    static let byKey = Statement<AccountRow, Int32>(
        "SELECT aid, bid, abalance, filler FROM pgbench_accounts WHERE aid = $1")
}

/// Returns the resident memory of this process, from the second field of /proc/self/statm.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
