import Foundation
import HearthClient

/// Gives a family one name after another, and sends the queue after about every second change.
struct NamingDevice {
    let store: FamilyStore
    let hearth: Hearth
    let family: FamilyID

    func give(_ count: Int) async throws {
        let engine = SyncEngine(hearth, store)
        for _ in 0..<count {
            let name = "Terns \(UUID().uuidString)"
            try store.enqueue(.updateFamily(family, FamilyChange(name: name)))
            report(name)
            if Bool.random() { try await send(by: engine) }
        }
        try await send(by: engine)
    }

    /// Sends the queued changes until the queue is empty.
    private func send(by engine: SyncEngine) async throws {
        while try !store.queuedMutations().isEmpty {
            do {
                try await engine.sendQueued()
            } catch let error as HearthError where error.nextStep == .retry {
                continue
            }
        }
    }
}

/// Prints a line in one write, so that a killed process prints all of it or nothing.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
