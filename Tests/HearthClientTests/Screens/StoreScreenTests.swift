import Foundation
import MailSupport
import Observation
import Testing

@testable import HearthClient

@Suite("Screens with a store", .timeLimit(.minutes(10)))
@MainActor
final class StoreScreenTests {
    private let folder: URL
    private let memory = InMemoryHearth()

    init() throws { folder = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A person's store after a sync, a client without a network, and an engine with one.
    private func device(_ person: ClientPerson) async throws -> (
        store: FamilyStore, offline: Hearth, engine: SyncEngine
    ) {
        let store = try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await person.hearth.profile().id)
        let engine = SyncEngine(person.hearth, store)
        try await engine.sync()
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        return (store, Hearth(nowhere, credentials: BearerToken("t"), policy: .never), engine)
    }

    @Test("families can be created and left without a network, and joining waits")
    func families() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(try memory.person(.parent, "Aunt"))
        let screen = FamilyScreen(offline, store: store)
        await screen.load()
        #expect(!screen.state.isLoading && screen.state.families.isEmpty)
        screen.typeName("Gulls")
        await screen.create()
        #expect(screen.state.families.map(\.name) == ["Gulls"] && screen.state.pending.count == 1)
        #expect(screen.state.notice == nil && screen.state.nameInput.isEmpty)
        screen.type(try home.code.text)
        await screen.join()
        #expect(screen.state.isJoinQueued && screen.state.codeInput.isEmpty)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.families.map(\.name) == ["Gulls", "The Terns"])
        #expect(screen.state.pending.isEmpty && !screen.state.isJoinQueued)
        let gulls = try #require(screen.state.families.first { $0.name == "Gulls" })
        await screen.leave(gulls)
        #expect(screen.state.families.map(\.name) == ["The Terns"])
        await screen.drawCode(of: gulls)
        #expect(screen.state.notice?.isFailure == true, "a QR code needs the network")
    }

    @Test("invitations can be sent, revoked and declined without a network")
    func invitations() async throws {
        let home = try await ClientFamily(memory)
        let other = try await ClientFamily(memory)
        try await other.admin.hearth.invite(.email(home.admin.email), as: .parent)
        let (store, offline, engine) = try await device(home.admin)
        let screen = InvitationsScreen(offline, family: home.family.id, store: store)
        await screen.load()
        screen.type("aunt@example.com")
        await screen.invite(as: .parent)
        #expect(screen.state.pending.map(\.email) == ["aunt@example.com"])
        #expect(screen.state.queued.count == 1 && screen.state.notice?.isFailure == false)
        let received = try #require(screen.state.received.first)
        await screen.decline(received)
        #expect(screen.state.received.isEmpty)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.queued.isEmpty && screen.state.pending.count == 1)
        await screen.revoke(screen.state.pending[0])
        #expect(screen.state.pending.isEmpty)
        try await engine.sync()
        #expect(try await home.admin.hearth.invitations(of: home.family.id).elements.isEmpty)
    }

    @Test("children can be added and profiles switched without a network")
    func profiles() async throws {
        let home = try await ClientFamily(memory)
        try await home.parent.hearth.addManagedMember(named: "Max")
        let (store, offline, engine) = try await device(home.parent)
        let session = ProfileSession()
        let screen = ProfileSwitcherScreen(
            offline, session: session, family: home.family.id, store: store)
        await screen.load()
        #expect(screen.state.rows.map(\.displayName) == ["Pat", "Max"])
        try await screen.add(named: "Mia")
        #expect(screen.state.managed.map(\.displayName) == ["Max", "Mia"])
        screen.choose(screen.state.managed[0])
        #expect(session.isActingAsManaged)
        try await engine.sync()
        await screen.load()
        #expect(screen.state.managed.map(\.displayName) == ["Max", "Mia"])
        #expect(session.isActingAsManaged && session.activeProfile.displayName == "Max")
    }

    @Test("if a change that waited is refused, the screen shows the refusal")
    func refused() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(home.admin)
        let screen = FamilyScreen(offline, store: store)
        let following = Task { await screen.follow() }
        await screen.load()
        await screen.leave(screen.state.families[0])
        #expect(screen.state.families.isEmpty)
        try await engine.sync()
        let shown = AsyncStream<FamilyScreenState> { values in
            values.yield(screen.state)
            screen.onChange = { values.yield($0) }
        }
        for await state in shown where state.families.count == 1 && state.notice != nil {
            #expect(state.notice?.isFailure == true)
            break
        }
        following.cancel()
    }

    /// Follows a screen until its state meets a condition.
    private func follow<Logic: HearthClient.Screen>(
        _ screen: Logic, _ following: @escaping @MainActor () async -> Void,
        until isMet: (Logic.State) -> Bool
    ) async {
        let shown = AsyncStream<Logic.State> { values in
            values.yield(screen.state)
            screen.onChange = { values.yield($0) }
        }
        let task = Task { await following() }
        for await state in shown where isMet(state) { break }
        task.cancel()
        await task.value
    }

    @Test("a refusal stays through reloads until it is dismissed, and is then gone from the store")
    func shownOnce() async throws {
        let home = try await ClientFamily(memory)
        let other = try await ClientFamily(memory)
        let sent = try await other.admin.hearth.invite(.email(home.admin.email), as: .parent)
        let person = try await home.admin.hearth.profile().id
        let file = folder.appendingPathComponent("reopened")
        let store = try FamilyStore(at: file, of: person)
        let engine = SyncEngine(home.admin.hearth, store)
        try await engine.sync()
        let families = FamilyScreen(home.admin.hearth, store: store)
        await families.load()
        await families.leave(families.state.families[0])
        let invitations = InvitationsScreen(home.admin.hearth, store: store)
        await invitations.load()
        try await other.admin.hearth.revokeInvitation(sent.id)
        await invitations.accept(try #require(invitations.state.received.first))
        try await engine.sync()
        let refused = try store.read { try $0.conflicts() }
        #expect(refused.map(\.mutation) == [.leaveFamily, .acceptInvitation])

        await follow(families, { await families.follow() }) { $0.notice?.isFailure == true }
        await follow(invitations, { await invitations.follow() }) { $0.notice?.isFailure == true }
        await families.load()
        await invitations.load()
        #expect(families.state.notice?.isFailure == true)
        #expect(invitations.state.notice?.isFailure == true)
        let unseen = try FamilyStore(at: file, of: person)
        #expect(try unseen.read { try $0.conflicts() }.count == 2, "nobody has dismissed them")
        families.dismissNotice()
        invitations.dismissNotice()
        #expect(families.state.notice == nil && invitations.state.notice == nil)
        let reopened = try FamilyStore(at: file, of: person)
        #expect(try reopened.read { try $0.conflicts() }.isEmpty)
    }

    @Test("refusals are shown one after the other, and an action's banner hides none for good")
    func shownInTurn() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(home.admin)
        let screen = FamilyScreen(offline, store: store)
        await screen.load()
        await screen.leave(screen.state.families[0])
        screen.type("FAM-ZZZZZ9")
        await screen.join()
        try await engine.sync()
        let refused = try store.read { try $0.conflicts() }
        #expect(refused.map(\.mutation) == [.leaveFamily, .joinFamily])
        let notices = refused.map {
            ScreenNotice($0, of: [.leaveFamily, .joinFamily], in: screen.language)
        }
        #expect(notices[0] != nil && notices[1] != nil && notices[0] != notices[1])

        await screen.load()
        #expect(screen.state.notice == notices[0])
        await screen.drawCode(of: screen.state.families[0])
        let failed = try #require(screen.state.notice)
        #expect(failed.isFailure && failed != notices[0], "a QR code needs the network")
        screen.dismissNotice(notices[1])
        #expect(screen.state.notice == failed, "a timer of another banner")
        screen.dismissNotice(failed)
        #expect(screen.state.notice == notices[0])
        screen.dismissNotice()
        #expect(screen.state.notice == notices[1])
        #expect(try store.read { try $0.conflicts() }.map(\.mutation) == [.joinFamily])
        screen.dismissNotice()
        #expect(screen.state.notice == nil)
        await screen.load()
        #expect(screen.state.notice == nil)
        #expect(try store.read { try $0.conflicts() }.isEmpty)
    }

    @Test("a screen of one family's invitations shows no refusal about another family's")
    func otherFamily() async throws {
        let home = try await ClientFamily(memory)
        let admin = home.admin.hearth
        let other = try await admin.createAnotherFamily(named: "Gulls")
        let sent = try await admin.invite(.email("aunt@example.com"), as: .parent, to: other.id)
        let (store, offline, engine) = try await device(home.admin)
        let gulls = InvitationsScreen(offline, family: other.id, store: store)
        await gulls.load()
        await gulls.revoke(try #require(gulls.state.pending.first))
        try await admin.revokeInvitation(sent.id)
        try await engine.sync()

        let terns = InvitationsScreen(offline, family: home.family.id, store: store)
        await terns.load()
        #expect(terns.state.notice == nil)
        await gulls.load()
        #expect(gulls.state.notice?.isFailure == true)
        // A person's only screen of invitations shows them all.
        let all = InvitationsScreen(offline, store: store)
        await all.load()
        #expect(all.state.notice == gulls.state.notice)
        gulls.dismissNotice()
        await all.load()
        #expect(gulls.state.notice == nil && all.state.notice == nil)
    }

    @Test("conflicts about members are shown one after the other, with the member's name")
    func memberConflicts() async throws {
        let home = try await ClientFamily(memory)
        let (store, offline, engine) = try await device(home.parent)
        let screen = MembersScreen(offline, family: home.family.id, store: store)
        await screen.load()
        for name in ["Ada", "Kim"] {
            let member = try #require(screen.state.members.first { $0.displayName == name })
            await screen.setRole(.visitor, of: member)
        }
        try await engine.sync()
        let ids = Dictionary(
            uniqueKeysWithValues: screen.state.members.map { ($0.id.rawValue, $0.displayName) })
        let refused = try store.read { try $0.conflicts() }
        #expect(refused.map { ids[$0.entityID] } == ["Ada", "Kim"])
        await screen.load()
        #expect(screen.state.notice?.isFailure == true)
        screen.dismissNotice()
        #expect(screen.state.notice?.isFailure == true)
        screen.dismissNotice()
        #expect(screen.state.notice == nil)
        #expect(try store.read { try $0.conflicts() }.isEmpty)

        let kim = try #require(screen.state.members.first { $0.displayName == "Kim" })
        try store.write { file in
            for kept in ["theirs", "yours"] {
                try file.insertConflict(
                    ["kept": .string(kept)],
                    about: EntityKey(
                        .member, family: home.family.id.rawValue, id: kim.id.rawValue),
                    cause: kept)
            }
        }
        screen.language = "es-ES"
        await screen.load()
        #expect(screen.state.notice?.text == ScreenSentence.theirsKept("Kim").text(in: "es"))
        screen.dismissNotice()
        #expect(screen.state.notice?.text == ScreenSentence.yoursKept("Kim").text(in: "es"))
        let anew = MembersScreen(offline, family: home.family.id, store: store)
        await anew.load()
        #expect(anew.state.notice?.text == ScreenSentence.yoursKept("Kim").text(in: "en"))
        anew.dismissNotice()
        await screen.load()
        #expect(screen.state.notice == nil, "another screen has shown it")
        try store.write { file in
            try file.insertConflict(
                ["kept": "theirs"],
                about: EntityKey(.member, family: home.family.id.rawValue, id: kim.id.rawValue),
                cause: "later")
        }
        await screen.load()
        #expect(screen.state.notice?.isFailure == true)
        try store.erase()
        await screen.load()
        #expect(screen.state.notice == nil, "another person's conflicts are not shown")
    }

    @Test("a request to join can be withdrawn without a network, and with one")
    func withdrawn() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let aunt = try memory.person(.parent, "Aunt")
        try await aunt.hearth.joinFamily(by: try home.code)
        let (store, offline, engine) = try await device(aunt)
        let screen = FamilyScreen(offline, store: store)
        await screen.load()
        await screen.withdraw(try #require(screen.state.joinRequests.first))
        #expect(screen.state.joinRequests.isEmpty)
        #expect(
            screen.state.notice?.text
                == "Your request to join The Terns will be withdrawn when you're online.")
        await screen.load()
        #expect(screen.state.notice?.isWaiting == true, "it still waits")
        try await engine.sync()
        await screen.load()
        #expect(screen.state.notice == nil)
        #expect(try await aunt.hearth.profile().joinRequests.isEmpty)

        try await aunt.hearth.joinFamily(by: try home.code)
        let online = FamilyScreen(aunt.hearth)
        await online.withdraw(try #require(try await aunt.hearth.profile().joinRequests.first))
        #expect(online.state.notice == .success("Your request to join The Terns was withdrawn."))
        #expect(try await aunt.hearth.profile().joinRequests.isEmpty)
    }

    @Test("a change that waits is announced as waiting, and the banner ends when it has been sent")
    func waiting() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        for name in ["Aunt", "Uncle"] {
            try await memory.person(.parent, name).hearth.joinFamily(by: code)
        }
        let (store, offline, engine) = try await device(home.admin)
        let members = MembersScreen(offline, family: home.family.id, store: store)
        await members.load()
        let aunt = try #require(members.state.waiting.first { $0.displayName == "Aunt" })
        let uncle = try #require(members.state.waiting.first { $0.displayName == "Uncle" })
        await members.approve(aunt)
        #expect(members.state.notice?.text == "Aunt will be let in when you're online.")
        await members.reject(uncle)
        #expect(members.state.notice?.text == "Uncle will be rejected when you're online.")
        guard case .waiting(_, let queued)? = members.state.notice else {
            Issue.record("\(String(describing: members.state.notice))")
            return
        }
        #expect(queued.mutation.kind == .rejectMember)
        #expect(members.state.waiting.isEmpty && members.state.members.count == 4)
        let invitations = InvitationsScreen(offline, family: home.family.id, store: store)
        invitations.type("mum@example.com")
        await invitations.invite(as: .parent)
        #expect(
            invitations.state.notice?.text
                == "The invite to mum@example.com will be sent when you're online.")

        try await engine.sync()
        await members.load()
        await invitations.load()
        #expect(members.state.notice == nil && invitations.state.notice == nil)
        #expect(members.state.pending.isEmpty && members.state.waiting.isEmpty)
        #expect(
            Set(members.state.members.map(\.displayName)) == ["Ada", "Pat", "Kim", "Aunt"])
        let families = FamilyScreen(offline, store: store)
        await families.load()
        await families.leave(try #require(families.state.families.first))
        #expect(
            families.state.notice?.text == "You will leave The Terns when you're online.")
    }

    @Test("a person who waits for approval can be rejected without a store")
    func rejected() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        try await memory.person(.parent, "Aunt").hearth.joinFamily(by: code)
        let screen = MembersScreen(home.admin.hearth, family: home.family.id)
        await screen.load()
        await screen.reject(try #require(screen.state.waiting.first))
        #expect(screen.state.waiting.isEmpty && screen.state.members.count == 3)
        #expect(screen.state.notice == .success("Aunt was rejected."))
    }

    @Test("banners about errors and refusals are in the person's language")
    func language() {
        let error = HearthError.unreachable(reason: "x")
        #expect(
            ScreenNotice(error, in: "es-MX")
                == .failure("No hay conexión. Inténtalo de nuevo.", .retry))
        #expect(ScreenNotice(error)?.text == error.errorDescription)
        let conflict = Conflict(
            id: 1, outcome: .refused(code: "family_full", message: "Full up."), kind: .family,
            entityID: "f", familyID: nil, by: nil, at: nil, mutation: .joinFamily, details: .null)
        let spanish = ScreenNotice(conflict, of: [.joinFamily], in: "es")
        #expect(spanish == .failure("Esta familia está completa.", .resolve))
        let english = ScreenNotice(conflict, of: [.joinFamily], in: "en")
        #expect(english == .failure("Full up.", .resolve))
        #expect(ScreenNotice(conflict, of: [.leaveFamily]) == nil)
    }

    @Test("banners about changes that wait or are done are in the person's language")
    func spanishBanners() async throws {
        let home = try await ClientFamily(memory)
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        for name in ["Aunt", "Uncle"] {
            try await memory.person(.parent, name).hearth.joinFamily(by: code)
        }
        let (store, offline, _) = try await device(home.admin)
        let members = MembersScreen(offline, family: home.family.id, store: store)
        members.language = "es-MX"
        await members.load()
        let aunt = try #require(members.state.waiting.first { $0.displayName == "Aunt" })
        let uncle = try #require(members.state.waiting.first { $0.displayName == "Uncle" })
        let kim = try #require(members.state.members.first { $0.displayName == "Kim" })
        await members.approve(aunt)
        #expect(
            members.state.notice?.text == "Aunt entrará en la familia cuando tengas conexión.")
        await members.reject(uncle)
        #expect(
            members.state.notice?.text
                == "La solicitud de Uncle se rechazará cuando tengas conexión.")
        await members.remove(kim)
        #expect(
            members.state.notice?.text
                == "Kim dejará de formar parte de la familia cuando tengas conexión.")

        let invitations = InvitationsScreen(offline, family: home.family.id, store: store)
        invitations.language = "es"
        invitations.type("mum@example.com")
        await invitations.invite(as: .parent)
        #expect(
            invitations.state.notice?.text
                == "La invitación a mum@example.com se enviará cuando tengas conexión.")
        let sent = try #require(invitations.state.pending.first)
        await invitations.resend(sent)
        #expect(
            invitations.state.notice?.text
                == "La invitación se enviará otra vez cuando tengas conexión.")
        await invitations.revoke(sent)
        #expect(
            invitations.state.notice?.text == "La invitación se retirará cuando tengas conexión.")
        invitations.type("mum")
        await invitations.invite(as: .parent)
        #expect(invitations.state.notice?.text == "Escribe una dirección de correo válida.")

        let families = FamilyScreen(offline, store: store)
        families.language = "es"
        await families.load()
        await families.leave(try #require(families.state.families.first))
        #expect(families.state.notice?.text == "Saldrás de The Terns cuando tengas conexión.")

        let online = MembersScreen(home.admin.hearth, family: home.family.id)
        online.language = "es"
        await online.load()
        await online.reject(try #require(online.state.waiting.first))
        #expect(online.state.notice?.text.hasPrefix("La solicitud de") == true)
    }

    @Test("every sentence of a banner differs in Spanish, and names what the English one names")
    func sentences() {
        let all: [ScreenSentence] = [
            .familyLeft("X1"), .familyWillBeLeft("X1"),
            .familyJoined(message: "Joined", isAwaitingApproval: false),
            .familyJoined(message: "Waiting", isAwaitingApproval: true), .codeRegenerated,
            .requestWithdrawn(family: "X1"), .requestWillBeWithdrawn(family: "X1"),
            .invitationSent(email: "X1"), .invitationWillBeSent(email: "X1"), .invitationResent,
            .invitationWillBeResent, .invitationRevoked, .invitationWillBeRevoked,
            .memberRemoved("X1"), .memberWillBeRemoved("X1"), .memberApproved("X1"),
            .memberWillBeApproved("X1"), .memberRejected("X1"), .memberWillBeRejected("X1"),
            .theirsKept("X1"), .theirsKept(nil), .yoursKept("X1"), .yoursKept(nil),
            .overwritten("X1"), .overwritten(nil), .outcomeUnknown, .addressMalformed,
            .linkMailed, .fault,
        ]
        for sentence in all {
            let (english, spanish) = (sentence.text(in: "en-GB"), sentence.text(in: "es-MX"))
            #expect(!english.isEmpty && !spanish.isEmpty && english != spanish)
            #expect(english.contains("X1") == spanish.contains("X1"), "\(sentence)")
        }
        for language in ["en", "es"] {
            #expect(Set(all.map { $0.text(in: language) }).count == all.count)
        }
    }

    @Test("a profile session and a screen can be observed with the Observation framework")
    func observed() async throws {
        let own = SwitchableProfile(
            userID: UserID("a"), displayName: "Ada", isManaged: false)
        let child = SwitchableProfile(
            userID: UserID("managed_b"), displayName: "Max", isManaged: true)
        let session = ProfileSession(authenticatedUser: own)
        session.updateProfiles(authenticatedUser: own, managedMembers: [child])
        await confirmation(expectedCount: 1) { changed in
            withObservationTracking {
                _ = session.activeProfile
            } onChange: {
                changed()
            }
            session.switchProfile(to: child)
        }
        let home = try await ClientFamily(memory)
        let screen = FamilyScreen(home.admin.hearth)
        let observed = ObservableScreen(screen)
        await confirmation(expectedCount: 1) { changed in
            withObservationTracking {
                _ = observed.state
            } onChange: {
                changed()
            }
            await screen.load()
        }
        #expect(observed.state.families.map(\.name) == ["The Terns"])
    }
}
