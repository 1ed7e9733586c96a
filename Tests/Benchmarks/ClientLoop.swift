import Foundation
import HearthClient
import Basics

/// Measures how long the client takes to decode a response with a hundred members, and to open a
/// store with a thousand members and read them.
///
/// Prints the median and the 99th percentile of each, in milliseconds.
/// - Returns: Whether the medians are at most 1 ms and 10 ms.
func benchmarkClient(_ arguments: [String]) async throws -> Bool {
    let times = arguments.first.flatMap(Int.init) ?? 500
    let hearth = Hearth(CannedHearth(), credentials: BearerToken("token"))
    let decode = try await measured(times) {
        let members = try await hearth.members(of: FamilyID("f0"))
        precondition(members.count == 100)
    }
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("hearth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("store")
    try await SyncEngine(hearth, FamilyStore(at: file, of: UserID("u"))).sync()
    var opened = 0
    let open = try await measured(times) {
        let store = try FamilyStore(at: file, of: UserID("u"))
        opened = try store.members(of: FamilyID("f3")).count
    }
    precondition(opened == 100)
    let read = try await measured(times) {
        let store = try FamilyStore(at: file, of: UserID("u"))
        let count = try (0..<10).reduce(0) {
            try $0 + store.members(of: FamilyID("f\($1)")).count
        }
        precondition(count == 1000)
    }
    print("client: a response of 100 members: \(decode.text)")
    print("client: a store of 1,000 members opened, one family of 100 read: \(open.text)")
    print("client: the same, all 1,000 members read: \(read.text)")
    return decode.median <= 1 && open.median <= 10
}

private struct Spread {
    let median: Double
    let high: Double
    var text: String { "p50 \(median) ms, p99 \(high) ms" }
}

private func measured(_ times: Int, _ body: () async throws -> Void) async throws -> Spread {
    var milliseconds: [Double] = []
    for _ in 0..<times {
        let start = MonotonicClock.nanoseconds()
        try await body()
        milliseconds.append(Double(MonotonicClock.nanoseconds() - start) / 1e6)
    }
    milliseconds.sort()
    func rounded(_ place: Int) -> Double { (milliseconds[place] * 1000).rounded() / 1000 }
    return Spread(median: rounded(times / 2), high: rounded(times * 99 / 100))
}

/// A transport that returns the same bytes each time.
private struct CannedHearth: Transport {
    private let members: Data
    private let sync: Data

    init() {
        members = Data(
            #"{"success":true,"familyId":"f0","members":[\#(Self.list(0))],"count":100}"#.utf8)
        let changes = (0..<10).flatMap { family in
            (0..<100).map { Self.change(family, $0) }
        }
        sync =
            Data(
                #"{"changes":[\#(changes.joined(separator: ","))],"cursor":"c","hasMore":false,"#
                    .utf8
            ) + Data(#""reset":true}"#.utf8)
    }

    private static func list(_ family: Int) -> String {
        (0..<100).map { member(family, $0) }.joined(separator: ",")
    }

    private static func change(_ family: Int, _ number: Int) -> String {
        #"{"kind":"member","id":"\#(id(family, number))","familyId":"f\#(family)","version":7,"#
            + #""value":\#(member(family, number))}"#
    }

    private static func id(_ family: Int, _ number: Int) -> String {
        "00000000-0000-4000-8000-\(100_000_000_000 + family * 1000 + number)"
    }

    /// Returns a member as the server writes it.
    private static func member(_ family: Int, _ number: Int) -> String {
        let id = id(family, number)
        return #"{"id":"\#(id)","family_unit_id":"f\#(family)","user_id":"\#(id)","#
            + #""role":"parent","household_role":"adult","status":"active","#
            + #""added_at":"2026-02-08T12:00:00Z","is_managed":false,"parent_user_id":null,"#
            + #""member_type":"independent","display_name":"Somebody \#(number)","#
            + #""avatar_key":"fox","avatar_url":null,"created_at":"2026-02-08T12:00:00Z","#
            + #""updated_at":"2026-02-08T12:00:00Z","users":{"id":"\#(id)","#
            + #""email":"somebody\#(number)@example.org","full_name":"Somebody \#(number)","#
            + #""role":"parent"}}"#
    }

    func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error> {
        AsyncThrowingStream { parts in
            parts.yield(.head(APIResponse(status: 200)))
            parts.yield(.body(request.path == "/api/sync" ? sync : members))
            parts.finish()
        }
    }
}
