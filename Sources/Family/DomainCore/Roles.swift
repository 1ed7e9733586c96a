/// The kind of a user.
package enum UserKind: String, Sendable, CaseIterable {
    /// A person who signs in.
    case account
    /// A child without an account; its guardian acts for it.
    case managed
}

/// The side of the family that a member is on: the player, or a parent.
package enum MemberRole: String, Sendable, CaseIterable {
    case player, parent
}

/// A member's role within the household, highest first.
package enum HouseholdRole: String, Sendable, CaseIterable, Comparable {
    case parentAdmin = "parent_admin"
    case adult, kid, visitor

    /// Orders by rank: a visitor is less than a kid.
    package static func < (a: HouseholdRole, b: HouseholdRole) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .parentAdmin: 3
        case .adult: 2
        case .kid: 1
        case .visitor: 0
        }
    }
}

/// The state of a membership.
package enum MembershipStatus: String, Sendable, CaseIterable {
    case active
    /// The member is waiting for approval, sees nothing and takes no slot.
    case invited
    case removed
}

/// The way a member joined the family.
package enum JoinedVia: String, Sendable, CaseIterable {
    case created, code, invitation, `operator`
}

/// The state of an invitation.
package enum InvitationStatus: String, Sendable, CaseIterable {
    case pending, accepted, declined, revoked, expired
}

/// The effect of accepting an invitation.
package enum InvitationKind: String, Sendable, CaseIterable {
    /// The account becomes a new member.
    case member
    /// The account takes over the membership of a managed child.
    case graduation
}

/// The proof of a guardian's consent.
package enum ConsentMethod: String, Sendable, CaseIterable {
    /// The guardian was signed in.
    case signedIn = "signed_in"
    /// The guardian also entered a code that was sent to a verified address.
    case emailCode = "email_code"
}

/// The proof of an account's consent for itself.
package enum OwnConsentMethod: String, Sendable, CaseIterable {
    /// The person was signed in.
    case oneself = "self"
}

/// The way an invitation reaches the invited person.
package enum InvitationDelivery: String, Sendable, CaseIterable {
    case email, link
}
