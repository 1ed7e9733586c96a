import Domain
import Synchronization

/// The open streams of each account. A stream beyond the limit closes the oldest one.
final class LiveRegistry: Sendable {
    /// Maximum number of open streams of an account.
    static let streamsPerAccount = 10

    private struct Entry: Sendable {
        weak var stream: LiveStream?
    }

    private let streams = Mutex<[UserID: [Entry]]>([:])

    /// Maximum number of accounts for which disconnected streams are remembered.
    private static let disconnectedLimit = 10_000

    /// Number of each account's streams that were disconnected because their clients did not read,
    /// and that have not been reopened.
    private let disconnected = Mutex<[UserID: Int]>([:])

    /// Records that a stream of the account was disconnected. At the limit, all records are
    /// dropped; a client whose record is dropped still gets exactly the changes that it missed.
    func recordDisconnected(_ account: UserID) {
        disconnected.withLock { disconnected in
            if disconnected.count >= Self.disconnectedLimit, disconnected[account] == nil {
                disconnected = [:]
            }
            disconnected[account] = min((disconnected[account] ?? 0) + 1, Self.streamsPerAccount)
        }
    }

    /// Consumes a record of a disconnected stream. Returns true if there was one, so the account's
    /// next stream may be that client's.
    func removeDisconnected(_ account: UserID) -> Bool {
        disconnected.withLock { disconnected in
            guard let count = disconnected[account] else { return false }
            disconnected[account] = count > 1 ? count - 1 : nil
            return true
        }
    }

    /// Adds a stream of an account, whatever its sign-in method.
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

    /// Removes the account's streams that have ended.
    func sweep(_ account: UserID) {
        streams.withLock { streams in
            let open = (streams[account] ?? []).filter { $0.stream != nil }
            streams[account] = open.isEmpty ? nil : open
        }
    }
}
