public import Foundation

/// What a screen for invitations shows.
public struct InvitationsScreenState: Sendable, Hashable {
    /// Nothing has been read yet: show placeholders.
    public internal(set) var isLoading = true
    /// Something is being done: keep buttons disabled.
    public internal(set) var isWorking = false
    /// The family's pending invitations, newest first.
    public internal(set) var pending: [Invitation] = []
    /// The pending invitations to the person itself.
    public internal(set) var received: [ReceivedInvitation] = []
    /// The address that is typed.
    public internal(set) var emailInput = ""
    /// A link that was made, to be shared.
    public internal(set) var link: URL?
    /// An invitation that a link led to.
    public internal(set) var opened: InvitationPreview?
    /// Why a link leads nowhere.
    public internal(set) var openedError: OpenedError?
    /// The family that the person is a member of since it accepted.
    public internal(set) var acceptedFamily: FamilyID?
    /// The banner to show.
    public internal(set) var notice: ScreenNotice?

    /// Why a link leads nowhere.
    public enum OpenedError: Sendable, Hashable {
        /// The invitation has ended.
        case expired
        /// Somebody has answered it.
        case answered
        /// There is none, or it was taken back.
        case notFound
        /// Anything else; trying again may help.
        case other(String)

        /// What stands above the explanation.
        public var title: String {
            switch self {
            case .expired: "This invite has expired"
            case .answered: "Already connected"
            case .notFound: "Invite not found"
            case .other: "Something went wrong"
            }
        }

        /// What to do.
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
            default: self = .other(error.message)
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
