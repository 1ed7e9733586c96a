import Domain
import Synchronization

/// The open streams of each account: the eleventh ends the oldest.
final class LiveRegistry: Sendable {
    /// Streams that an account may have open at once.
    static let streamsPerAccount = 10

    private struct Entry: Sendable {
        weak var stream: LiveStream?
    }

    private let streams = Mutex<[UserID: [Entry]]>([:])

    /// How many accounts are remembered whose streams were cut off.
    private static let cutOffLimit = 10_000

    /// How many streams of each account were cut off because their clients took nothing, and have
    /// not been opened again.
    private let cutOff = Mutex<[UserID: Int]>([:])

    /// Remembers that a stream of the account was cut off. Whoever is forgotten here is told
    /// exactly what it has missed.
    func noteCutOff(_ account: UserID) {
        cutOff.withLock { cutOff in
            if cutOff.count >= Self.cutOffLimit, cutOff[account] == nil { cutOff = [:] }
            cutOff[account] = min((cutOff[account] ?? 0) + 1, Self.streamsPerAccount)
        }
    }

    /// Whether the account's next stream may be that of a client that was cut off.
    func takeCutOff(_ account: UserID) -> Bool {
        cutOff.withLock { cutOff in
            guard let count = cutOff[account] else { return false }
            cutOff[account] = count > 1 ? count - 1 : nil
            return true
        }
    }

    /// However the account has signed in.
    func add(_ stream: LiveStream, of account: UserID) {
        let oldest = streams.withLock { streams in
            var open = (streams[account] ?? []).filter { $0.stream != nil }
            let displaced = open.count >= Self.streamsPerAccount ? open.removeFirst().stream : nil
            open.append(Entry(stream: stream))
            streams[account] = open
            return displaced
        }
        oldest?.displace()
    }

    /// Forgets the account's streams that have ended.
    func sweep(_ account: UserID) {
        streams.withLock { streams in
            let open = (streams[account] ?? []).filter { $0.stream != nil }
            streams[account] = open.isEmpty ? nil : open
        }
    }
}
