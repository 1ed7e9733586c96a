import Crypto
import Synchronization

/// The open streams of each account: the eleventh ends the oldest.
final class LiveRegistry: Sendable {
    /// Streams that an account may have open at once.
    static let streamsPerAccount = 10

    private struct Entry: Sendable {
        weak var stream: LiveStream?
    }

    private let streams = Mutex<[SHA256Digest: [Entry]]>([:])

    /// - Parameter account: The hash of the account's sign-in.
    func add(_ stream: LiveStream, of account: SHA256Digest) {
        let oldest = streams.withLock { streams in
            var open = (streams[account] ?? []).filter { $0.stream != nil }
            let displaced = open.count >= Self.streamsPerAccount ? open.removeFirst().stream : nil
            open.append(Entry(stream: stream))
            streams[account] = open
            return displaced
        }
        oldest?.displace()
    }

    func remove(_ account: SHA256Digest) {
        streams.withLock { streams in
            let open = (streams[account] ?? []).filter { $0.stream != nil }
            streams[account] = open.isEmpty ? nil : open
        }
    }
}
