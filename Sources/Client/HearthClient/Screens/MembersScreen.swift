/// The logic of a screen that shows the members of a family and lets those who may change them.
///
/// With a store it shows at once what is known, changes are made offline as well, and `follow()`
/// keeps it up to date.
@MainActor
public final class MembersScreen: Screen {
    /// What the screen shows.
    public private(set) var state = MembersScreenState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Called after each change of the state.
    public var onChange: (@MainActor (MembersScreenState) -> Void)?

    private let hearth: Hearth
    private let family: FamilyID
    private let store: FamilyStore?

    /// - Parameter store: Kept up to date by a `SyncEngine`; without one each load asks Hearth.
    public init(_ hearth: Hearth, family: FamilyID, store: FamilyStore? = nil) {
        self.hearth = hearth
        self.family = family
        self.store = store
    }

    /// Reads the members; to be called when the screen appears, and by "pull to refresh".
    public func load() async {
        await attempt {
            if let store {
                try show(store)
            } else {
                async let own = hearth.family(family)
                async let members = hearth.members(of: family)
                try await show(own, members)
            }
        }
        state.isLoading = false
    }

    /// Shows what changes in the store, and the conflicts, until the task is cancelled.
    public func follow() async {
        guard let store else { return }
        await load()
        let conflicts = Task { [weak self] in
            for await conflict in store.conflicts { self?.show(conflict) }
        }
        defer { conflicts.cancel() }
        for await _ in store.changes { await load() }
    }

    /// Changes what a member may do.
    public func setRole(_ role: HouseholdRole, of member: Member) async {
        await change(.setHouseholdRole(role, of: member)) {
            _ = try await hearth.setHouseholdRole(role, of: member.id)
        }
    }

    /// Removes a member. To be confirmed before.
    public func remove(_ member: Member) async {
        let mutation: Mutation =
            member.isManaged ? .removeManagedMember(member) : .removeMember(member)
        await change(mutation, "\(member.displayName) was removed.") {
            if member.isManaged {
                try await hearth.removeManagedMember(member.id)
            } else {
                try await hearth.removeMember(member.id)
            }
        }
    }

    /// Lets in a person who waits.
    public func approve(_ member: Member) async {
        await change(.approveMember(member), "\(member.displayName) is in.") {
            _ = try await hearth.approveMember(member.id)
        }
    }

    /// The notice was seen.
    public func dismissNotice() { state.notice = nil }

    // MARK: Details

    private func change(
        _ mutation: Mutation, _ success: String? = nil, _ online: () async throws -> Void
    ) async {
        state.isWorking = true
        await attempt {
            if let store {
                try store.enqueue(mutation)
                try show(store)
            } else {
                try await online()
                try await show(hearth.family(family), hearth.members(of: family))
            }
            state.notice = success.map { .success($0) }
        }
        state.isWorking = false
    }

    private func show(_ store: FamilyStore) throws {
        let queued = try store.queuedMutations().compactMap(\.mutation.target)
            .filter { $0.kind == .member }.map { MemberID($0.id) }
        state.pending = Set(queued)
        show(try store.family(family), try store.members(of: family))
    }

    private func show(_ own: Family?, _ members: [Member]) {
        state.family = own
        state.members = members.filter { $0.status == .active }
        state.waiting = members.filter { $0.status == .invited }
    }

    private func show(_ conflict: Conflict) {
        guard conflict.kind == .member, conflict.familyID == family else { return }
        let name =
            state.members.first { $0.id.rawValue == conflict.thingID }?.displayName ?? "a member"
        let text =
            switch conflict.outcome {
            case .theirsKept: "Somebody changed \(name) after you. Their change was kept."
            case .yoursKept: "Your change of \(name) was kept instead of an earlier one."
            case .overwritten: "Somebody replaced your change of \(name)."
            case .refused(_, let message): message
            }
        state.notice = .failure(text, .refresh)
        // Shown now. If the disk can't forget it, it is shown once more after the next start.
        try? store?.dismiss(conflict)
    }

    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch { state.notice = ScreenNotice(error) }
    }
}
