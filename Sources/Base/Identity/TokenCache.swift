import Crypto
import Threads

/// Tokens that were verified, until they expire: bounded, and shared without much waiting.
///
/// Keyed by the token's SHA-256, so that no token is kept. It holds at most `capacity` entries.
/// When a part is full, roughly the least recently used entry is dropped.
final class TokenCache: Sendable {
    /// A cached token, and the generation of the issuer's keys that verified it.
    struct Entry: Sendable {
        let token: VerifiedToken
        let issuer: Int
        let generation: Int
    }

    /// Two generations: new entries and used ones go to `young`, and when it is full, `old` is
    /// dropped and `young` becomes `old`.
    private struct Shard: Sendable {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]

        mutating func insert(_ entry: Entry, _ key: SHA256Digest, limit: Int) {
            if young.count >= limit, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = entry
        }
    }

    private let shards: [Guarded<Shard>]
    private let partLimit: Int

    /// A cache for `capacity` tokens, a little more or less.
    init(capacity: Int, partCount: Int = 16) {
        shards = (0..<partCount).map { _ in Guarded(Shard()) }
        partLimit = max(1, capacity / partCount / 2)
    }

    /// The entry of a key, whether or not it is still valid.
    subscript(key: SHA256Digest) -> Entry? {
        shard(of: key).withLock { shard in
            if let entry = shard.young[key] { return entry }
            guard let entry = shard.old.removeValue(forKey: key) else { return nil }
            shard.insert(entry, key, limit: partLimit)
            return entry
        }
    }

    /// Remembers a token.
    func insert(_ entry: Entry, for key: SHA256Digest) {
        shard(of: key).withLock { $0.insert(entry, key, limit: partLimit) }
    }

    /// Forgets a token.
    func remove(_ key: SHA256Digest) {
        shard(of: key).withLock { shard in
            shard.young[key] = nil
            shard.old[key] = nil
        }
    }

    /// How many tokens are remembered.
    var count: Int {
        shards.reduce(0) { $0 + $1.withLock { $0.young.count + $0.old.count } }
    }

    private func shard(of key: SHA256Digest) -> Guarded<Shard> {
        shards[Int(key.firstByte) % shards.count]
    }
}
