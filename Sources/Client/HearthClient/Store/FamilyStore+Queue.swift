public import Foundation

extension FamilyStore {
    /// Makes a change: it shows in what is read from now on, and is sent when Hearth can be
    /// reached.
    ///
    /// It is on disk when this returns. What Hearth then refuses is taken back, and is among the
    /// `conflicts`.
    ///
    /// - Parameter child: The child on whose behalf it is made; see
    ///   `ProfileSession.actingAsMemberID`.
    @discardableResult
    public func enqueue(_ mutation: Mutation, actingAs child: MemberID? = nil) throws
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
        changed(mutation.target.map { [$0.kind] } ?? [.member])
        return queued
    }

    /// What waits to be sent, in the order in which it was made.
    public func queuedMutations() throws -> [QueuedMutation] { try read { try $0.queue() } }

    /// Takes back a change that waits. Nothing happens if it was sent already.
    public func cancel(_ queued: QueuedMutation) throws {
        try write { try $0.run("DELETE FROM queue WHERE number = ?", .integer(queued.id)) }
        changed(queued.mutation.target.map { [$0.kind] } ?? [.member])
    }

    /// What Hearth answered to a change that was sent; it waits no longer.
    func settle(_ queued: QueuedMutation, _ response: APIResponse) throws {
        let target = queued.mutation.target
        let isDone = (200..<300).contains(response.status)
        // What it says may be older than what a sync has brought since; the next one brings it.
        let isReplayed = response.headers.contains {
            $0.key.lowercased() == "idempotency-replayed" && $0.value == "true"
        }
        let answer = (try? JSONValue(parsing: response.body)) ?? .null
        try write { file in
            try file.run("DELETE FROM queue WHERE number = ?", .integer(queued.id))
            if isDone {
                if let target, !isReplayed {
                    try file.apply(queued.mutation, answer, to: target)
                }
                if let conflict = answer["conflict"], conflict != .null {
                    try file.note(conflict, about: target, cause: queued.key)
                }
            } else {
                let refusal: JSONValue = [
                    "code": answer["code"] ?? .string("status_\(response.status)"),
                    "message": answer["message"] ?? "",
                ]
                try file.note(refusal, about: target, cause: queued.key)
            }
        }
        changed(target.map { [$0.kind] } ?? [.member])
    }
}

extension SQLiteConnection {
    /// What waits, in order. What only another release has written stays where it is.
    func queue() throws -> [QueuedMutation] {
        try run(
            """
            SELECT number, key, mutation, acting_as, changed_at, base_version
            FROM queue ORDER BY number
            """
        ).compactMap { row in
            guard let number = row[0].integer, let key = row[1].text, let data = row[2].blob,
                let mutation = Mutation(try JSONValue(parsing: data)),
                let changedAt = row[4].text.flatMap(Timestamp.date)
            else { return nil }
            return QueuedMutation(
                id: number, mutation: mutation, changedAt: changedAt,
                actingAs: row[3].text.map { MemberID($0) }, key: key,
                baseVersion: row[5].integer)
        }
    }

    /// The highest version of a family of which anything is known.
    func version(ofFamily family: String) throws -> Int64? {
        if family.isEmpty { return nil }
        return try run(
            "SELECT max(version) FROM things WHERE family = ? OR (kind = 'family' AND id = ?)",
            .text(family), .text(family)
        ).first?.first?.integer
    }

    /// What is known of a thing once a change of it was done.
    func apply(_ mutation: Mutation, _ answer: JSONValue, to key: ThingKey) throws {
        var value =
            mutation.answersThing && answer.objectValue != nil
            ? answer : mutation.effect.applied(to: try self.value(of: key))
        if case .object(var members)? = value {
            members["conflict"] = nil
            value = .object(members)
        }
        if let value {
            let version = try run(
                "SELECT version FROM things WHERE kind = ? AND family = ? AND id = ?",
                .text(key.kind.rawValue), .text(key.family), .text(key.id)
            ).first?.first?.integer
            try put(key, value, version: version ?? 0)
        } else {
            try remove(key)
        }
    }

    func put(_ key: ThingKey, _ value: JSONValue, version: Int64) throws {
        let generation = try run("SELECT value FROM facts WHERE name = 'generation'")
        try run(
            """
            INSERT OR REPLACE INTO things (kind, family, id, version, value, generation)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .text(key.kind.rawValue), .text(key.family), .text(key.id), .integer(version),
            .blob(value.data), .integer(generation.first?.first?.integer ?? 0))
    }

    func remove(_ key: ThingKey) throws {
        try run(
            "DELETE FROM things WHERE kind = ? AND family = ? AND id = ?",
            .text(key.kind.rawValue), .text(key.family), .text(key.id))
        // Nothing more is sent of a family that was left.
        if key.kind == .family { try run("DELETE FROM things WHERE family = ?", .text(key.id)) }
    }
}

/// A change that waits to be sent.
public struct QueuedMutation: Sendable, Hashable, Identifiable {
    /// Its place in the order in which changes were made.
    public let id: Int64
    /// What is to be done.
    public let mutation: Mutation
    /// When it was made, by this device's clock.
    public let changedAt: Date
    /// The child on whose behalf it was made.
    public let actingAs: MemberID?
    /// Makes repeating harmless.
    let key: String
    /// The family's version that the person saw.
    let baseVersion: Int64?

    /// The headers with which it is sent.
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
