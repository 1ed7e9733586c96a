package import Domain
import Policy

/// What a member may choose for itself, so that an app offers nothing that would be refused.
package struct OwnChoices: Sendable, Equatable {
    /// The Parent Admin's seat as the member meets it.
    package enum Seat: String, Sendable, CaseIterable {
        /// The member may claim it.
        case free
        /// Somebody has it, perhaps the member itself.
        case taken
        /// It is vacant, and the member may not claim it.
        case reserved
    }

    /// Household roles below Parent Admin, the highest first.
    package let selectableRoles: [HouseholdRole]
    package let parentAdmin: Seat

    /// - Parameters:
    ///   - isActing: Whether a guardian acts for the member, who chooses nothing then.
    ///   - ceiling: The highest household role that the member may choose for itself.
    init(
        of membership: Membership, isActing: Bool, ceiling: HouseholdRole, isSeatTaken: Bool,
        isSeatReserved: Bool
    ) {
        let facts = Facts(isAnonymous: false, isActing: isActing, membership: membership)
            .with(target: membership, isOneself: true, guardianship: nil)
        func may(_ role: HouseholdRole) -> Bool {
            decide(
                .memberSetRole,
                facts.with(
                    newRole: role, present: membership.householdRole, ceiling: ceiling,
                    isSeatTaken: isSeatTaken, isSeatReserved: isSeatReserved)) == .allowed
        }
        selectableRoles = [.adult, .kid, .visitor].filter(may)
        parentAdmin = isSeatTaken ? .taken : may(.parentAdmin) ? .free : .reserved
    }
}
