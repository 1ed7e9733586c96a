import Foundation
import HearthClient

/// Makes changes of many kinds at random, while an engine sends and follows.
///
/// Most put a word into the family that is nowhere else, by which the change is known; that word is
/// printed. Household roles have no word: two devices change the same one.
struct EditingDevice {
    let store: FamilyStore
    let hearth: Hearth
    let family: FamilyID
    let account: UserID
    let isAdmin: Bool

    /// Until it is killed.
    func edit() async throws {
        let settings = SyncSettings(
            firstPauseSeconds: 0.01, longestPauseSeconds: 0.05, pollSeconds: 0.1)
        let engine = SyncEngine(hearth, store, settings: settings)
        let running = Task { await engine.run() }
        var words = 0
        while words < 8 {
            if try change() { words += 1 }
            // Half of the time it waits for an answer, or for the failure to get one.
            if Bool.random() { try? await engine.sync() }
        }
        await running.value
    }

    /// Makes one change; whether it put in a word.
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

    /// Removes one of the children that this device knows, while there are several.
    private func removeChild() throws -> Bool {
        let children = try store.members(of: family).filter(\.isManaged)
        if children.count > 3, let child = children.randomElement() {
            try store.enqueue(.removeManagedMember(child))
        }
        return false
    }

    /// Changes the household role of the one member that both devices change: the one beside the
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
