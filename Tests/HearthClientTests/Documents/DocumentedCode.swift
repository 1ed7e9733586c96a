import Foundation
import HearthClient

// The code of docs/clients.md and of the tutorial in HearthClient.docc, compiled. DocumentTests
// expects each block of the document and each file of the tutorial here, line by line, ignoring
// indentation.

/// An identity provider's library.
struct Provider: Sendable {
    let token: String
    func accessToken() async throws -> String { token }
}

#if !canImport(Security)
    /// Stand-in for the Keychain, which only Apple's systems have.
    struct KeychainStorage: SessionStorage {
        init(service: String) {}
        func load() throws -> Data? { nil }
        func save(_ data: Data) throws {}
        func remove() throws {}
    }
#endif

/// Stand-ins for the screens of the document.
final class Screen {
    var shown: [String] = []
    var opened: (store: FamilyStore, running: Task<Void, Never>)?
    func ask(_ question: String) -> String { question }
    func dismiss() { shown.append("dismissed") }
    func showSignIn() { shown.append("sign-in") }
    func offerToTryAgain(_ message: String) { shown.append("again: \(message)") }
    func show(_ message: String) { shown.append(message) }
    func print(_ words: String...) { shown.append(words.joined(separator: " ")) }

    func connect(_ url: URL, _ provider: Provider) -> Hearth {
        let hearth = Hearth(url, credentials: BearerToken { try await provider.accessToken() })
        return hearth
    }

    func signIn(_ url: URL, _ file: URL, _ typed: String) async throws -> Hearth {
        let account = Account(url, storage: FileStorage(file), device: "Ada's phone")
        let ticket = try await account.requestCode(email: "ada@example.com")
        try await account.signIn(ticket, code: typed)
        let hearth = Hearth(url, credentials: account)
        return hearth
    }

    func first(_ hearth: Hearth) async throws -> CreatedFamily {
        try await hearth.updateProfile(ProfileChange(fullName: "Ada", role: .parent))
        let family = try await hearth.createFamily(named: "The Terns")
        let members = try await hearth.members(of: family.id)
        for member in members {
            print(member.displayName, member.householdRole.displayName)
        }
        return family
    }

    func join(_ hearth: Hearth, _ typed: String) async throws {
        guard let code = FamilyCode(typed: typed) else { return }
        let preview = try await hearth.previewCode(code)
        print("Join \(preview.familyName), \(preview.memberCount) members?")
        let joined = try await hearth.joinFamily(by: code)
        if joined.isAwaitingApproval { print(joined.message) }
    }

    func open(_ hearth: Hearth, _ url: URL) async throws {
        switch HearthLink(url) {
        case .invitation(let token):
            let invitation = try await hearth.previewInvitation(token: token)
            print("\(invitation.inviterName) invites you to \(invitation.familyName)")
            try await hearth.acceptInvitation(token: token)
        case .familyCode(let code): try await hearth.joinFamily(by: code)
        case .resetPassword, .signIn, nil: break
        }
    }

    func joinOrShow(_ hearth: Hearth, _ code: FamilyCode) async throws {
        do {
            try await hearth.joinFamily(by: code)
        } catch let error as HearthError {
            switch (error.code, error.nextStep) {
            case (.alreadyMember, _): dismiss()
            case (_, .signIn): showSignIn()
            case (_, .retry): offerToTryAgain(error.message)
            default: show(error.message)
            }
        }
    }

    func act(_ hearth: Hearth, _ family: CreatedFamily) async throws -> ProfileSession {
        let session = ProfileSession()
        try await hearth.refreshProfiles(of: session)
        let acting = hearth.acting(through: session)
        if let child = session.managedProfiles.first { session.switchProfile(to: child) }
        try await acting.setPreferences(["genres": ["comedy"]], in: family.id)
        session.resetToAuthenticatedUser()
        return session
    }

    func preview() async throws -> Hearth {
        let memory = InMemoryHearth()
        let ada = Hearth(memory, credentials: memory.signUp("Ada", email: "ada@example.com"))
        try await ada.createFamily(named: "The Terns")
        try await ada.addManagedMember(named: "Max", avatarKey: "fox")
        return ada
    }

    func keep(_ hearth: Hearth, _ account: Account, _ file: URL) async throws {
        guard let person = try await account.session?.userID else { return showSignIn() }
        let store = try FamilyStore(at: file, of: person)
        let engine = SyncEngine(hearth, store)
        let running = Task { await engine.run() }
        opened = (store, running)
    }

    func move(_ hearth: Hearth, _ typed: String) async throws {
        let change = try await hearth.requestAddressChange(to: "ada@example.org")
        try await hearth.changeAddress(change, code: typed)
    }

    func delete(_ hearth: Hearth, _ store: FamilyStore, _ account: Account) async throws {
        do {
            try await hearth.eraseAccount()
        } catch let error as HearthError where error.code == .freshSignInRequired {
            try await hearth.sendDeletionCode()
            try await hearth.eraseAccount(code: ask("The code that we mailed"))
        }
        try store.erase()
        try await account.signOut()
    }

    func watch(_ store: FamilyStore, _ family: Family) async throws {
        for try await members in store.observe(.members(of: family.id)) {
            show(members.map(\.displayName).joined(separator: ", "))
        }
    }

    func demote(_ store: FamilyStore, _ family: Family) throws {
        for member in try store.members(of: family.id) where member.householdRole == .adult {
            try store.enqueue(.setHouseholdRole(.kid, of: member))
        }
    }

    func text(of conflict: Conflict) -> String { "\(conflict.outcome)" }

    func show(_ names: [String]) { shown += names }

    func signInTutorial(
        _ url: URL, _ email: String, _ typed: String, _ name: String
    ) async throws {
        let account = Account(url, storage: KeychainStorage(service: "com.example.app"))
        let hearth = Hearth(url, credentials: account)

        let ticket = try await account.requestCode(email: email)
        let signedIn = try await account.signIn(ticket, code: typed)
        if signedIn.isNew {
            try await hearth.updateProfile(ProfileChange(fullName: name, role: .parent))
        }
    }

    func familiesTutorial(_ hearth: Hearth, _ account: Account, _ file: URL) async throws {
        guard let person = try await account.session?.userID else { return showSignIn() }
        let store = try FamilyStore(at: file, of: person)
        let engine = SyncEngine(hearth, store)
        let running = Task { await engine.run() }

        for try await families in store.observe(.families) {
            show(families.map(\.name))
        }
        running.cancel()
    }

    func changesTutorial(_ store: FamilyStore) async throws {
        guard let own = try store.ownProfile() else { return }
        try store.enqueue(.createFamily(named: "The Terns", by: own))
        if let family = try store.families().first {
            try store.enqueue(.addManagedMember(named: "Max", to: family.id))
        }

        for await conflict in store.conflicts {
            if case .refused(_, let message) = conflict.outcome { show(message) }
            try store.dismiss(conflict)
        }
    }

    func tell(_ store: FamilyStore) async throws {
        for await conflict in store.conflicts {
            show(text(of: conflict))
            try store.dismiss(conflict)
        }
    }
}
