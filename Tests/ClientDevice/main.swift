import Foundation
import HearthClient

// An app on a device, for the tests that kill it: makes changes, prints each name once its change is
// on disk, and sends what is queued.
//
// usage: client-device STORE ACCOUNT FAMILY URL CHANGES        the token is in HEARTH_TOKEN
//
// CHANGES is how many names to give the family before it only sends; it ends when nothing is queued.

let arguments = CommandLine.arguments
guard arguments.count == 6, let url = URL(string: arguments[4]), let count = Int(arguments[5]),
    let token = ProcessInfo.processInfo.environment["HEARTH_TOKEN"]
else {
    print("usage: client-device STORE ACCOUNT FAMILY URL CHANGES")
    exit(64)
}
let family = FamilyID(arguments[3])
let store = try FamilyStore(
    at: URL(fileURLWithPath: arguments[1]), of: UserID(arguments[2]))
// One request is sent once: that what is queued is sent again is what the test is about.
let engine = SyncEngine(
    Hearth(url, credentials: BearerToken(token), policy: .never), store)

/// Sends what is queued, until it is done.
func send() async throws {
    while try !store.queuedMutations().isEmpty {
        do {
            try await engine.sendQueued()
        } catch let error as HearthError where error.nextStep == .retry {
            continue
        }
    }
}

for _ in 0..<count {
    let name = "Terns \(UUID().uuidString)"
    try store.enqueue(.updateFamily(family, FamilyChange(name: name)))
    FileHandle.standardOutput.write(Data((name + "\n").utf8))
    if Bool.random() { try await send() }
}
try await send()
