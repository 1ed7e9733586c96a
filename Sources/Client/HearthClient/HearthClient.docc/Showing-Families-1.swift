import HearthClient

guard let person = try await account.session?.userID else { return showSignIn() }
let store = try FamilyStore(at: file, of: person)
let engine = SyncEngine(hearth, store)
let running = Task { await engine.run() }
