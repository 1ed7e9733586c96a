import Basics
import Domain
import Synchronization
import Telemetry
import UseCases

/// The last responses to reads, each of which is sent again only after the database has confirmed
/// its entity tag.
///
/// For each lookup, the server runs the statement with which it also compares `If-None-Match`. The
/// transaction of this statement decides who the caller is and what it may read. A tag contains the
/// account, the address and all versions of the response, so a cached response is never sent to
/// somebody else or after a change. A key is used only to find a response.
///
/// Memory is bounded: entries have two generations, and the older one is dropped when the younger
/// one takes half of the bound, and every minute. A response that nobody reads is therefore
/// dropped within two minutes; a sign-out and an erasure drop those of the session and of the
/// account at once. Nothing is written to disk.
final class ReadCache: Sendable {
    /// Identifies a caller and an address, within this process.
    struct Key: Hashable, Sendable {
        fileprivate let hash: Int

        init(_ caller: Caller, _ resource: String) {
            var hasher = Hasher()
            if let session = caller.session {
                hasher.combine(session.id)
            } else {
                hasher.combine(caller.subjectHash)
            }
            hasher.combine(caller.actingAs)
            hasher.combine(resource)
            hash = hasher.finalize()
        }

        /// Creates a key for a test from a number.
        init(testing number: Int) {
            var hasher = Hasher()
            hasher.combine(number)
            hash = hasher.finalize()
        }
    }

    /// Session or account whose responses are dropped together.
    enum Owner: Hashable, Sendable {
        case session(SessionID)
        case account(UserID)
    }

    private struct Entry: Sendable {
        let reply: Reply
        /// The account that made the request; for a delegation, the guardian's.
        let account: UserID
        /// The session of the request; nil for a provider's token.
        let session: SessionID?

        /// Memory of the entry, as it is counted towards the bound.
        var bytes: Int {
            reply.headers.reduce(ReadCache.overheadBytes + reply.body.count) {
                $0 + $1.name.utf8.count + $1.value.utf8.count
            }
        }

        func forEachOwner(_ body: (Owner) -> Void) {
            body(.account(account))
            if let session { body(.session(session)) }
        }
    }

    /// Responses that are dropped together once they are too old.
    private struct Generation: Sendable {
        private var entries: [Key: Entry] = [:]
        /// Keys of each owner's entries, so that dropping them looks at no others.
        private var keys: [Owner: Set<Key>] = [:]
        /// Memory of the entries, as it is counted towards the bound.
        private(set) var bytes = 0

        func entry(for key: Key) -> Entry? { entries[key] }

        /// Stores an entry in place of the former one for its key.
        mutating func insert(_ entry: Entry, for key: Key) {
            remove(key)
            entries[key] = entry
            bytes += entry.bytes
            entry.forEachOwner { owner in keys[owner, default: []].insert(key) }
        }

        @discardableResult
        mutating func remove(_ key: Key) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            bytes -= entry.bytes
            entry.forEachOwner { owner in
                keys[owner]?.remove(key)
                if keys[owner]?.isEmpty == true { keys[owner] = nil }
            }
            return entry
        }

