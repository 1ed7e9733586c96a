public import Foundation

/// The logic of screens on which people send invitations, and respond to one.
///
/// With a store, the screen shows stored data at once, and inviting by e-mail, revoking, sending
/// again, accepting and declining work offline; `follow()` keeps it up to date. Links need the
/// network.
@MainActor
public final class InvitationsScreen: Screen {
    /// Content of the screen.
    public private(set) var state = InvitationsScreenState() {
        didSet {
            if state.notice == nil { state.notice = conflicts.first }
            if state != oldValue { onChange?(state) }
        }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (InvitationsScreenState) -> Void)?

    private let hearth: Hearth
    private let family: FamilyID?
    private let store: FamilyStore?
    private var conflicts = ConflictBanners()
    /// Language of banners.
    var language = SentenceLanguage.current

    /// - Parameters:
    ///   - family: Can be left out by a member of at most one family.
    ///   - store: Kept up to date by a `SyncEngine`. Without a store each load requests the
    ///     invitations from Hearth.
    public init(_ hearth: Hearth, family: FamilyID? = nil, store: FamilyStore? = nil) {
        self.hearth = hearth
        self.family = family
        self.store = store
    }

    /// Loads the invitations. Call it when the screen appears, and for "pull to refresh".
    public func load() async {
        await attempt {
            if let store { return try show(store) }
            state.received = try await hearth.receivedInvitations()
            do {
                state.pending = try await hearth.invitations(of: family).elements
            } catch let error as HearthError where error.code == .familyRequired {
                // A person without a family can only receive invitations.
                state.pending = []
            }
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
        // Assigned at once: invitations and the notice about them change together.
        var next = state
        next.received = try store.receivedInvitations()
        next.pending = try family(in: store).map { try store.invitations(of: $0) } ?? []
        let waiting = try store.queuedMutations()
        next.queued = Set(
            waiting.filter { $0.mutation.target?.kind == .invitation }
                .compactMap { $0.mutation.target.map { InvitationID($0.id) } })
        next.notice = try conflicts.update(
            from: store, queue: waiting, shown: state.notice
        ) { banner($0) }
        state = next
    }

    /// Returns the banner of a refusal; nil if it is about another kind of change, or about an
    /// invitation to another family than the screen's.
    private func banner(_ conflict: Conflict) -> ScreenNotice? {
        if let family, let other = conflict.familyID, other != family { return nil }
        return ScreenNotice(
            conflict,
            of: [
                .invite, .resendInvitation, .revokeInvitation, .acceptInvitation,
                .declineInvitation,
            ], in: language)
    }

    /// Returns the screen's family, or else the person's only one.
    private func family(in store: FamilyStore) throws -> FamilyID? {
        if let family { return family }
        let families = try store.families()
        return families.count == 1 ? families[0].id : nil
    }

    /// Queues a change and shows its effect.
    ///
    /// - Parameter sentence: Sentence of a banner while the change waits.
    private func enqueue(
        _ mutation: Mutation, in store: FamilyStore, saying sentence: ScreenSentence? = nil
    ) throws {
        let queued = try store.enqueue(mutation)
        try show(store)
        if let sentence { state.notice = .waiting(sentence.text(in: language), queued) }
    }

    /// Sets the address that the person types.
    public func type(_ email: String) { state.emailInput = email }

    /// Invites the typed address.
    ///
    /// - Parameter role: The side on which the person joins: a player invites a parent.
    public func invite(as role: MemberRole, householdRole: HouseholdRole? = nil) async {
        let email = state.emailInput.trimmingCharacters(in: .whitespaces)
        guard state.canInvite else {
            state.notice = .failure(
                ScreenSentence.addressMalformed.text(in: language), .correctInput)
            return
        }
        await work {
            if let store, let family = try family(in: store), let person = try store.owner() {
                try enqueue(
                    .invite(
                        email: email, as: role, householdRole: householdRole, to: family,
                        by: person), in: store,
                    saying: .invitationWillBeSent(email: email))
            } else {
                try await hearth.invite(
                    .email(email), as: role, householdRole: householdRole, to: family)
                state.pending = try await hearth.invitations(of: family).elements
                succeed(.invitationSent(email: email))
            }
            state.emailInput = ""
        }
    }

    /// Creates an invitation link to share.
    public func makeLink(for role: MemberRole, householdRole: HouseholdRole? = nil) async {
        await work {
            state.link = try await hearth.invite(
                .link, as: role, householdRole: householdRole, to: family
            ).url
            // A store gets the invitation in its next sync.
            if store == nil {
                state.pending = try await hearth.invitations(of: family).elements
            }
        }
    }

    /// Revokes an invitation.
    public func revoke(_ invitation: Invitation) async {
        await work {
            if let store {
                try enqueue(
                    .revokeInvitation(invitation), in: store,
                    saying: .invitationWillBeRevoked)
            } else {
                try await hearth.revokeInvitation(invitation.id)
                state.pending.removeAll { $0.id == invitation.id }
                succeed(.invitationRevoked)
            }
        }
    }

    /// Sends an invitation again.
    public func resend(_ invitation: Invitation) async {
        await work {
            if let store, !invitation.email.isEmpty {
                try enqueue(
                    .resendInvitation(invitation), in: store,
                    saying: .invitationWillBeResent)
            } else {
                state.link = try await hearth.resendInvitation(invitation.id)
                succeed(.invitationResent)
            }
        }
    }

    // MARK: The invited person

    /// Shows the invitation of a link. Needs no account and changes nothing.
    public func open(token: String) async {
        state.opened = nil
        state.openedError = nil
        do {
            state.opened = try await hearth.previewInvitation(token: token)
        } catch let error as HearthError {
            state.openedError = .init(error)
        } catch {
            state.notice = ScreenNotice(error, in: language)
        }
    }

    /// Accepts the invitation of a link.
    public func accept(token: String) async {
        await work { state.acceptedFamily = try await hearth.acceptInvitation(token: token) }
    }

    /// Declines the invitation of a link.
    public func decline(token: String) async {
        await work {
            try await hearth.declineInvitation(token: token)
            state.opened = nil
        }
    }

    /// Accepts an invitation to the person's own address.
    public func accept(_ invitation: ReceivedInvitation) async {
        await work {
            if let store { return try enqueue(.acceptInvitation(invitation), in: store) }
            state.acceptedFamily = try await hearth.acceptInvitation(invitation.id)
            state.received.removeAll { $0.id == invitation.id }
        }
    }

    /// Declines an invitation to the person's own address.
    public func decline(_ invitation: ReceivedInvitation) async {
        await work {
            if let store { return try enqueue(.declineInvitation(invitation), in: store) }
            try await hearth.declineInvitation(invitation.id)
            state.received.removeAll { $0.id == invitation.id }
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

/// Content of a screen for invitations.
public struct InvitationsScreenState: Sendable, Hashable {
    /// Whether nothing has been loaded yet: show placeholders.
    public var isLoading = true
    /// Whether an action is in progress: disable buttons.
    public var isWorking = false
    /// The family's pending invitations, newest first.
    public var pending: [Invitation] = []
    /// Invitations with changes that wait to be sent, among them new ones with a provisional id.
    public var queued: Set<InvitationID> = []
    /// Pending invitations to the person's own address.
    public var received: [ReceivedInvitation] = []
    /// Address that the person types.
    public var emailInput = ""
    /// Invitation link that was created, to be shared.
    public var link: URL?
    /// Invitation that a link opened.
    public var opened: InvitationPreview?
    /// Reason why a link opened no invitation.
    public var openedError: OpenedError?
    /// Family that the person has joined by accepting an invitation.
    public var acceptedFamily: FamilyID?
    /// Banner to show.
    public var notice: ScreenNotice?

    /// Creates the state before loading; for previews, set the properties.
    public init() {}

    /// Reason why a link opens no invitation.
    public enum OpenedError: Sendable, Hashable {
        /// The invitation has expired.
        case expired
        /// The invitation was already accepted or declined.
        case answered
        /// The invitation does not exist, or was revoked.
        case notFound
        /// Any other error; trying again may help.
        case other(String)

        /// Title of the explanation.
        public var title: String {
            switch self {
            case .expired: "This invite has expired"
            case .answered: "Already connected"
            case .notFound: "Invite not found"
            case .other: "Something went wrong"
            }
        }

        /// Explanation, with advice.
        public var text: String {
            switch self {
            case .expired: "This invite link has expired. Ask the sender to resend."
            case .answered: "You're already connected to this family."
            case .notFound: "This invite link is invalid or has already been used."
            case .other(let message): message
            }
        }

        init(_ error: HearthError) {
            switch error.code {
            case .invitationExpired: self = .expired
            case .invitationAnswered: self = .answered
            case .invitationNotFound: self = .notFound
            default: self = .other(error.message(in: SentenceLanguage.current))
            }
        }
    }

    /// Whether the button to invite is enabled.
    public var canInvite: Bool {
        let parts = emailInput.trimmingCharacters(in: .whitespaces)
            .split(separator: "@", omittingEmptySubsequences: false)
        return !isWorking && parts.count == 2 && !parts[0].isEmpty
            && parts[1].split(separator: ".").count > 1
    }
}
