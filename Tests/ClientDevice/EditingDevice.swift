import Foundation
import HearthClient

/// Makes random changes of many kinds while an engine sends them and receives those of others.
///
/// Most changes write a unique word to the family and print it, so that a test recognizes the
/// change. Changes of a household role have no word; two devices change the same role.
struct EditingDevice {
    let store: FamilyStore
    let hearth: Hearth
    let family: FamilyID
    let account: UserID
    let isAdmin: Bool
    /// Code of another family, which the device joins and leaves.
    let otherCode: FamilyCode?

    /// Makes changes, then receives the changes of others until the process is killed.
    func edit() async throws {
        let settings = SyncSettings(
            firstPauseSeconds: 0.01, longestPauseSeconds: 0.05, pollSeconds: 0.1)
        let engine = SyncEngine(hearth, store, settings: settings)
        let running = Task { await engine.run() }
        var words = 0
        while words < 8 {
            if try change() { words += 1 }
            // Half of the time, wait for the response or for its failure.
            if Bool.random() { try? await engine.sync() }
        }
        await running.value
    }

    /// Makes one change; returns true if the change contains a word.
    private func change() throws -> Bool {
        let word = "w" + UUID().uuidString.filter { $0 != "-" }.prefix(20).lowercased()
        switch isAdmin ? Int.random(in: 0..<17) : Int.random(in: 7..<17) {
        case 0, 1: try store.enqueue(.updateFamily(family, FamilyChange(name: word)))
        case 2:
            try store.enqueue(
                .updatePlayerDetails(PlayerDetailsChange(sport: .set(word)), in: family))
        case 3: try store.enqueue(.addManagedMember(named: word, to: family))
        case 4, 5: return try removeChild()
        case 6: try store.enqueue(.updateAttributes(["word": .string(word)], of: family))
        case 7:
            try store.enqueue(.setPreferences(["word": .string(word)], in: family, of: account))
        case 8: return try changeGuardian()
        case 9: return try changeOwnFamily(word)
        case 10: return try answer()
        case 11: return try join()
        case 12: return try invite(word)
        case 13: return try transferSeat()
        case 14: return try consent()
        case 15: return try changeProfile()
        default: return try changeRole()
        }
        report(word)
        return true
    }

    /// Adds or removes the other adult as a guardian of a child, or gives up a guardianship.
    private func changeGuardian() throws -> Bool {
        let members = try store.members(of: family)
        let child = members.filter { $0.isManaged && !$0.id.isProvisional }.randomElement()
        guard let child, let other = members.first(where: { !$0.isManaged && $0.userID != account })
        else { return false }
        if Int.random(in: 0..<4) == 0 {
            try store.enqueue(.reassignManagedMember(child, to: other))
            return false
        }
        if let second = child.guardians.dropFirst().first, Bool.random() {
            try store.enqueue(.makePrimaryGuardian(second, of: child))
            return false
        }
        let isGuardian = child.guardians.contains { $0.userID == account }
        if let guardian = child.guardians.first(where: { $0.userID == other.userID }) {
            try store.enqueue(
                Bool.random() || !isGuardian
                    ? .removeGuardian(guardian, of: child)
                    : .declineGuardianship(of: child, by: account))
        } else {
            try store.enqueue(.addGuardian(other, of: child))
        }
        return false
    }

    /// Creates a second family with a child, or leaves it: the child's change waits for the
    /// family's id.
    ///
    /// - Parameter word: The child's name, which is recorded, but not printed: the family may be
    ///   refused, because an account has a limited number.
    private func changeOwnFamily(_ word: String) throws -> Bool {
        guard let person = try store.ownProfile() else { return false }
        if let other = try store.families().first(where: { $0.id != family }) {
            for child in try store.members(of: other.id) where child.isManaged {
                try store.enqueue(.removeManagedMember(child))
            }
            try store.enqueue(.leaveFamily(other.id))
        } else {
            try store.enqueue(.createAnotherFamily(named: "Second", by: person))
            if let second = try store.families().first(where: { $0.id.isProvisional }) {
                try store.enqueue(.addManagedMember(named: word, to: second.id))
            }
        }
        return false
    }

    /// Accepts or declines an invitation to the person, if there is one.
    private func answer() throws -> Bool {
        if let invitation = try store.receivedInvitations().first {
            try store.enqueue(
                Bool.random() ? .acceptInvitation(invitation) : .declineInvitation(invitation))
        }
        return false
    }

    /// Joins the other family by its code. `changeOwnFamily` leaves it again.
    private func join() throws -> Bool {
        if let otherCode { try store.enqueue(.joinFamily(by: otherCode)) }
        return false
    }

    /// Invites an address, or revokes an invitation if there are more than three.
    private func invite(_ word: String) throws -> Bool {
        let pending = try store.invitations(of: family)
        if pending.count > 3, let invitation = pending.randomElement() {
            try store.enqueue(.revokeInvitation(invitation))
        } else {
            try store.enqueue(
                .invite(email: "\(word)@example.com", as: .parent, to: family, by: account))
        }
        return false
    }

    /// Hands the seat of Parent Admin to the other adult, or takes it if it is vacant.
    private func transferSeat() throws -> Bool {
        let members = try store.members(of: family).filter { !$0.isManaged }
        guard let own = members.first(where: { $0.userID == account }),
            let other = members.first(where: { $0.userID != account })
        else { return false }
        if own.householdRole == .parentAdmin {
            try store.enqueue(.transferAdmin(to: other, from: own))
        } else if isAdmin, other.householdRole != .parentAdmin {
            try store.enqueue(.setHouseholdRole(.parentAdmin, of: own))
        }
        return false
    }

    /// Gives or withdraws a consent for a child, or the account's own.
    private func consent() throws -> Bool {
        let children = try store.members(of: family).filter { $0.isManaged }
        if Bool.random(), let child = children.randomElement() {
            try store.enqueue(
                Bool.random()
                    ? .giveConsent(to: "profile", version: "1", for: child)
                    : .withdrawConsent(to: "profile", for: child))
        } else if let person = try store.ownProfile() {
            try store.enqueue(
                Bool.random()
                    ? .giveOwnConsent(to: "terms", version: "1", by: person)
                    : .withdrawOwnConsent(to: "terms", by: account))
        }
        return false
    }

    /// Chooses another avatar.
    private func changeProfile() throws -> Bool {
        let avatar = ["fox", "owl", "bear"].randomElement() ?? ""
        try store.enqueue(.updateProfile(account, ProfileChange(avatarKey: .set(avatar))))
        return false
    }

    /// Removes one of the children that this device knows, if there are more than three.
    private func removeChild() throws -> Bool {
        let children = try store.members(of: family).filter(\.isManaged)
        if children.count > 3, let child = children.randomElement() {
            try store.enqueue(.removeManagedMember(child))
        }
        return false
    }

    /// Changes the household role of the member that both devices change: the one who is not the
    /// Parent Admin.
    private func changeRole() throws -> Bool {
        let members = try store.members(of: family).filter { !$0.isManaged }
        let other = members.first { isAdmin ? $0.userID != account : $0.userID == account }
        if let other, let role = [HouseholdRole.adult, .kid, .visitor].randomElement() {
            try store.enqueue(.setHouseholdRole(role, of: other))
        }
        return false
    }
}
