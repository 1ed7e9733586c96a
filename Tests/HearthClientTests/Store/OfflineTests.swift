import Foundation
import MailSupport
import Testing

@testable import HearthClient

@Suite("Changes that wait offline", .timeLimit(.minutes(10)))
final class OfflineTests {
    private let folder: URL

    init() throws { folder = try TemporaryFolder.make() }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func device(_ person: ClientPerson) async throws -> (
        store: FamilyStore, engine: SyncEngine
    ) {
        let store = try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await person.hearth.profile().id)
        let engine = SyncEngine(person.hearth, store)
        try await engine.sync()
        return (store, engine)
    }

    private func refusals(_ store: FamilyStore) throws -> [Conflict] {
        try store.read { try $0.conflicts() }
    }

    @Test(
        "a family created offline is shown at once, and later changes get its id",
        arguments: Backend.syncing)
    func create(_ backend: Backend) async throws {
        let person = try backend.site().person(.parent, "Ada")
        let (store, engine) = try await device(person)
        let own = try #require(try store.ownProfile())
        try store.enqueue(.createFamily(named: "The Terns", by: own))
        let waiting = try #require(try store.families().first)
        #expect(waiting.id.isProvisional && waiting.name == "The Terns")
        #expect(waiting.householdRole == .parentAdmin)
        let me = try #require(try store.ownMember())
        #expect(me.displayName == "Ada" && me.familyID == waiting.id)
        try store.enqueue(.addManagedMember(named: "Max", to: waiting.id, guardian: me))
        let child = try #require(try store.members(of: waiting.id).first { $0.isManaged })
        #expect(child.id.isProvisional && child.guardians.map(\.displayName) == ["Ada"])
        try store.enqueue(
            .updateManagedMember(child, ManagedMemberChange(displayName: "Maxi")))
        try store.enqueue(.updateAttributes(["theme": "dark"], of: waiting.id))
        try store.enqueue(
            .invite(email: "aunt@example.com", as: .parent, to: waiting.id, by: own.id))
        #expect(try store.invitations(of: waiting.id).map(\.email) == ["aunt@example.com"])

        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty && refusals(store).isEmpty)
        let family = try #require(try store.families().first)
        #expect(!family.id.isProvisional && family.name == "The Terns")
        #expect(try store.families().count == 1)
        #expect(try store.members(of: family.id).map(\.displayName) == ["Ada", "Maxi"])
        #expect(try store.attributes(of: family.id) == ["theme": "dark"])
        #expect(try store.invitations(of: family.id).map(\.email) == ["aunt@example.com"])
        try await expectEqual(store, person.hearth)
    }

    @Test(
        "a new person's name and role show at once, and stay after they were sent",
        arguments: Backend.syncing)
    func introduce(_ backend: Backend) async throws {
        let person = try backend.site().person(.unknown(""), nil)
        let (store, engine) = try await device(person)
        let new = try #require(try store.ownProfile())
        #expect(new.lacksNameOrRole && new.displayName != "Ada")
        try store.enqueue(
            .updateProfile(new.id, ProfileChange(fullName: "Ada", role: .player)))
        for _ in 0..<2 {
            let shown = try #require(try store.ownProfile())
            #expect(!shown.lacksNameOrRole && shown.displayName == "Ada")
            #expect(shown.fullName == "Ada" && shown.role == .player)
            try await engine.sync()
        }
        #expect(try store.queuedMutations().isEmpty && refusals(store).isEmpty)
        #expect(try await person.hearth.profile().isRoleDefault == false)
        // A change of something else leaves name and role as they are.
        try store.enqueue(.updateProfile(new.id, ProfileChange(avatarKey: .set("fox"))))
        let shown = try #require(try store.ownProfile())
        #expect(shown.displayName == "Ada" && shown.avatarKey == "fox")
    }

    @Test(
        "joining and leaving wait, and a refusal names the change and reverts it",
        arguments: Backend.syncing)
    func joinAndLeave(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let (store, engine) = try await device(try site.person(.parent, "Aunt"))
        try store.enqueue(.joinFamily(by: try home.code))
        let unknown = try #require(FamilyCode(typed: "FAM-ZZZZZ9"))
        try store.enqueue(.joinFamily(by: unknown))
        #expect(try store.queuedMutations().map(\.mutation.kind) == [.joinFamily, .joinFamily])
        try await engine.sync()
        #expect(try store.families().map(\.id) == [home.family.id])
        let refused = try #require(try refusals(store).first)
        #expect(refused.mutation == .joinFamily)
        guard case .refused(let code, let message) = refused.outcome else {
            Issue.record("\(refused)")
            return
        }
        #expect(code == ErrorCode.codeUnknown.rawValue && !message.isEmpty)
        try store.dismiss(refused)

        try store.enqueue(.leaveFamily(home.family.id))
        #expect(try store.families().isEmpty)
        try await engine.sync()
        #expect(try store.families().isEmpty && refusals(store).isEmpty)

        let (admins, adminEngine) = try await device(home.admin)
        try admins.enqueue(.leaveFamily(home.family.id))
        #expect(try admins.families().isEmpty)
        try await adminEngine.sync()
        #expect(try admins.families().count == 1, "a Parent Admin hands over the seat first")
        #expect(try refusals(admins).map(\.mutation) == [.leaveFamily])
    }

    @Test(
        "seat, guardians and invitations change at once, and match the server afterwards",
        arguments: Backend.syncing)
    func people(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let child = try await home.admin.hearth.addManagedMember(named: "Max")
        let other = try await ClientFamily(site)
        try await other.admin.hearth.invite(.email(home.admin.email), as: .parent)
        let (store, engine) = try await device(home.admin)
        func member(_ id: MemberID) throws -> Member {
            try #require(try store.members(of: home.family.id).first { $0.id == id })
        }
        let pat = try await home.member(home.parent)
        try store.enqueue(.addGuardian(pat, of: try member(child.id)))
        #expect(try member(child.id).guardians.map(\.displayName) == ["Ada", "Pat"])
        let guardian = try #require(try member(child.id).guardians.last)
        try store.enqueue(.makePrimaryGuardian(guardian, of: try member(child.id)))
        #expect(try member(child.id).guardianID == pat.userID)
        let own = try #require(try store.ownMember(in: home.family.id))
        try store.enqueue(
            .declineGuardianship(of: try member(child.id), by: own.userID))
        #expect(try member(child.id).guardians.map(\.displayName) == ["Pat"])
        try store.enqueue(.transferAdmin(to: pat, from: own))
        #expect(try member(pat.id).householdRole == .parentAdmin)
        #expect(try member(own.id).householdRole == .adult)
        #expect(try store.family(home.family.id)?.householdRole == .adult)
        let received = try #require(try store.receivedInvitations().first)
        try store.enqueue(.declineInvitation(received))
        #expect(try store.receivedInvitations().isEmpty)

        try await engine.sync()
        #expect(try refusals(store).isEmpty)
        try await expectEqual(store, home.admin.hearth)
        #expect(try member(child.id).guardians.map(\.displayName) == ["Pat"])
        #expect(try member(pat.id).householdRole == .parentAdmin)
        #expect(try await other.admin.hearth.invitations(of: other.family.id).elements.isEmpty)
    }

    @Test(
        "a guardian who steps down or is removed offline hands the children over",
        arguments: Backend.syncing)
    func handOver(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let id = home.family.id
        try await home.parent.hearth.addManagedMember(named: "Max")
        let (store, engine) = try await device(home.admin)
        func member(_ name: String) throws -> Member {
            try #require(try store.members(of: id).first { $0.displayName == name })
        }
        let own = try #require(try store.ownMember(in: id))
        try store.enqueue(.setHouseholdRole(.visitor, of: try member("Pat")))
        try await engine.sync()
        #expect(try refusalCodes(store) == [ErrorCode.guardianHasManagedMembers.rawValue])
        #expect(try member("Pat").householdRole == .adult)
        try store.enqueue(
            .setHouseholdRole(.visitor, of: try member("Pat"), reassigningManagedTo: own.id))
        try await engine.sync()
        #expect(try refusals(store).count == 1)
        #expect(try member("Pat").householdRole == .visitor)
        #expect(try member("Max").guardianID == own.userID)

        let code = try #require(try store.family(id)?.code)
        try store.enqueue(.removeMember(try member("Pat"), rotatingCode: true))
        try await engine.sync()
        #expect(try refusals(store).count == 1)
        #expect(try store.members(of: id).map(\.displayName).contains("Pat") == false)
        #expect(try store.family(id)?.code != code)
        #expect(try member("Max").guardianID == own.userID)
        try await expectEqual(store, home.admin.hearth)
    }

    private func refusalCodes(_ store: FamilyStore) throws -> [String] {
        try refusals(store).compactMap { conflict -> String? in
            guard case .refused(let code, _) = conflict.outcome else { return nil }
            return code
        }
    }

    @Test(
        "rejections wait, and one of a person who was let in meanwhile is refused and reverted",
        arguments: Backend.syncing)
    func reject(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let id = home.family.id
        try await home.admin.hearth.updateFamily(id, FamilyChange(isApprovalRequired: true))
        let code = try home.code
        for name in ["Aunt", "Uncle"] {
            try await site.person(.parent, name).hearth.joinFamily(by: code)
        }
        let (store, engine) = try await device(home.admin)
        let waiting = try store.members(of: id).filter { $0.status == .invited }
        #expect(Set(waiting.map(\.displayName)) == ["Aunt", "Uncle"])
        for person in waiting { try store.enqueue(.rejectMember(person)) }
        #expect(try store.members(of: id).count == 3)
        let uncle = try #require(waiting.first { $0.displayName == "Uncle" })
        try await home.admin.hearth.approveMember(uncle.id)

        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty)
        #expect(try refusals(store).map(\.mutation) == [.rejectMember])
        #expect(try refusals(store).map(\.entityID) == [uncle.id.rawValue])
        #expect(try refusalCodes(store) == [ErrorCode.memberIsNotWaiting.rawValue])
        let members = try store.members(of: id)
        #expect(members.allSatisfy { $0.status == .active })
        #expect(Set(members.map(\.displayName)) == ["Ada", "Pat", "Kim", "Uncle"])
        try await expectEqual(store, home.admin.hearth)
    }

    @Test(
        "withdrawing a request waits, and is refused and reverted if the family has approved it",
        arguments: Backend.syncing)
    func withdraw(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let id = home.family.id
        try await home.admin.hearth.updateFamily(id, FamilyChange(isApprovalRequired: true))
        let aunt = try site.person(.parent, "Aunt")
        try await aunt.hearth.joinFamily(by: try home.code)
        let (store, engine) = try await device(aunt)
        func withdraw() throws {
            let own = try #require(try store.ownProfile())
            try store.enqueue(.withdrawRequest(try #require(own.joinRequests.first), of: own))
            #expect(try store.ownProfile()?.joinRequests.isEmpty == true)
        }
        try withdraw()
        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty && refusals(store).isEmpty)
        #expect(try store.ownProfile()?.joinRequests.isEmpty == true)
        #expect(try await aunt.hearth.profile().joinRequests.isEmpty)

        try await aunt.hearth.joinFamily(by: try home.code)
        try await engine.sync()
        try withdraw()
        try await home.admin.hearth.approveMember(try await home.member(aunt).id)
        try await engine.sync()
        #expect(try refusals(store).map(\.mutation) == [.withdrawRequest])
        #expect(try refusalCodes(store) == [ErrorCode.memberIsNotWaiting.rawValue])
        #expect(try store.families().map(\.id) == [id])
        #expect(try store.ownProfile()?.joinRequests.isEmpty == true)
        try await expectEqual(store, aunt.hearth)
    }

    @Test(
        "sending an invitation again waits for its minute, and is refused if it was revoked",
        arguments: Backend.syncing)
    func resend(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let sent = try await home.admin.hearth.invite(.email("aunt@example.com"), as: .parent)
        let (store, engine) = try await device(home.admin)
        let listed = try store.invitations(of: home.family.id)
        try store.enqueue(.resendInvitation(try #require(listed.first)))
        #expect(try store.invitations(of: home.family.id) == listed)
        // The invitation can be sent again a minute after the first mail.
        await #expect(throws: HearthError.self) { try await engine.sendQueued() }
        #expect(try store.queuedMutations().map(\.mutation.kind) == [.resendInvitation])
        #expect(try refusals(store).isEmpty)
        try await home.admin.hearth.revokeInvitation(sent.id)

        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty)
        #expect(try refusals(store).map(\.mutation) == [.resendInvitation])
        #expect(try refusalCodes(store) == [ErrorCode.invitationNotFound.rawValue])
        #expect(try store.invitations(of: home.family.id).isEmpty)
        try await expectEqual(store, home.admin.hearth)
    }

    @Test("a device stays online and receives changes while one of its own waits for a limit")
    func limited() async throws {
        let home = try await ClientFamily(InMemoryHearth())
        let id = home.family.id
        try await home.admin.hearth.invite(.email("aunt@example.com"), as: .parent)
        let (store, waiting) = try await device(home.admin)
        // It has just been sent: it can be sent again after a minute.
        try store.enqueue(.resendInvitation(try #require(try store.invitations(of: id).first)))
        try await home.parent.hearth.addManagedMember(named: "Max")
        let error = await #expect(throws: HearthError.self) { try await waiting.sync() }
        #expect(error?.code == .invitationJustSent)
        // Hearth has not made it, so it can wait for as long as it takes.
        #expect(try store.queuedMutations().map(\.sentAt) == [nil])
        #expect(try store.members(of: id).count == 4)

        let engine = SyncEngine(
            home.admin.hearth, store, settings: SyncSettings(pollSeconds: 0.05))
        let running = Task { await engine.run() }
        defer { running.cancel() }
        var modes = await engine.modes.makeAsyncIterator()
        while let mode = await modes.next(), mode == .stopped {}
        var members = store.observe(.members(of: id)).makeAsyncIterator()
        try await home.parent.hearth.addManagedMember(named: "Mia")
        try await next(&members) { $0.count == 5 }
        let mode = await engine.mode
        #expect(mode != .offline && mode != .stopped)
        #expect(try store.queuedMutations().map(\.mutation.kind) == [.resendInvitation])

        // If the person cancels a limited change, those after it are sent at once.
        try store.enqueue(.updateFamily(id, FamilyChange(name: "The Gulls")))
        try store.cancel(try #require(try store.queuedMutations().first))
        let deadline = Date(timeIntervalSinceNow: 30)
        while try !store.queuedMutations().isEmpty, Date() < deadline {
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        #expect(try await home.parent.hearth.family(id).name == "The Gulls")
    }

    /// A connection to a Hearth in memory.
    private final class Line: Transport {
        enum Fault { case none, losesRequests, losesResponsesToChanges }

        private let hearth: InMemoryHearth
        private let fault = Locked(Fault.none)

        init(to hearth: InMemoryHearth) { self.hearth = hearth }

        func set(_ fault: Fault) { self.fault.withLock { $0 = fault } }

        func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error> {
            let fault = self.fault.withLock { $0 }
            let cut = AsyncThrowingStream<TransportPart, any Error> {
                $0.finish(throwing: HearthError.unreachable(reason: "the line is cut"))
            }
            if fault == .losesRequests { return cut }
            let response = hearth.exchange(request)
            return fault == .none || request.method == "GET" ? response : cut
        }
    }

    /// A device whose queue has a child, which could be made twice, and a name, which could not.
    private func deviceWithChild(_ line: Line, _ credentials: BearerToken) async throws -> (
        hearth: Hearth, store: FamilyStore, engine: SyncEngine
    ) {
        let hearth = Hearth(line, credentials: credentials, policy: .never)
        let family = try await hearth.createFamily(named: "The Terns").id
        let store = try FamilyStore(
            at: folder.appendingPathComponent(UUID().uuidString),
            of: try await hearth.profile().id)
        let engine = SyncEngine(hearth, store)
        try await engine.sync()
        try store.enqueue(.addManagedMember(named: "Max", to: family))
        try store.enqueue(.updateFamily(family, FamilyChange(name: "The Gulls")))
        return (hearth, store, engine)
    }

    /// Sets back the time at which the queued changes were first sent.
    private func age(_ store: FamilyStore, hours: Double) throws {
        let time = Timestamp.text(Date(timeIntervalSinceNow: -hours * 3_600))
        try store.write { file in
            try file.run("UPDATE queue SET sent_at = ? WHERE sent_at IS NOT NULL", .text(time))
        }
    }

    @Test("a change that may have been made is not sent again once its key may have expired")
    func forgotten() async throws {
        let memory = InMemoryHearth()
        let line = Line(to: memory)
        let (hearth, store, engine) = try await deviceWithChild(
            line, memory.signUp("Ada", email: "ada@example.com"))
        line.set(.losesResponsesToChanges)
        await #expect(throws: HearthError.self) { try await engine.sync() }
        #expect(try store.queuedMutations().map { $0.sentAt == nil } == [false, true])
        // Its key has not expired, so it is sent again and has its effect once.
        try age(store, hours: 22)
        await #expect(throws: HearthError.self) { try await engine.sync() }
        #expect(try store.queuedMutations().count == 2 && refusals(store).isEmpty)
        try age(store, hours: 23.1)
        await #expect(throws: HearthError.self) { try await engine.sync() }
        #expect(try store.queuedMutations().map(\.mutation.kind) == [.updateFamily])
        let conflict = try #require(try refusals(store).first)
        #expect(conflict.outcome == .unknown && conflict.mutation == .addManagedMember)
        let notice = ScreenNotice(conflict, of: [.addManagedMember], in: "en")
        #expect(notice?.isFailure == true && notice?.text.contains("check") == true)
        line.set(.none)
        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty && refusals(store) == [conflict])
        let family = try #require(try store.families().first)
        #expect(family.name == "The Gulls")
        #expect(try store.members(of: family.id).map(\.displayName).sorted() == ["Ada", "Max"])
        try await expectEqual(store, hearth)
    }

    @Test("a change that could not be sent for days is sent, since Hearth can't have made it")
    func neverSent() async throws {
        let memory = InMemoryHearth()
        let line = Line(to: memory)
        let (hearth, store, engine) = try await deviceWithChild(
            line, memory.signUp("Ada", email: "ada@example.com"))
        line.set(.losesRequests)
        await #expect(throws: HearthError.self) { try await engine.sync() }
        #expect(try store.queuedMutations().map(\.sentAt) == [nil, nil])
        line.set(.none)
        try await engine.sync()
        #expect(try store.queuedMutations().isEmpty && refusals(store).isEmpty)
        try await expectEqual(store, hearth)
    }

    @Test("each kind of change is stored and read again, with all its parts")
    func stored() throws {
        let profile = Profile(
            id: UserID("u"), displayName: "Ada", role: .parent,
            joinRequests: [
                JoinRequest(familyID: FamilyID("f"), familyName: "F", role: .parent)
            ], missingConsents: [MissingConsent(purpose: "p", version: "1")])
        let member = Member(
            id: MemberID("m"), familyID: FamilyID("f"), userID: UserID("u"), role: .parent,
            householdRole: .adult, displayName: "Ada")
        let guardian = Guardian(userID: UserID("g"), memberID: MemberID("g"), displayName: "G")
        let received = ReceivedInvitation(
            id: InvitationID("i"), familyName: "F", inviterName: "A", role: .parent)
        let invitation = Invitation(
            id: InvitationID("i"), familyID: FamilyID("f"), invitedBy: UserID("u"),
            role: .parent, householdRole: .adult)
        let code = try #require(FamilyCode(typed: "FAM-ABCDEF"))
        let all: [Mutation] = [
            .setHouseholdRole(.kid, of: member), .removeMember(member), .approveMember(member),
            .setHouseholdRole(.kid, of: member, reassigningManagedTo: MemberID("n")),
            .removeMember(member, reassigningManagedTo: MemberID("n"), rotatingCode: true),
            .rejectMember(member), .updateFamily(FamilyID("f"), FamilyChange(name: "G")),
            .updateProfile(UserID("u"), ProfileChange(fullName: "A")),
            .addManagedMember(named: "M", to: FamilyID("f"), guardian: member),
            .updateManagedMember(member, ManagedMemberChange(displayName: "M")),
            .removeManagedMember(member),
            .setPreferences([:], in: FamilyID("f"), of: UserID("u")),
            .updatePlayerDetails(PlayerDetailsChange(), in: FamilyID("f")),
            .createFamily(named: "F", by: profile),
            .createAnotherFamily(named: "F", by: profile), .joinFamily(by: code),
            .leaveFamily(FamilyID("f")), .withdrawRequest(profile.joinRequests[0], of: profile),
            .transferAdmin(to: member, from: member),
            .invite(email: "a@example.com", as: .parent, to: FamilyID("f"), by: UserID("u")),
            .resendInvitation(invitation), .revokeInvitation(invitation),
            .acceptInvitation(received), .declineInvitation(received),
            .addGuardian(member, of: member), .makePrimaryGuardian(guardian, of: member),
            .removeGuardian(guardian, of: member),
            .declineGuardianship(of: member, by: UserID("u")),
            .reassignManagedMember(member, to: member),
            .giveConsent(to: "p", version: "1", for: member),
            .withdrawConsent(to: "p", for: member),
            .giveOwnConsent(to: "p", version: "1", by: profile),
            .withdrawOwnConsent(to: "p", by: UserID("u")),
            .updateAttributes(["a": 1], of: FamilyID("f")),
        ]
        for mutation in all { #expect(Mutation(mutation.json) == mutation, "\(mutation.kind)") }
        let kinds = Set(MutationKind.allCases).subtracting([.unrecognized])
        #expect(Set(all.map(\.kind)) == kinds)
    }

    @Test("a query emits its result at once, and again whenever the result changes")
    func observed() async throws {
        let home = try await ClientFamily(InMemoryHearth())
        let (store, engine) = try await device(home.admin)
        var families = store.observe(.families).makeAsyncIterator()
        var members = store.observe(.members(of: home.family.id)).makeAsyncIterator()
        var profile = store.observe(.profile(try #require(try store.owner())))
            .makeAsyncIterator()
        #expect(try await families.next()?.map(\.name) == ["The Terns"])
        #expect(try await members.next()?.count == 3)
        #expect(try await profile.next()??.displayName == "Ada")
        try store.enqueue(.updateFamily(home.family.id, FamilyChange(name: "Gulls")))
        try await next(&families) { $0.map(\.name) == ["Gulls"] }
        try await home.parent.hearth.addManagedMember(named: "Max")
        try await engine.sync()
        try await next(&members) { $0.count == 4 }
        try store.enqueue(
            .updateProfile(
                try #require(try store.owner()), ProfileChange(avatarKey: .set("fox"))))
        try await next(&profile) { $0?.avatarKey == "fox" }
        try store.erase()
        // The sync may have brought results that differ from those of the waiting changes.
        try await next(&families) { $0.isEmpty }
        try await next(&members) { $0.isEmpty }
    }

    /// Waits for a result that meets a condition.
    private func next<Value>(
        _ results: inout AsyncThrowingStream<Value, any Error>.Iterator,
        where isMet: (Value) -> Bool
    ) async throws {
        while let value = try await results.next() {
            if isMet(value) { return }
        }
        Issue.record("the results ended before one met the condition")
    }

    @Test("a session's stored id opens the store without a network")
    func opening() async throws {
        let file = folder.appendingPathComponent("session")
        let storage = FileStorage(file)
        let session = try Session(
            try Fields([
                "access_token": "a", "refresh_token": "r", "expires_in": 600,
                "user": ["id": "u"], "session": ["id": "s"],
            ]), userID: nil, now: Date())
        try storage.save(session.data)
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        let account = Account(nowhere, storage: storage)
        let person = try #require(try await account.session?.userID)
        let store = try FamilyStore(at: folder.appendingPathComponent("store"), of: person)
        #expect(try store.families().isEmpty)
        let screen = await FamilyScreen(Hearth(nowhere, credentials: account), store: store)
        await screen.load()
        let state = await screen.state
        #expect(!state.isLoading && state.notice == nil)
    }
}
