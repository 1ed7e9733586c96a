/// What a screen for the members of a family shows.
public struct MembersScreenState: Sendable, Hashable {
    /// Nothing has been read yet: show placeholders.
    public internal(set) var isLoading = true
    /// Something is being done: keep buttons disabled.
    public internal(set) var isWorking = false
    /// The family as the person sees it.
    public internal(set) var family: Family?
    /// The active members.
    public internal(set) var members: [Member] = []
    /// The people who wait for approval, for those who may approve.
    public internal(set) var waiting: [Member] = []
    /// The members whose changes wait on this device.
    public internal(set) var pending: Set<MemberID> = []
    /// The banner to show.
    public internal(set) var notice: ScreenNotice?

    /// What stands above the list.
    public var header: String { "Family Members (\(members.count))" }
    /// What stands where nobody else is.
    public var emptyText: String? {
        !isLoading && members.count <= 1 ? "No family members yet. Share your code!" : nil
    }

    /// What the person may do in the family.
    public var ownRole: HouseholdRole { family?.householdRole ?? .unknown("") }
    /// Whether the person governs the family: sees buttons to change and remove.
    public var isParentAdmin: Bool { ownRole == .parentAdmin }

    /// Whether a member is the person itself.
    public func isOwn(_ member: Member) -> Bool { member.id == family?.memberID }

    /// Whether to show a button that removes the member. Hearth decides.
    public func canRemove(_ member: Member) -> Bool {
        guard let family, !isOwn(member), member.householdRole != .parentAdmin else { return false }
        if isParentAdmin { return true }
        let isOwnChild = member.guardianID != nil && member.guardianID == ownUserID
        return isOwnChild
            || (family.createdByUserID == ownUserID && !member.isManaged
                && ownRole != .visitor)
    }

    /// The roles to offer for a member; none where there is no choice.
    public func roles(for member: Member) -> [HouseholdRole] {
        if member.isManaged { return [] }
        if isOwn(member) {
            guard let family, let roles = family.selectableRoles else { return ownRoles }
            return (family.parentAdmin == .free ? [.parentAdmin] : []) + roles
        }
        if isParentAdmin { return [.adult, .kid, .visitor] }
        return canBeNamed(member) ? [.parentAdmin] : []
    }

    /// Whether the person made the family, nobody is its Parent Admin, and the member is an adult.
    private func canBeNamed(_ member: Member) -> Bool {
        guard let family, let seat = family.parentAdmin, seat != .taken else { return false }
        return family.createdByUserID == ownUserID && ownRole != .visitor
            && member.role == .parent && member.householdRole == .adult
    }

    /// The person.
    public var ownUserID: UserID? { members.first(where: isOwn)?.userID }

    /// The letters that stand in for a picture.
    public static func initials(of member: Member) -> String {
        let words = member.displayName.split(whereSeparator: \.isWhitespace)
        let letters = [words.first?.first, words.count > 1 ? words.last?.first : nil]
        let initials = letters.compactMap { $0 }.map { $0.uppercased() }.joined()
        return initials.isEmpty ? "?" : initials
    }

    /// Where Hearth doesn't say what the person may choose: any role up to its own, and the Parent
    /// Admin's if nobody has it.
    private var ownRoles: [HouseholdRole] {
        let isTaken = members.contains { $0.householdRole == .parentAdmin }
        guard let place = HouseholdRole.known.firstIndex(of: ownRole), ownRole != .parentAdmin
        else {
            return []
        }
        let below = Array(HouseholdRole.known[place...])
        return ownRole == .adult && !isTaken ? [.parentAdmin] + below : below
    }
}
