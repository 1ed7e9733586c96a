import Foundation
import HearthClient
import Observation

/// What the example app shows: signing in, then the families of the person.
@available(iOS 17, macOS 14, *) @MainActor @Observable final class AppModel {
    let signIn: ObservableScreen<SignInScreen>
    /// The families of the person who is signed in; nil while nobody is.
    private(set) var home: HomeModel?
    private let account: Account
    private let hearth: Hearth
    private let folder: URL
    /// - Parameter folder: Existing folder for the stores.
    init(_ url: URL, storage: any SessionStorage, folder: URL, device: String) {
        account = Account(url, storage: storage, device: device)
        hearth = Hearth(url, credentials: account)
        signIn = ObservableScreen(SignInScreen(account))
        self.folder = folder
    }

    /// Follows the sign-in until the task is cancelled. Needs no network.
    func run() async {
        await signIn.screen.load()
        for await state in await account.states {
            switch state {
            case .signedIn(let person):
                do {
                    let file = folder.appendingPathComponent("\(person).sqlite")
                    home = HomeModel(hearth, try FamilyStore(at: file, of: person))
                } catch { signIn.screen.fail(error) }
            case .signedOut:
                home?.close()
                home = nil
            }
        }
    }

    /// Signs out, and deletes what this device stores about the person.
    func signOut() async {
        home?.close()
        do { try home?.store.erase() } catch { signIn.screen.fail(error) }
        await signIn.screen.signOut()
    }

    /// Deletes the account. Returns false if the person must first enter the code that was mailed.
    func deleteAccount(code: String? = nil) async throws -> Bool {
        do {
            try await hearth.eraseAccount(code: code)
        } catch let error as HearthError where error.code == .freshSignInRequired {
            try await hearth.sendDeletionCode()
            return false
        }
        await signOut()
        return true
    }
}

/// The screens of a person who is signed in, over one store.
@available(iOS 17, macOS 14, *) @MainActor final class HomeModel {
    let store: FamilyStore
    let engine: SyncEngine
    let families: ObservableScreen<FamilyScreen>
    let invitations: ObservableScreen<InvitationsScreen>
    private let hearth: Hearth
    private var running: [Task<Void, Never>] = []
    init(_ hearth: Hearth, _ store: FamilyStore) {
        self.hearth = hearth
        self.store = store
        engine = SyncEngine(hearth, store)
        families = ObservableScreen(FamilyScreen(hearth, store: store))
        invitations = ObservableScreen(InvitationsScreen(hearth, store: store))
        running.append(Task { [engine] in await engine.run() })
        running.append(Task { [families] in await families.screen.follow() })
        running.append(Task { [invitations] in await invitations.screen.follow() })
    }

    /// Returns the screen of a family's members.
    func members(of family: Family) -> ObservableScreen<MembersScreen> {
        ObservableScreen(MembersScreen(hearth, family: family.id, store: store))
    }

    func close() { running.forEach { $0.cancel() } }
}
