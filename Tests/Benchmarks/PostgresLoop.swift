import Glibc
import Postgres
import Synchronization
import TestSupport

/// A row of four columns by its key, again and again, on `CONNECTIONS` threads for `SECONDS`.
///
/// Prints queries per second over all connections and how much the resident memory grew between
/// the first tenth and the end.
func benchmarkPostgres(_ arguments: [String]) throws {
    guard arguments.count == 3, let connections = Int(arguments[1]),
        let seconds = Double(arguments[2])
    else {
        print("usage: benchmarks postgres URL CONNECTIONS SECONDS")
        exit(64)
    }
    let settings = try ConnectionSettings(url: arguments[0])
    let end = Deadline.after(seconds: seconds)
    let early = Deadline.after(seconds: seconds / 10)
    let earlyBytes = Atomic<Int>(0)
    let counts = onThreads(connections) { _ in
        let connection = try Connection(settings)
        var count = 0
        while true {
            let key = Int32(Int.random(in: 1...100_000))
            let rows = try connection.run(AccountRow.byKey, key)
            guard rows.count == 1 else { throw TimedOut() }
            count += 1
            if count % 64 == 0 {
                if end.hasPassed { break }
                if early.hasPassed, earlyBytes.load(ordering: .relaxed) == 0 {
                    earlyBytes.store(residentBytes(), ordering: .relaxed)
                }
            }
        }
        return count
    }
    let total = try counts.map { try $0.get() }.reduce(0, +)
    let growth = (residentBytes() - earlyBytes.load(ordering: .relaxed)) / 1024
    print("swift \(Int(Double(total) / seconds)) queries/s, \(total) in all, grew \(growth) KiB")
}

private struct AccountRow: RowDecodable {
    let account: Int32
    let branch: Int32
    let balance: Int32
    let filler: String

    init(row: inout RowReader) throws(PostgresError) {
        account = try row.read()
        branch = try row.read()
        balance = try row.read()
        filler = try row.read()
    }

    static let byKey = Statement<AccountRow, Int32>(
        "SELECT aid, bid, abalance, filler FROM pgbench_accounts WHERE aid = $1")
}

/// Resident memory of this process, from the second field of /proc/self/statm.
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
