public import Foundation

/// The logic of a screen that shows the family's code, and on which people create and join
/// families.
///
/// With a store, the screen shows stored data at once, and introducing oneself, creating,
/// joining and leaving work offline; `follow()` keeps it up to date. QR codes, previews and new
/// codes need the network.
@MainActor
public final class FamilyScreen: Screen {
    /// Content of the screen.
    public private(set) var state = FamilyScreenState() {
        didSet {
            if state.notice == nil { state.notice = conflicts.first }
            if state != oldValue { onChange?(state) }
        }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (FamilyScreenState) -> Void)?

    private let hearth: Hearth
    private let isCreating: Bool
    private let store: FamilyStore?
    private var conflicts = ConflictBanners()
    /// Language of banners.
    var language = SentenceLanguage.current

    /// - Parameters:
    ///   - isCreating: If true, the first load creates a family for a person who has none. With a
    ///     store this needs a first sync.
    ///   - store: Kept up to date by a `SyncEngine`. Without a store each load requests the
    ///     families from Hearth.
    public init(
        _ hearth: Hearth, creatingFamily isCreating: Bool = false, store: FamilyStore? = nil
    ) {
        self.hearth = hearth
        self.isCreating = isCreating
        self.store = store
    }

    /// Loads the families. Call it when the screen appears, and for "pull to refresh".
    public func load() async {
        if state.notice?.isWaiting != true { state.notice = nil }
        await attempt {
            if let store {
                if isCreating, try store.cursor() != nil, try store.families().isEmpty,
                    try store.queuedMutations().isEmpty, let person = try store.ownProfile()
                {
                    try store.enqueue(.createFamily(named: Self.usualName(person), by: person))
                }
                try show(store)
                return
            }
            var families = try await hearth.families()
            if families.isEmpty, isCreating {
                _ = try await hearth.createFamily()
                families = try await hearth.families()
            }
            state.families = families
        }
        state.isLoading = false
    }

    /// Shows changes of the store, and refusals of changes made here, until the task is cancelled.
    /// A refusal stays until `dismissNotice()`; further ones follow it.
    public func follow() async {
        guard let store else { return }
        // Registered before the first read, so that no change is missed.
        let (changes, conflicts) = (store.changes, store.conflicts)
        await load()
        let watching = Task { [weak self] in
            for await _ in conflicts { self?.refresh(store) }
        }
        defer { watching.cancel() }
        for await _ in changes { refresh(store) }
    }

    private func refresh(_ store: FamilyStore) {
        do { try show(store) } catch { state.notice = ScreenNotice(error, in: language) }
    }

    private func show(_ store: FamilyStore) throws {
        // Assigned at once: families and the notice about them change together.
        var next = state
        next.families = try store.families()
        let waiting = try store.queuedMutations()
        next.pending = Set(
            waiting.filter { $0.mutation.target?.kind == .family }
                .compactMap { $0.mutation.target.map { FamilyID($0.id) } })
        next.isJoinQueued = waiting.contains { $0.mutation.kind == .joinFamily }
        next.profile = try store.ownProfile()
        next.joinRequests = next.profile?.joinRequests ?? []
        next.notice = try conflicts.update(
            from: store, queue: waiting, shown: state.notice
        ) { conflict in
            ScreenNotice(conflict, of: Self.ownKinds, in: language)
        }
        state = next
    }

    /// Kinds of changes that this screen makes.
    private static let ownKinds: [MutationKind] = [
        .updateProfile, .createFamily, .createAnotherFamily, .joinFamily, .leaveFamily,
        .withdrawRequest,
    ]

    private static func usualName(_ person: Profile) -> String { "\(person.displayName)'s family" }

    /// Sets the name and the side of a person who has signed in for the first time. Does nothing
    /// while the name is empty.
    public func introduce(name: String, role: MemberRole) async {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        if name.isEmpty { return }
        let change = ProfileChange(fullName: name, role: role)
        await work {
            if let store, let person = try store.owner() {
                try store.enqueue(.updateProfile(person, change))
                try show(store)
            } else {
                state.profile = try await hearth.updateProfile(change)
            }
        }
    }

    /// Sets the name that the person types for a new family.
    public func typeName(_ name: String) { state.nameInput = name }

    /// Creates a family with the typed name.
    public func create() async {
        guard let name = state.typedName else { return }
        await work {
            if let store {
                guard let person = try store.ownProfile() else {
                    throw HearthError.storage(
                        reason: "the store has no profile before a first sync")
                }
                let isFirst = try store.families().isEmpty
                try store.enqueue(
                    isFirst
                        ? .createFamily(named: name, by: person)
                        : .createAnotherFamily(named: name, by: person))
                state.nameInput = ""
                return try show(store)
            }
            if try await hearth.families().isEmpty {
                state.created = try await hearth.createFamily(named: name)
            } else {
                state.created = try await hearth.createAnotherFamily(named: name)
            }
            state.nameInput = ""
            state.families = try await hearth.families()
        }
    }

    /// Loads a family's code as a QR code, which a person who joins can scan.
    public func drawCode(of family: Family) async {
        await work { state.qrCode = try await hearth.qrCode(of: family.id) }
    }

    /// Sets the code that the person types, in upper case and cut to the longest code. Pasted or
    /// scanned text may be a whole link.
    public func type(_ text: String) {
        state.codeInput =
            FamilyCode(typed: text)?.text
            ?? String(text.uppercased().prefix(FamilyCode.longestText))
        state.preview = nil
    }

    /// Shows the family that the code belongs to.
    public func preview() async {
        guard let code = state.typedCode else { return }
        await work { state.preview = try await hearth.previewCode(code) }
    }

