import DomainCore
import Policy

/// The logic of a screen that shows a family's members and lets authorized people change them.
///
/// With a store, the screen shows stored data at once and allows changes offline; `follow()` keeps
/// it up to date.
@MainActor
public final class MembersScreen: Screen {
    /// Content of the screen.
    public private(set) var state = MembersScreenState() {
        didSet {
            if state.notice == nil { state.notice = conflicts.first }
            if state != oldValue { onChange?(state) }
        }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (MembersScreenState) -> Void)?

    private let hearth: Hearth
    private let family: FamilyID
    private let store: FamilyStore?
    private var conflicts = ConflictBanners()
    /// Language of banners.
    var language = SentenceLanguage.current

    /// - Parameter store: Kept up to date by a `SyncEngine`. Without a store each load requests the
    ///   members from Hearth.
    public init(_ hearth: Hearth, family: FamilyID, store: FamilyStore? = nil) {
        self.hearth = hearth
        self.family = family
        self.store = store
    }

    /// Loads the members. Call it when the screen appears, and for "pull to refresh".
    public func load() async {
        await attempt {
            if let store {
                try show(store)
            } else {
                async let own = hearth.family(family)
                async let members = hearth.members(of: family)
                let (shown, all) = try await (own, members)
                state.show(shown, all)
            }
        }
        state.isLoading = false
    }

    /// Shows changes of the store, and conflicts, until the task is cancelled. A conflict stays
    /// until `dismissNotice()`; further ones follow it.
    public func follow() async {
        guard let store else { return }
        // Registered before the first read, so that no change is missed.
        let (changes, conflicts) = (store.changes, store.conflicts)
        await load()
        let watching = Task { [weak self] in
            for await _ in conflicts { await self?.load() }
        }
        defer { watching.cancel() }
        for await _ in changes { await load() }
    }

    /// Changes a member's household role.
    public func setRole(_ role: HouseholdRole, of member: Member) async {
        await change(.setHouseholdRole(role, of: member)) {
            _ = try await hearth.setHouseholdRole(role, of: member.id)
        }
    }

    /// Removes a member. Ask for confirmation first.
    public func remove(_ member: Member) async {
        let mutation: Mutation =
            member.isManaged ? .removeManagedMember(member) : .removeMember(member)
        let name = member.displayName
        await change(mutation, .memberRemoved(name), waiting: .memberWillBeRemoved(name)) {
            if member.isManaged {
                try await hearth.removeManagedMember(member.id)
            } else {
                try await hearth.removeMember(member.id)
            }
        }
    }

    /// Approves a person who waits for approval.
    public func approve(_ member: Member) async {
        let name = member.displayName
        await change(
            .approveMember(member), .memberApproved(name), waiting: .memberWillBeApproved(name)
        ) {
            _ = try await hearth.approveMember(member.id)
        }
    }

    /// Rejects a person who waits for approval. Ask for confirmation first.
    public func reject(_ member: Member) async {
        let name = member.displayName
        await change(
            .rejectMember(member), .memberRejected(name), waiting: .memberWillBeRejected(name)
        ) {
            try await hearth.rejectMember(member.id)
        }
    }

    /// Dismisses the notice. A conflict is then not shown again; the next one takes its place.
    ///
    /// - Parameter notice: Notice that a timer dismisses: one that has replaced it stays.
    public func dismissNotice(_ notice: ScreenNotice? = nil) {
        let next = conflicts.dismiss(
            notice, shown: state.notice, in: store, language: language)
        if next != state.notice { state.notice = next }
    }

    // MARK: Details

    /// - Parameters:
    ///   - success: Sentence of a banner when the change is done.
    ///   - waiting: Sentence of a banner while the change waits in the store.
    private func change(
        _ mutation: Mutation, _ success: ScreenSentence? = nil, waiting: ScreenSentence? = nil,
        _ online: () async throws -> Void
    ) async {
        state.isWorking = true
        await attempt {
            if let store {
                let queued = try store.enqueue(mutation)
                try show(store)
                state.notice = waiting.map { .waiting($0.text(in: language), queued) }
            } else {
                try await online()
                let own = try await hearth.family(family)
                let members = try await hearth.members(of: family)
                state.show(own, members)
                state.notice = success.map { .success($0.text(in: language)) }
            }
        }
        state.isWorking = false
    }

    private func show(_ store: FamilyStore) throws {
        let queue = try store.queuedMutations()
        // Assigned at once: members and the notice about them change together.
        var next = state
        next.pending = Set(
            queue.compactMap(\.mutation.target).filter { $0.kind == .member }
                .map { MemberID($0.id) })
        next.show(try store.family(family), try store.members(of: family))
        // A banner can name a member who is about to leave the screen.
        let people = next.members + next.waiting + state.members + state.waiting
        next.notice = try conflicts.update(
            from: store, queue: queue, shown: state.notice
        ) { banner($0, among: people) }
        state = next
    }

