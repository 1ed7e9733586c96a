import Domain

/// Inputs that several routes have.
enum Inputs {
    /// The family that the path names.
    static let family = Input<FamilyID>.path("id", .id(), absent: Problem(.familyNotFound))
    /// The member that the path names.
    static let member = Input<MemberID>.path(
        "memberId", .shownID(), absent: Problem(.memberNotFound), "A member's id.")
    /// The managed member that the path names.
    static let managedMember = Input<MemberID>.path(
        "id", .shownID(), absent: Problem(.memberNotFound), "A managed member's id.")

    /// The family in the query, where the caller's only one will do.
    static let familyInQuery = Input<FamilyID?>.query(
        "familyId", .id(), "Can be left out by a member of exactly one family.")
    /// The family in the body, where the caller's only one will do.
    static let familyInBody = Input<FamilyID?>.optional(
        "familyId", .id(), "Can be left out by a member of exactly one family.")

    /// Where a page begins.
    static let cursor = Input<String?>.query(
        "cursor", .cursor, "`nextCursor` of the page before.")

    /// Who becomes the guardian of children that would be left without one.
    static let heir = Input<MemberID?>.query(
        "reassignManagedTo", .shownID(),
        "The member who becomes the guardian of the children of the one who goes.")

    static let avatarKey = Input<Given<AvatarKey>>.clearable(
        "avatarKey", .text, "Null or empty takes it away.")
}

extension Given<AvatarKey> {
    /// What a use case takes: empty takes away, nil leaves as it is.
    var change: AvatarKey? {
        switch self {
        case .absent: nil
        case .null: AvatarKey("")
        case .value(let key): key
        }
    }
}
