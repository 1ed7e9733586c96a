/// What `Hearth.updateFamily(_:_:)` changes. What is not given stays.
public struct FamilyChange: Sendable, Hashable {
    /// The new name.
    public var name: String?
    /// Where the family lives.
    public var home: Edit<Home>
    /// Whether people who join by the code wait until they are approved.
    public var isApprovalRequired: Bool?

    /// A change; nothing unless it is named.
    public init(name: String? = nil, home: Edit<Home> = .keep, isApprovalRequired: Bool? = nil) {
        self.name = name
        self.home = home
        self.isApprovalRequired = isApprovalRequired
    }

    var body: JSONValue {
        .body([
            "familyName": name.map { .string($0) },
            "homeLatitude": .edit(home) { .number($0.latitude) },
            "homeLongitude": .edit(home) { .number($0.longitude) },
            "approvalRequired": isApprovalRequired.map { .bool($0) },
        ])
    }
}
