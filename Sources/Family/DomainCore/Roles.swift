/// How a user came to be one.
package enum UserKind: String, Sendable, CaseIterable {
    /// Signs in.
    case account
    /// A child without an account; its guardian acts for it.
    case managed
}

/// The side of the family: the young person it is about, or a grown-up.
package enum MemberRole: String, Sendable, CaseIterable {
    case player, parent
}

/// The role within the household, highest first.
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

/// Whether a membership counts.
package enum MembershipStatus: String, Sendable, CaseIterable {
    case active
    /// Waits for approval; sees nothing and takes no slot.
    case invited
    case removed
}

/// How a member came into the family.
package enum JoinedVia: String, Sendable, CaseIterable {
    case created, code, invitation, `operator`
}

/// The state of an invitation.
package enum InvitationStatus: String, Sendable, CaseIterable {
    case pending, accepted, declined, revoked, expired
}

/// What accepting an invitation makes of an account.
package enum InvitationKind: String, Sendable, CaseIterable {
    /// A new member.
    case member
    /// The member that a child without an account has been.
    case graduation
}

/// How a guardian proved a consent.
package enum ConsentMethod: String, Sendable, CaseIterable {
    /// Being signed in.
    case signedIn = "signed_in"
    /// A code that was mailed to the guardian's verified address, besides.
    case emailCode = "email_code"
}

/// How an account proved a consent for itself.
package enum OwnConsentMethod: String, Sendable, CaseIterable {
    /// Being signed in itself.
    case oneself = "self"
}

/// How an invitation reaches the invited.
package enum InvitationDelivery: String, Sendable, CaseIterable {
    case email, link
}
