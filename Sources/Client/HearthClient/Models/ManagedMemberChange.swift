/// What `Hearth.updateManagedMember(_:_:)` changes. What is not given stays.
public struct ManagedMemberChange: Sendable, Hashable {
    /// The new name, 1 to 30 characters.
    public var displayName: String?
    /// Which of the app's avatars.
    public var avatarKey: Edit<String>

    /// A change; nothing unless it is named.
    public init(displayName: String? = nil, avatarKey: Edit<String> = .keep) {
        self.displayName = displayName
        self.avatarKey = avatarKey
    }

    var body: JSONValue {
        .body([
            "displayName": displayName.map { .string($0) },
            "avatarKey": .edit(avatarKey) { .string($0) },
        ])
    }
}