        /// Removes the entries of an owner, and returns them.
        mutating func remove(of owner: Owner) -> [Entry] {
            guard let owned = keys[owner] else { return [] }
            return owned.compactMap { key in remove(key) }
        }
    }

    private struct Shard: Sendable {
        var young = Generation()
        var old = Generation()
        /// Time of ``MonotonicClock`` at which the younger generation last became the older one.
        var movedAt: Int
        var confirmed = 0
        var changed = 0
        var missing = 0

        /// Removes the entries of an owner, and returns them.
        mutating func remove(of owner: Owner) -> [Entry] {
            young.remove(of: owner) + old.remove(of: owner)
        }
    }

    /// Time after which the younger generation becomes the older one, in nanoseconds.
    private static let generation = 60_000_000_000
    /// Memory of an entry besides its body: its slot in the table, its strings, and the keys of its
    /// session and its account.
    fileprivate static let overheadBytes = 864
    private static let shardCount = 16

    private let shards: [Lock<Shard>]
    private let generationLimitBytes: Int
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - limitBytes: Bound of the memory for responses.
    ///   - now: Nanoseconds of a clock that never goes back.
    init?(
        limitBytes: Int, now: @escaping @Sendable () -> Int = { MonotonicClock.nanoseconds() }
    ) {
        guard limitBytes > 0 else { return nil }
        self.now = now
        generationLimitBytes = limitBytes / Self.shardCount / 2
        let moved = now()
        shards = (0..<Self.shardCount).map { _ in Lock(Shard(movedAt: moved)) }
    }

    /// Returns the last response for a key, which must be confirmed before it is sent; nil if there
    /// is none.
    func reply(for key: Key) -> Reply? {
        let (reply, dropped) = shard(of: key).withLock { shard in
            let dropped = moveOn(&shard)
            if let entry = shard.young.entry(for: key) {
                return (Optional(entry.reply), dropped)
            }
            guard let entry = shard.old.remove(key) else {
                shard.missing += 1
                return (nil, dropped)
            }
            shard.young.insert(entry, for: key)
            return (entry.reply, dropped)
        }
        // Freed here, where no other thread waits for it.
        _ = dropped
        return reply
    }

    /// Stores a response under a key, if it has a tag of versions and may be cached.
    ///
    /// - Parameters:
    ///   - account: The account that made the request.
    ///   - session: The session of the request; nil for a provider's token.
    func store(_ reply: Reply, for key: Key, of account: UserID, _ session: SessionID?) {
        guard reply.status == 200, reply.tag != nil, !reply.isUntagged, reply.link == nil,
            reply.location == nil, reply.representation == nil
        else { return }
        var compact = reply
        // A body is written with spare capacity.
        compact.body = Array(reply.body[...])
        let entry = Entry(reply: compact, account: account, session: session)
        guard entry.bytes <= generationLimitBytes / 4 else { return }
        let dropped = shard(of: key).withLock { shard in
            shard.old.remove(key)
            shard.young.insert(entry, for: key)
            return moveOn(&shard)
        }
        _ = dropped
    }

    /// Drops the responses of a session or an account. A read in progress may store a response
    /// afterwards. It is never sent, because the database no longer confirms it.
    ///
    /// Visits no other responses: anybody may end sessions as often as they like, so the cost must
    /// not grow with the cache.
    func drop(_ owner: Owner) {
        for shard in shards { _ = shard.withLock { $0.remove(of: owner) } }
    }

    /// Counts whether the database confirmed a cached response.
    func count(_ key: Key, isConfirmed: Bool) {
        shard(of: key).withLock { shard in
            if isConfirmed { shard.confirmed += 1 } else { shard.changed += 1 }
        }
    }

    /// Memory that the responses take now, as it is counted towards the bound.
    var bytes: Int {
        shards.reduce(0) { sum, shard in
            sum
                + shard.withLock { shard in
                    _ = moveOn(&shard)
                    return shard.young.bytes + shard.old.bytes
                }
        }
    }

    /// Declares the metrics.
    func declare(in metrics: Metrics) {
        metrics.sampledCounters(
            "hearth_read_cache_total",
            "Reads with an entity tag, by whether a cached response was current.", ["outcome"]
        ) { [self] in
            let counts = shards.map { $0.withLock { ($0.confirmed, $0.changed, $0.missing) } }
            return [
                (["confirmed"], Double(counts.reduce(0) { $0 + $1.0 })),
                (["changed"], Double(counts.reduce(0) { $0 + $1.1 })),
                (["missing"], Double(counts.reduce(0) { $0 + $1.2 })),
            ]
        }
        metrics.gauge("hearth_read_cache_bytes", "Memory of the cached responses to reads.") {
            [self] in Double(bytes)
        }
    }

    private func shard(of key: Key) -> Lock<Shard> {
        shards[Int(UInt(bitPattern: key.hash) % UInt(Self.shardCount))]
    }

    /// Makes the younger generation the older one when it is full or a minute old.
    ///
    /// - Returns: The dropped responses.
    private func moveOn(_ shard: inout Shard) -> [Generation] {
        let time = now()
        let isOver = time - shard.movedAt >= Self.generation
        guard isOver || shard.young.bytes > generationLimitBytes else { return [] }
        // After two generations without any access, both are too old.
        let isLongOver = time - shard.movedAt >= 2 * Self.generation
        let dropped = isLongOver ? [shard.old, shard.young] : [shard.old]
        shard.old = isLongOver ? Generation() : shard.young
        shard.young = Generation()
        shard.movedAt = time
        return dropped
    }
}