    /// Returns the banner of a conflict; nil if it is not about a member of this family.
    private func banner(_ conflict: Conflict, among people: [Member]) -> ScreenNotice? {
        guard conflict.kind == .member, conflict.familyID == family else { return nil }
        let name = people.first { $0.id.rawValue == conflict.entityID }?.displayName
        let text =
            switch conflict.outcome {
            case .theirsKept: ScreenSentence.theirsKept(name).text(in: language)
            case .yoursKept: ScreenSentence.yoursKept(name).text(in: language)
            case .overwritten: ScreenSentence.overwritten(name).text(in: language)
            case .unknown: ScreenSentence.outcomeUnknown.text(in: language)
            case .refused(let code, let message):
                (ErrorCode(rawValue: code) ?? .unrecognized).message(message, in: language)
            }
        return .failure(text, .refresh)
    }

    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch { state.notice = ScreenNotice(error, in: language) }
    }
}

/// Content of a screen for the members of a family.
public struct MembersScreenState: Sendable, Hashable {
    /// Whether nothing has been loaded yet: show placeholders.
    public var isLoading = true
    /// Whether an action is in progress: disable buttons.
    public var isWorking = false
    /// The family, as the person sees it.
    public var family: Family?
    /// The active members.
    public var members: [Member] = []
    /// People who wait for approval, if the person may approve them.
    public var waiting: [Member] = []
    /// Members with changes that have not been sent yet.
    public var pending: Set<MemberID> = []
    /// Banner to show.
    public var notice: ScreenNotice?

    /// Creates the state before loading; for previews, set the properties.
    public init() {}

    /// Shows the family as the person sees it, and its members.
    fileprivate mutating func show(_ own: Family?, _ all: [Member]) {
        family = own
        members = all.filter { $0.status == .active }
        waiting = all.filter { $0.status == .invited }
    }

    /// Title of the list.
    public var header: String { "Family Members (\(members.count))" }
    /// Text to show if the family has no other members.
    public var emptyText: String? {
        !isLoading && members.count <= 1 ? "No family members yet. Share your code!" : nil
    }

    /// The person's household role in the family.
    public var ownRole: HouseholdRole { family?.householdRole ?? .unknown("") }
    /// Whether the person governs the family, and so gets buttons to change and remove members.
    public var isParentAdmin: Bool { ownRole == .parentAdmin }

    /// Whether a member is the person who uses the app.
    public func isOwn(_ member: Member) -> Bool { member.id == family?.memberID }

    /// Whether to show a button that removes the member. Hearth has the final say.
    public func canRemove(_ member: Member) -> Bool {
        guard let facts = facts(about: member) else { return false }
        return decide(member.isManaged ? .managedRemove : .memberRemove, facts) == .allowed
    }

    /// Household roles to offer for a member; empty if there is no choice.
    public func roles(for member: Member) -> [HouseholdRole] {
        if isOwn(member), let family, let roles = family.selectableRoles {
            return (family.parentAdmin == .free ? [.parentAdmin] : []) + roles
        }
        guard let facts = facts(about: member), let present = Membership(member)?.householdRole
        else { return [] }
        return HouseholdRole.known.filter { role in
            guard let role = DomainCore.HouseholdRole(rawValue: role.rawValue) else { return false }
            let change = facts.with(
                newRole: role, present: present, ceiling: present, isSeatTaken: isSeatTaken,
                isSeatReserved: family?.parentAdmin == .reserved)
            return decide(.memberSetRole, change) == .allowed
        }
    }

    /// Facts for the policy's decision, from the data on this device; nil if they are insufficient,
    /// or if they contain a role that this release does not know.
    private func facts(about member: Member) -> Facts? {
        guard let family, let own = members.first(where: isOwn),
            var caller = Membership(own), var target = Membership(member)
        else { return nil }
        caller.isCreator = own.userID == family.createdByUserID
        target.isCreator = member.userID == family.createdByUserID
        let isGuardian = member.guardians.contains { $0.userID == own.userID }
        return Facts(isAnonymous: false, isActing: false, membership: caller).with(
            target: target, isOneself: isOwn(member),
            guardianship: member.guardianID == own.userID
                ? .primary : isGuardian ? .further : nil)
    }

    private var isSeatTaken: Bool {
        family?.parentAdmin.map { $0 == .taken }
            ?? members.contains { $0.householdRole == .parentAdmin }
    }

    /// User id of the person who uses the app.
    public var ownUserID: UserID? { members.first(where: isOwn)?.userID }

    /// Initials to show instead of a picture.
    public static func initials(of member: Member) -> String {
        let words = member.displayName.split(whereSeparator: \.isWhitespace)
        let letters = [words.first?.first, words.count > 1 ? words.last?.first : nil]
        let initials = letters.compactMap { $0 }.map { $0.uppercased() }.joined()
        return initials.isEmpty ? "?" : initials
    }
}

extension Membership {
    /// Returns nil for an unknown role or status. The caller sets `isCreator`.
    fileprivate init?(_ member: Member) {
        guard let role = DomainCore.MemberRole(rawValue: member.role.rawValue),
            let household = DomainCore.HouseholdRole(rawValue: member.householdRole.rawValue),
            let status = DomainCore.MembershipStatus(rawValue: member.status.rawValue)
        else { return nil }
        self.init(
            role: role, householdRole: household, status: status, isManaged: member.isManaged,
            isCreator: false, isVouched: false)
    }
}
