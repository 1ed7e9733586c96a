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
