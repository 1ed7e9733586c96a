package import DomainCore

/// The actions of API keys, by which the servers of apps call the API.
///
/// A key belongs to no family and acts for nobody, so facts about memberships are not used: the
/// key's scopes alone decide. The database enforces the same rules for the role `hearth_server`.
package enum ServerAction: UInt8, Sendable, CaseIterable {
    case familyRead
    case memberList
    case personRead
    /// Reads e-mail addresses of people and members that the key may read.
    case addressRead
    case invitationCreate
    case eventRead

    /// The name in documents.
    package var name: String {
        switch self {
        case .familyRead: "family.read"
        case .memberList: "member.list"
        case .personRead: "person.read"
        case .addressRead: "address.read"
        case .invitationCreate: "invitation.create"
        case .eventRead: "event.read"
        }
    }

    /// The scope that the action needs.
    package var scope: KeyScope {
        switch self {
        case .familyRead: .familiesRead
        case .memberList: .membersRead
        case .personRead: .peopleRead
        case .addressRead: .peopleAddresses
        case .invitationCreate: .invitationsWrite
        case .eventRead: .eventsRead
        }
    }
}

/// Decides whether a key with these scopes may take `action`.
///
/// - Parameter householdRole: The role that an invitation gives; nil for the default. No key gives
///   the Parent Admin's seat.
package func decide(
    _ action: ServerAction, _ scopes: Set<KeyScope>, inviting householdRole: HouseholdRole? = nil
) -> Decision {
    if !scopes.contains(action.scope) { return .refused(.insufficientScope) }
    if householdRole == .parentAdmin { return .refused(.roleTooHigh) }
    return .allowed
}
