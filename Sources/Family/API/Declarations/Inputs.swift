import Domain
import HTTPServer
import JSON

/// Inputs that several routes have.
enum Inputs {
    /// The family that the path names.
    static let family = Input<FamilyID>.path(
        "id", .id(), absent: Problem(.familyNotFound), "The family's id.")
    /// The member that the path names.
    static let member = Input<MemberID>.path(
        "memberId", .shownID(), absent: Problem(.memberNotFound), "A member's id.")
    /// The managed member that the path names.
    static let managedMember = Input<MemberID>.path(
        "id", .shownID(), absent: Problem(.memberNotFound), "A managed member's id.")

    /// The family in the query, where the caller's only one will do.
    static let familyInQuery = Input<FamilyID?>.query(
        "familyId", .id(), "Optional for a member of exactly one family.")
    /// The family in the body, where the caller's only one will do.
    static let familyInBody = Input<FamilyID?>.optional(
        "familyId", .id(), "Optional for a member of exactly one family.")

    /// Where a page begins.
    static let cursor = Input<String?>.query(
        "cursor", .cursor, "`nextCursor` of the previous page.")

    /// The new guardian of children who would be left without one.
    static let heir = Input<MemberID?>.query(
        "reassignManagedTo", .shownID(),
        "The new guardian of the leaving member's children.")

    static let changedAt = Input<Timestamp?>.header(
        "X-Changed-At", .moment,
        "When it was changed, if not now. Of two changes the later one counts, whichever arrives "
            + "first; a time in the future counts as now.")
    static let baseVersion = Input<Int?>.header(
        "X-Base-Version", .integer(0...Int(Int64.max)),
        "The family's version that the client has seen: the answer tells what it overwrote.")

    /// Any change may say when it was made and what its author had seen, as a client's queue sends
    /// them. Where neither decides anything they still must be what they claim to be.
    static func checkStamp(_ request: Request) throws(Problem) {
        let source = InputSource(
            parameters: PathParameters(), query: request.query, headers: request.headers,
            body: JSONField(.object(JSONObject())))
        _ = try changedAt.read(source)
        _ = try baseVersion.read(source)
    }

    static let avatarKey = Input<Given<AvatarKey>>.clearable(
        "avatarKey", .text, "Null or empty clears it.")
}

extension Given<AvatarKey> {
    /// The change for a use case: empty clears it, nil keeps it.
    var change: AvatarKey? {
        switch self {
        case .absent: nil
        case .null: AvatarKey("")
        case .value(let key): key
        }
    }
}