    /// Joins the family that the code belongs to.
    public func join() async {
        guard let code = state.typedCode else { return }
        await work {
            if let store {
                try store.enqueue(.joinFamily(by: code))
                state.codeInput = ""
                state.preview = nil
                return try show(store)
            }
            let joined = try await hearth.joinFamily(by: code)
            state.joined = joined
            state.codeInput = ""
            state.preview = nil
            succeed(
                .familyJoined(
                    message: joined.message, isAwaitingApproval: joined.isAwaitingApproval))
            state.families = try await hearth.families()
        }
    }

    /// Replaces a family's code. Ask for confirmation first: the old code stops working.
    public func regenerateCode(of family: Family) async {
        await work {
            try await hearth.regenerateCode(of: family.id)
            // A store gets the new code in its next sync.
            if store == nil { state.families = try await hearth.families() }
            succeed(.codeRegenerated)
        }
    }

    /// Leaves a family. Ask for confirmation first.
    public func leave(_ family: Family) async {
        await work {
            if let store {
                let queued = try store.enqueue(.leaveFamily(family.id))
                try show(store)
                announce(.familyWillBeLeft(family.name), queued)
            } else {
                try await hearth.leaveFamily(family.id)
                state.families = try await hearth.families()
                succeed(.familyLeft(family.name))
            }
        }
    }

    /// Withdraws the person's request to join a family.
    public func withdraw(_ request: JoinRequest) async {
        await work {
            if let store, let person = try store.ownProfile() {
                let queued = try store.enqueue(.withdrawRequest(request, of: person))
                try show(store)
                announce(.requestWillBeWithdrawn(family: request.familyName), queued)
            } else {
                try await hearth.withdrawRequest(to: request.familyID)
                state.joinRequests.removeAll { $0.familyID == request.familyID }
                succeed(.requestWithdrawn(family: request.familyName))
            }
        }
    }

    /// Dismisses the notice. A refusal is then not shown again; the next one takes its place.
    ///
    /// - Parameter notice: Notice that a timer dismisses: one that has replaced it stays.
    public func dismissNotice(_ notice: ScreenNotice? = nil) {
        let next = conflicts.dismiss(
            notice, shown: state.notice, in: store, language: language)
        if next != state.notice { state.notice = next }
    }

    private func succeed(_ sentence: ScreenSentence) {
        state.notice = .success(sentence.text(in: language))
    }

    private func announce(_ sentence: ScreenSentence, _ queued: QueuedMutation) {
        state.notice = .waiting(sentence.text(in: language), queued)
    }

    private func work(_ body: () async throws -> Void) async {
        state.isWorking = true
        state.notice = nil
        await attempt(body)
        state.isWorking = false
    }

    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch { state.notice = ScreenNotice(error, in: language) }
    }
}

/// Content of a screen for a person's families.
public struct FamilyScreenState: Sendable, Hashable {
    /// Whether nothing has been loaded yet: show placeholders.
    public var isLoading = true
    /// Whether an action is in progress: disable buttons.
    public var isWorking = false
    /// The person's own profile; nil before the first sync, and without a store. Ask for name and
    /// role while `Profile.lacksNameOrRole` is true.
    public var profile: Profile?
    /// The person's families.
    public var families: [Family] = []
    /// Families with changes that wait to be sent, among them new ones with a provisional id.
    public var pending: Set<FamilyID> = []
    /// Whether joining a family waits to be sent.
    public var isJoinQueued = false
    /// Requests to join that wait for a family's approval; empty without a store.
    public var joinRequests: [JoinRequest] = []
    /// Name that the person typed for a new family.
    public var nameInput = ""
    /// Family that the person has just created.
    public var created: CreatedFamily?
    /// A family's code as a QR code, in PNG.
    public var qrCode: Data?
    /// Code that the person typed, pasted or scanned.
    public var codeInput = ""
    /// Family that the code belongs to, to be confirmed before joining.
    public var preview: CodePreview?
    /// Family that the person has just joined, with the outcome.
    public var joined: JoinedFamily?
    /// Banner to show.
    public var notice: ScreenNotice?

    /// Creates the state before loading; for previews, set the properties.
    public init() {}

    /// The typed name, trimmed; nil while it is empty, so that the button stays disabled.
    public var typedName: String? {
        let name = nameInput.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }
    /// Whether the button to create a family is enabled.
    public var canCreate: Bool { typedName != nil && !isWorking }

    /// Family whose code is shown: the one that the person governs, else the first.
    public var ownFamily: Family? {
        families.first { $0.householdRole == .parentAdmin } ?? families.first
    }

    /// The typed code; nil until it is complete, so that the button stays disabled.
    public var typedCode: FamilyCode? { FamilyCode(typed: codeInput) }
    /// Whether the button to join is enabled.
    public var canJoin: Bool { typedCode != nil && !isWorking }
    /// Message below the field while the typed text can't be a code; else nil.
    public var codeMessage: String? {
        codeInput.count >= 10 && typedCode == nil
            ? "Invalid family code format. Codes look like FAM-XXXXXX" : nil
    }

    /// Accessibility label of the code, spelled out.
    public var codeAccessibilityLabel: String {
        guard let code = ownFamily?.code else { return "No family code" }
        return "Family code: "
            + code.map { $0 == "-" ? "dash" : String($0) }.joined(separator: " ")
    }

    /// Text to show if there are no families.
    public var emptyText: String? {
        !isLoading && families.isEmpty
            ? "No families joined yet. Ask a player for their code." : nil
    }
}
