public import Foundation

extension FamilyStore {
    /// Queues a change. Reads show it at once, and it is sent when Hearth can be reached.
    ///
    /// The change is on disk when this method returns. If Hearth refuses it, the store reverts it
    /// and adds a conflict to `conflicts`.
    ///
    /// - Parameter child: Child on whose behalf the change is made; see
    ///   `ProfileSession.actingAs`.
    @discardableResult
    public func enqueue(_ mutation: Mutation, actingAs child: UserID? = nil) throws
        -> QueuedMutation
    {
        let now = Date()
        let queued = try write { file in
            let family = mutation.target.map { $0.kind == .family ? $0.id : $0.family } ?? ""
            let version = try file.version(ofFamily: family)
            let key = UUID().uuidString
            try file.run(
                """
                INSERT INTO queue (key, mutation, acting_as, changed_at, base_version)
                VALUES (?, ?, ?, ?, ?)
                """,
                .text(key), .blob(mutation.json.data), SQLiteValue(child?.rawValue),
                .text(Timestamp.text(now)), SQLiteValue(version))
            let number = try file.run("SELECT last_insert_rowid()").first?.first?.integer ?? 0
            return QueuedMutation(
                id: number, mutation: mutation, changedAt: now, actingAs: child, key: key,
                baseVersion: version)
        }
        changed(mutation.changedKinds)
        return queued
    }

    /// Returns the changes that wait to be sent, in the order in which they were made.
    public func queuedMutations() throws -> [QueuedMutation] { try read { try $0.queue() } }

    /// Removes a change from the queue. Does nothing if it was already sent.
    public func cancel(_ queued: QueuedMutation) throws {
        try write { try $0.run("DELETE FROM queue WHERE number = ?", .integer(queued.id)) }
        changed(queued.mutation.changedKinds)
    }

    /// Stores the time at which changes are first sent; nil if Hearth has not made them.
    func markSent(_ changes: [QueuedMutation], at time: Date?) throws {
        if changes.isEmpty { return }
        try write { file in
            for change in changes {
                try file.run(
                    "UPDATE queue SET sent_at = ? WHERE number = ?",
                    SQLiteValue(time.map { Timestamp.text($0) }), .integer(change.id))
            }
        }
    }

    /// Replaces changes by conflicts if Hearth may have made them and their idempotency keys may
    /// have expired.
    ///
    /// - Returns: Whether there are any.
    func expire(_ queue: [QueuedMutation]) throws -> Bool {
        let now = Date()
        let expired = queue.filter { $0.isExpired(at: now) }
        if expired.isEmpty { return false }
        try write { file in
            for change in expired {
                try file.run("DELETE FROM queue WHERE number = ?", .integer(change.id))
                try file.insertConflict(
                    [
                        "outcome": "unknown",
                        "mutation": .string(change.mutation.kind.rawValue),
                    ], about: change.mutation.target, cause: change.key)
            }
        }
        changed(expired.reduce(into: Set<EntityKind>()) { $0.formUnion($1.mutation.changedKinds) })
        return true
    }

    /// Removes a sent change from the queue and applies Hearth's response to the store.
    func finish(_ queued: QueuedMutation, _ response: APIResponse) throws {
        let target = queued.mutation.target
        let isDone = (200..<300).contains(response.status)
        // A replayed response may be older than the last sync; the next sync brings the current
        // state.
        let isReplayed = response.headers.contains {
            $0.key.lowercased() == "idempotency-replayed" && $0.value == "true"
        }
        let answer = (try? JSONValue(parsing: response.body)) ?? .null
        try write { file in
            try file.run("DELETE FROM queue WHERE number = ?", .integer(queued.id))
            if isDone {
                if let created = queued.mutation.createdID, let target {
                    let id = answer[created]?.stringValue
                    try file.settleCreation(of: target, as: id, answer, queued.mutation)
                } else if !isReplayed {
                    try file.apply(queued.mutation, answer)
                }
                if let conflict = answer["conflict"], conflict != .null {
                    try file.insertConflict(conflict, about: target, cause: queued.key)
                }
            } else {
                let refusal: JSONValue = [
                    "mutation": .string(queued.mutation.kind.rawValue),
                    "code": answer["code"] ?? .string("status_\(response.status)"),
                    "message": answer["message"] ?? "",
                ]
                try file.insertConflict(refusal, about: target, cause: queued.key)
            }
        }
        changed(queued.mutation.changedKinds)
    }
}

extension SQLiteConnection {
    /// Returns the queue in order. Entries that only another release can read stay in it, unsent.
    func queue() throws -> [QueuedMutation] {
        try run(
            """
            SELECT number, key, mutation, acting_as, changed_at, base_version, sent_at
            FROM queue ORDER BY number
            """
        ).compactMap { row in
            guard let number = row[0].integer, let key = row[1].text, let data = row[2].blob,
                let mutation = Mutation(try JSONValue(parsing: data)),
                let changedAt = row[4].text.flatMap(Timestamp.date)
            else { return nil }
            return QueuedMutation(
                id: number, mutation: mutation, changedAt: changedAt,
                actingAs: row[3].text.map { UserID($0) }, key: key,
                baseVersion: row[5].integer, sentAt: row[6].text.flatMap(Timestamp.date))
        }
    }

    /// Returns the highest known version of a family; nil if nothing of it is stored.
    func version(ofFamily family: String) throws -> Int64? {
        if family.isEmpty { return nil }
        return try run(
            "SELECT max(version) FROM things WHERE family = ? OR (kind = 'family' AND id = ?)",
            .text(family), .text(family)
        ).first?.first?.integer
    }

