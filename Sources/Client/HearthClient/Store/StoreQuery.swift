/// A question that a `FamilyStore` answers, and answers again when its data changes.
///
/// ```swift
/// for try await members in store.observe(.members(of: family.id)) {
///     show(members)
/// }
/// ```
public struct StoreQuery<Value: Sendable & Equatable>: Sendable {
    let kinds: Set<EntityKind>
    let read: @Sendable (FamilyStore) throws -> Value

    init(_ kinds: Set<EntityKind>, _ read: @escaping @Sendable (FamilyStore) throws -> Value) {
        self.kinds = kinds
        self.read = read
    }
}

extension StoreQuery where Value == [Family] {
    /// The families that the person belongs to, by name.
    public static var families: Self { .init([.family]) { try $0.families() } }
}

extension StoreQuery where Value == Family? {
    /// One of the families; nil while it is not in the store.
    public static func family(_ id: FamilyID) -> Self { .init([.family]) { try $0.family(id) } }
}

extension StoreQuery where Value == [Member] {
    /// A family's members and, if the person may approve them, the people who wait for approval.
    public static func members(of family: FamilyID) -> Self {
        .init([.member]) { try $0.members(of: family) }
    }
}

extension StoreQuery where Value == [Invitation] {
    /// A family's pending invitations, newest first.
    public static func invitations(of family: FamilyID) -> Self {
        .init([.invitation]) { try $0.invitations(of: family) }
    }
}

extension StoreQuery where Value == [ReceivedInvitation] {
    /// The pending invitations to the person.
    public static var receivedInvitations: Self {
        .init([.receivedInvitation]) { try $0.receivedInvitations() }
    }
}

extension StoreQuery where Value == Profile? {
    /// The profile of the person, or of a child whose guardian the person is; nil while it is not
    /// in the store.
    public static func profile(_ id: UserID) -> Self { .init([.profile]) { try $0.profile(id) } }
}

extension StoreQuery where Value == JSONValue? {
    /// The attributes that the app stores with a family; nil while there are none.
    public static func attributes(of family: FamilyID) -> Self {
        .init([.attributes]) { try $0.attributes(of: family) }
    }

    /// A person's preferences; nil while none are stored.
    public static func preferences(in family: FamilyID, of person: UserID) -> Self {
        .init([.preferences]) { try $0.preferences(in: family, of: person) }
    }
}

extension StoreQuery where Value == PlayerDetails? {
    /// The details that a family stores about its player; nil while none are stored.
    public static func playerDetails(in family: FamilyID) -> Self {
        .init([.playerDetails]) { try $0.playerDetails(in: family) }
    }
}

extension FamilyStore {
    /// Emits the result of a query at once, and again whenever the result changes. A slow
    /// consumer gets only the latest result.
    ///
    /// The stream ends when its consumer stops iterating, or with the store; it throws if the disk
    /// fails.
    public func observe<Value>(_ query: StoreQuery<Value>) -> AsyncThrowingStream<Value, any Error>
    {
        // Registered before the first read, so that no change is missed.
        let changes = changes
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { consumer in
            let reading = Task { [weak self] in
                var last: Value?
                func emit() throws -> Bool {
                    guard let self else { return false }
                    let value = try query.read(self)
                    if value != last {
                        last = value
                        consumer.yield(value)
                    }
                    return true
                }
                do {
                    guard try emit() else { return consumer.finish() }
                    for await kinds in changes where !kinds.isDisjoint(with: query.kinds) {
                        guard try emit() else { break }
                    }
                    consumer.finish()
                } catch {
                    consumer.finish(throwing: error)
                }
            }
            consumer.onTermination = { _ in reading.cancel() }
        }
    }
}
