extension FamilyStore {
    /// The families that the person belongs to, by name.
    public func families() throws -> [Family] {
        try things(.family).compactMap { try? Family(Fields($0)) }
            .sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
    }

    /// One of the families; nil if there is none.
    public func family(_ id: FamilyID) throws -> Family? {
        try thing(ThingKey(.family, id: id.rawValue)).flatMap { try? Family(Fields($0)) }
    }

    /// The members of a family, and for those who may approve the people who wait, in the order in
    /// which they came in.
    public func members(of family: FamilyID) throws -> [Member] {
        try things(.member, in: family.rawValue).compactMap { try? Member(Fields($0)) }
            .filter { $0.status != .removed }
            .sorted {
                ($0.addedAt ?? .distantFuture, $0.id.rawValue)
                    < ($1.addedAt ?? .distantFuture, $1.id.rawValue)
            }
    }

    /// The pending invitations of a family, newest first.
    public func invitations(of family: FamilyID) throws -> [Invitation] {
        try things(.invitation, in: family.rawValue).compactMap { try? Invitation(Fields($0)) }
            .filter { $0.status == .pending }
            .sorted {
                ($0.createdAt ?? .distantPast, $0.id.rawValue)
                    > ($1.createdAt ?? .distantPast, $1.id.rawValue)
            }
    }

    /// The pending invitations to the person.
    public func receivedInvitations() throws -> [ReceivedInvitation] {
        try things(.receivedInvitation).compactMap { try? ReceivedInvitation(Fields($0)) }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// A person's profile: one's own, or that of a child whose guardian one is. Its families are
    /// not filled in; `families()` has them.
    public func profile(_ id: UserID) throws -> Profile? {
        try thing(ThingKey(.profile, id: id.rawValue)).flatMap { try? Profile(Fields($0)) }
    }

    /// What somebody likes; nil if nothing was stored.
    public func preferences(in family: FamilyID, of user: UserID) throws -> JSONValue? {
        try thing(ThingKey(.preferences, family: family.rawValue, id: user.rawValue))
    }

    /// What a family notes about its player; nil if nothing was stored.
    public func playerDetails(in family: FamilyID) throws -> PlayerDetails? {
        try things(.playerDetails, in: family.rawValue).first
            .flatMap { try? PlayerDetails(Fields($0)) }
    }

    // MARK: Details

    /// All things of a kind, as they are with what is queued.
    func things(_ kind: ThingKind, in family: String? = nil) throws -> [JSONValue] {
        try read { file in
            let rows =
                if let family {
                    try file.run(
                        "SELECT family, id, value FROM things WHERE kind = ? AND family = ?",
                        .text(kind.rawValue), .text(family))
                } else {
                    try file.run(
                        "SELECT family, id, value FROM things WHERE kind = ?",
                        .text(kind.rawValue))
                }
            let queued = try file.effects().filter { key, _ in
                key.kind == kind && (family == nil || key.family == family)
            }
            var values: [JSONValue] = []
            values.reserveCapacity(rows.count)
            var seen = Set<ThingKey>()
            for row in rows {
                guard let data = row[2].blob else { continue }
                var value: JSONValue? = try JSONValue(parsing: data)
                if !queued.isEmpty {
                    let key = ThingKey(kind, family: row[0].text ?? "", id: row[1].text ?? "")
                    seen.insert(key)
                    for (other, effect) in queued where other == key {
                        value = effect.applied(to: value)
                    }
                }
                if let value { values.append(value) }
            }
            // What only the queue knows, such as preferences that are stored for the first time.
            for key in Set(queued.map(\.key)).subtracting(seen) {
                var value: JSONValue?
                for (other, effect) in queued where other == key {
                    value = effect.applied(to: value)
                }
                if let value { values.append(value) }
            }
            return values
        }
    }

    /// One thing, as it is with what is queued.
    func thing(_ key: ThingKey) throws -> JSONValue? {
        try read { file in
            var value = try file.value(of: key)
            for (other, effect) in try file.effects() where other == key {
                value = effect.applied(to: value)
            }
            return value
        }
    }
}

extension SQLiteConnection {
    func value(of key: ThingKey) throws -> JSONValue? {
        let rows = try run(
            "SELECT value FROM things WHERE kind = ? AND family = ? AND id = ?",
            .text(key.kind.rawValue), .text(key.family), .text(key.id))
        return try rows.first?.first?.blob.map { try JSONValue(parsing: $0) }
    }

    /// What is queued does to the things, in the order in which it was made.
    func effects() throws -> [(key: ThingKey, effect: Mutation.Effect)] {
        try queue().compactMap { queued in
            queued.mutation.target.map { ($0, queued.mutation.effect) }
        }
    }
}