    /// Applies a completed change to the stored entities.
    func apply(_ mutation: Mutation, _ answer: JSONValue) throws {
        for (index, change) in mutation.effects.enumerated() {
            let isAnswered = index == 0 && mutation.answersThing && answer.objectValue != nil
            try store(
                isAnswered ? answer : change.effect.applied(to: try value(of: change.key)),
                at: change.key)
        }
    }

    private func store(_ value: JSONValue?, at key: EntityKey) throws {
        var value = value
        if case .object(var members)? = value {
            members["conflict"] = nil
            value = .object(members)
        }
        guard let value else { return try remove(key) }
        let version = try run(
            "SELECT version FROM things WHERE kind = ? AND family = ? AND id = ?",
            .text(key.kind.rawValue), .text(key.family), .text(key.id)
        ).first?.first?.integer
        try put(key, value, version: version ?? 0)
    }

    /// In the queued changes, replaces the provisional id of an entity that Hearth has created with
    /// its real id. If Hearth's response contains the entity, stores it; otherwise the next sync
    /// brings it.
    func settleCreation(
        of target: EntityKey, as id: String?, _ answer: JSONValue, _ mutation: Mutation
    ) throws {
        guard let id else { return }
        if mutation.answersThing {
            try store(answer, at: EntityKey(target.kind, family: target.family, id: id))
        }
        for row in try run("SELECT number, mutation, acting_as FROM queue ORDER BY number") {
            guard let number = row[0].integer, let data = row[1].blob else { continue }
            // Provisional ids are unique texts without characters that JSON escapes.
            let text = String(decoding: data, as: UTF8.self)
            let child = row[2].text
            guard text.contains(target.id) || child == target.id else { continue }
            try run(
                "UPDATE queue SET mutation = ?, acting_as = ? WHERE number = ?",
                .blob(Data(text.replacingOccurrences(of: target.id, with: id).utf8)),
                SQLiteValue(child == target.id ? id : child), .integer(number))
        }
    }

    func put(_ key: EntityKey, _ value: JSONValue, version: Int64) throws {
        let generation = try run("SELECT value FROM facts WHERE name = 'generation'")
        try run(
            """
            INSERT OR REPLACE INTO things (kind, family, id, version, value, generation)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .text(key.kind.rawValue), .text(key.family), .text(key.id), .integer(version),
            .blob(value.data), .integer(generation.first?.first?.integer ?? 0))
    }

    func remove(_ key: EntityKey) throws {
        try run(
            "DELETE FROM things WHERE kind = ? AND family = ? AND id = ?",
            .text(key.kind.rawValue), .text(key.family), .text(key.id))
        // After leaving a family, Hearth sends no more changes of it.
        if key.kind == .family { try run("DELETE FROM things WHERE family = ?", .text(key.id)) }
    }
}

/// A change that waits to be sent.
public struct QueuedMutation: Sendable, Hashable, Identifiable {
    /// Number of the change, in the order in which changes were made.
    public let id: Int64
    /// Change to make.
    public let mutation: Mutation
    /// Time at which the change was made, by this device's clock.
    public let changedAt: Date
    /// Child on whose behalf the change was made.
    public let actingAs: UserID?
    /// Idempotency key, which makes retries safe.
    let key: String
    /// Version of the family that the person saw.
    let baseVersion: Int64?
    /// Time at which the change was first sent, if Hearth may have made it. Only changes that could
    /// be made twice have it.
    let sentAt: Date?

    /// Creates a value, for previews and tests. A store makes those that are sent.
    public init(id: Int64, mutation: Mutation, changedAt: Date, actingAs: UserID? = nil) {
        self.init(
            id: id, mutation: mutation, changedAt: changedAt, actingAs: actingAs,
            key: UUID().uuidString, baseVersion: nil)
    }

    init(
        id: Int64, mutation: Mutation, changedAt: Date, actingAs: UserID?, key: String,
        baseVersion: Int64?, sentAt: Date? = nil
    ) {
        self.id = id
        self.mutation = mutation
        self.changedAt = changedAt
        self.actingAs = actingAs
        self.key = key
        self.baseVersion = baseVersion
        self.sentAt = sentAt
    }

    /// Whether the time has to be stored when the change is sent, which has not happened yet.
    var isToBeMarked: Bool { sentAt == nil && mutation.couldBeMadeTwice }

    /// An idempotency key expires 24 hours after Hearth has made the change. The hour less covers
    /// attempts that take minutes.
    private static let keyLifetimeSeconds: Double = 23 * 3_600

    /// Returns whether Hearth may have made the change and its key may have expired. If the clock
    /// was set back by a day or more, the age of the key is unknown.
    func isExpired(at now: Date) -> Bool {
        guard let sentAt else { return false }
        return abs(now.timeIntervalSince(sentAt)) >= Self.keyLifetimeSeconds
    }

    /// The change as text, in which provisional ids are found.
    var text: String {
        String(decoding: mutation.json.data, as: UTF8.self) + " " + (actingAs?.rawValue ?? "")
    }

    /// Headers of the request that sends the change.
    var headers: [String: String] {
        var headers = [
            "Idempotency-Key": key, "X-Changed-At": Timestamp.text(changedAt),
            "Content-Type": "application/json",
        ]
        if let actingAs { headers["X-Acting-As-Member"] = actingAs.rawValue }
        if let baseVersion { headers["X-Base-Version"] = String(baseVersion) }
        return headers
    }

    var request: APIRequest {
        APIRequest(
            mutation.method, mutation.path, query: mutation.query, headers: headers,
            body: mutation.body?.data)
    }
}
