import Foundation
import FoundationNetworking
import JSON
import Synchronization

/// The requests of a requirement with their responses, each pair once, for the table in docs.
final class Transcript: Sendable {
    @TaskLocal static var current: Transcript?

    /// A request and its response, which is described once all of it has been read.
    private struct Exchange: Sendable {
        let request: String
        let answer: @Sendable () -> String
    }

    struct Line: Sendable, Equatable {
        let request, answer: String
    }

    private let exchanges = Mutex<[Exchange]>([])

    /// Each pair of request and response, in order of first appearance.
    var lines: [Line] {
        let all = exchanges.withLock { $0 }.map { Line(request: $0.request, answer: $0.answer()) }
        return all.enumerated().filter { all.firstIndex(of: $1) == $0 }.map(\.element)
    }

    func add(_ request: String, _ answer: @escaping @autoclosure @Sendable () -> String) {
        exchanges.withLock { $0.append(Exchange(request: request, answer: answer)) }
    }

    static func note(_ method: String, _ path: String, _ answer: Answer, from phone: Phone) {
        guard let current else { return }
        let pattern = Paths.pattern(of: path)
        let acting = phone.actingAs == nil ? "" : " (acting)"
        current.add("\(method) \(pattern)\(acting)", answer.summary)
    }

    /// Runs `body` without recording requests that only prepare the scene.
    static func withoutNotes<Value: Sendable>(
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $current.withValue(nil, operation: body)
    }
}

/// Paths with placeholders for values that differ between runs.
enum Paths {
    /// The path of a request with `:id`, `:code` and `:token`; of the query only the names.
    static func pattern(of target: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1)
        let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(name)
        var pattern = segments.joined(separator: "/")
        if parts.count > 1 {
            let names = parts[1].split(separator: "&").map { $0.prefix { $0 != "=" } }
            pattern += "?" + names.joined(separator: "&")
        }
        return pattern
    }

    private static func name(_ segment: Substring) -> String {
        if segment.firstMatch(of: /^(managed_)?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-/) != nil {
            return ":id"
        }
        if segment.wholeMatch(of: /FAM-[A-Z0-9]{6}/.ignoresCase()) != nil { return ":code" }
        return segment.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil ? ":token" : String(segment)
    }
}
