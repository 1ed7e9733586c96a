import Foundation

/// The logic of screens on which people invite, and on which they answer an invitation.
@MainActor
public final class InvitationsScreen: Screen {
    /// What the screen shows.
    public private(set) var state = InvitationsScreenState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Called after each change of the state.
    public var onChange: (@MainActor (InvitationsScreenState) -> Void)?

    private let hearth: Hearth
    private let family: FamilyID?

    /// - Parameter family: Can be left out by a member of at most one family.
    public init(_ hearth: Hearth, family: FamilyID? = nil) {
        self.hearth = hearth
        self.family = family
    }

    /// Reads the invitations; to be called when the screen appears, and by "pull to refresh".
    public func load() async {
        await attempt {
            state.received = try await hearth.receivedInvitations()
            do {
                state.pending = try await hearth.invitations(of: family).elements
            } catch let error as HearthError where error.code == .familyRequired {
                // Who is in no family only receives.
                state.pending = []
            }
        }
        state.isLoading = false
    }

    /// Takes what the person types.
    public func type(_ email: String) { state.emailInput = email }

    /// Invites the address that is typed.
    ///
    /// - Parameter role: The side on which the person comes in: a player invites a parent.
    public func invite(as role: MemberRole, householdRole: HouseholdRole? = nil) async {
        let email = state.emailInput.trimmingCharacters(in: .whitespaces)
        guard state.canInvite else {
            state.notice = .failure("Please enter a valid email address", .correctInput)
            return
        }
        await work {
            try await hearth.invite(
                .email(email), as: role, householdRole: householdRole, to: family)
            state.emailInput = ""
            state.pending = try await hearth.invitations(of: family).elements
            state.notice = .success("Invite sent to \(email)!")
        }
    }

    /// Makes a link to share.
    public func makeLink(for role: MemberRole, householdRole: HouseholdRole? = nil) async {
        await work {
            state.link = try await hearth.invite(
                .link, as: role, householdRole: householdRole, to: family
            ).url
            state.pending = try await hearth.invitations(of: family).elements
        }
    }

    /// Takes back an invitation.
    public func revoke(_ invitation: Invitation) async {
        await work {
            try await hearth.revokeInvitation(invitation.id)
            state.pending.removeAll { $0.id == invitation.id }
            state.notice = .success("Invite revoked.")
        }
    }

    /// Sends an invitation again.
    public func resend(_ invitation: Invitation) async {
        await work {
            state.link = try await hearth.resendInvitation(invitation.id)
            state.notice = .success("Invite sent again.")
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
            state.notice = ScreenNotice(error)
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
            state.acceptedFamily = try await hearth.acceptInvitation(invitation.id)
            state.received.removeAll { $0.id == invitation.id }
        }
    }

    /// Declines an invitation to the person's own address.
    public func decline(_ invitation: ReceivedInvitation) async {
        await work {
            try await hearth.declineInvitation(invitation.id)
            state.received.removeAll { $0.id == invitation.id }
        }
    }

    /// The notice was seen.
    public func dismissNotice() { state.notice = nil }

    private func work(_ body: () async throws -> Void) async {
        state.isWorking = true
        state.notice = nil
        await attempt(body)
        state.isWorking = false
    }

    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch { state.notice = ScreenNotice(error) }
    }
}
