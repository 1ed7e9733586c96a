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
        switch isAdmin ? Int.random(in: 0..<8) : Int.random(in: 6..<8) {
        case 0, 1: try store.enqueue(.updateFamily(family, FamilyChange(name: word)))
        case 2:
            try store.enqueue(
                .updatePlayerDetails(PlayerDetailsChange(sport: .set(word)), in: family))
        case 3: try store.enqueue(.addManagedMember(named: word, to: family))
        case 4, 5: return try removeChild()
        case 6:
            try store.enqueue(.setPreferences(["word": .string(word)], in: family, of: account))
        default: return try changeRole()
        }
        report(word)
        return true
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
