package import Domain

/// Something that stands in the way of erasing an account.
package struct ErasureBlocker: Sendable, Hashable {
    /// What has to be settled first.
    package enum Kind: String, Sendable, CaseIterable {
        /// A child would be left without a guardian.
        case guardianHasManagedMembers = "guardian_has_managed_members"
        /// The caller holds the Parent Admin's seat, and another adult could take it.
        case transferAdminFirst = "transfer_admin_first"
    }

    package let kind: Kind
    /// Where it has to be settled.
    package let family: FamilyID
    /// The child, or the caller's own membership.
    package let member: MemberID

    package init(kind: Kind, family: FamilyID, member: MemberID) {
        self.kind = kind
        self.family = family
        self.member = member
    }
}
