extension FamilyStore {
    /// Returns the families that the person belongs to, by name.
    public func families() throws -> [Family] {
        try entities(.family).compactMap { try? Family(Fields($0)) }
            .sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
    }

    /// Returns one of the families; nil if it is not in the store.
    public func family(_ id: FamilyID) throws -> Family? {
        try entity(EntityKey(.family, id: id.rawValue)).flatMap { try? Family(Fields($0)) }
    }

    /// Returns a family's members in the order in which they joined and, if the person may approve
    /// them, the people who wait for approval.
    public func members(of family: FamilyID) throws -> [Member] {
        try entities(.member, in: family.rawValue).compactMap { try? Member(Fields($0)) }
            .filter { $0.status != .removed }
            .sorted {
                ($0.addedAt ?? .distantFuture, $0.id.rawValue)
                    < ($1.addedAt ?? .distantFuture, $1.id.rawValue)
            }
    }

    /// Returns a family's pending invitations, newest first.
    public func invitations(of family: FamilyID) throws -> [Invitation] {
        try entities(.invitation, in: family.rawValue).compactMap { try? Invitation(Fields($0)) }
            .filter { $0.status == .pending }
            .sorted {
                ($0.createdAt ?? .distantPast, $0.id.rawValue)
                    > ($1.createdAt ?? .distantPast, $1.id.rawValue)
            }
    }

    /// Returns the pending invitations to the person.
    public func receivedInvitations() throws -> [ReceivedInvitation] {
        try entities(.receivedInvitation).compactMap { try? ReceivedInvitation(Fields($0)) }
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Returns the person's own profile, or that of a child whose guardian the person is. Its
    /// `families` is empty; use `families()`.
    public func profile(_ id: UserID) throws -> Profile? {
        try entity(EntityKey(.profile, id: id.rawValue)).flatMap { try? Profile(Fields($0)) }
    }

    /// Returns the person's own profile; nil before the first sync. Its `families` is empty; use
    /// `families()`.
    public func ownProfile() throws -> Profile? { try owner().flatMap { try profile($0) } }

    /// Returns the person's membership in a family, or in the only family if none is given; nil if
    /// there is none.
    public func ownMember(in family: FamilyID? = nil) throws -> Member? {
        guard let owner = try owner() else { return nil }
        let families = try family.map { [$0] } ?? families().map(\.id)
        guard families.count == 1 else { return nil }
        return try members(of: families[0]).first { $0.userID == owner }
    }

    /// Returns a person's preferences; nil if none are stored.
    public func preferences(in family: FamilyID, of person: UserID) throws -> JSONValue? {
        try entity(EntityKey(.preferences, family: family.rawValue, id: person.rawValue))
    }

    /// Returns the details that a family stores about its player; nil if none are stored.
    public func playerDetails(in family: FamilyID) throws -> PlayerDetails? {
        try entities(.playerDetails, in: family.rawValue).first
            .flatMap { try? PlayerDetails(Fields($0)) }
    }

    /// Returns the attributes that the app stores with a family; nil if none are stored, or if the
    /// person may not see them.
    public func attributes(of family: FamilyID) throws -> JSONValue? {
        try entity(EntityKey(.attributes, family: family.rawValue, id: family.rawValue))
    }

    // MARK: Details

    /// Returns the person to whom the store belongs.
    func owner() throws -> UserID? { try fact("account")?.text.map { UserID($0) } }

    /// Returns all entities of a kind, with the effects of queued changes.
    func entities(_ kind: EntityKind, in family: String? = nil) throws -> [JSONValue] {
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
            var seen = Set<EntityKey>()
            for row in rows {
                guard let data = row[2].blob else { continue }
                var value: JSONValue? = try JSONValue(parsing: data)
                if !queued.isEmpty {
                    let key = EntityKey(kind, family: row[0].text ?? "", id: row[1].text ?? "")
                    seen.insert(key)
                    for (other, effect) in queued where other == key {
                        value = effect.applied(to: value)
                    }
                }
                if let value { values.append(value) }
            }
            // Add entities that exist only in the queue, such as preferences stored for the first
            // time.
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

    /// Returns one entity, with the effects of queued changes.
    func entity(_ key: EntityKey) throws -> JSONValue? {
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
    func value(of key: EntityKey) throws -> JSONValue? {
        let rows = try run(
            "SELECT value FROM things WHERE kind = ? AND family = ? AND id = ?",
            .text(key.kind.rawValue), .text(key.family), .text(key.id))
        return try rows.first?.first?.blob.map { try JSONValue(parsing: $0) }
    }

    /// Effects of the queued changes on entities, in the order in which the changes were made.
    func effects() throws -> [(key: EntityKey, effect: Mutation.Effect)] {
        try queue().flatMap { queued in
            queued.mutation.effects.map { ($0.key, $0.effect) }
        }
    }
}
