import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HearthClient

@Suite("Operations of the API")
struct OperationTests {
    /// A transport that records requests and answers none.
    private final class Recorder: Transport {
        let requests = Mutex<[(method: String, path: String)]>([])

        func exchange(_ request: APIRequest) -> AsyncThrowingStream<TransportPart, any Error> {
            requests.withLock { $0.append((request.method, request.path)) }
            return AsyncThrowingStream { stream in
                // A server that is older than the library.
                stream.yield(.head(APIResponse(status: 404)))
                stream.finish()
            }
        }
    }

    private static let byKey = "called by a server with an API key, which no app may contain"
    private static let page = "a page for people; pageAddress(_:returningTo:) opens it from an app"

    /// Operations without a call, and the reason.
    private static let withoutCall: [String: String] = [
        "joinFamilyByFunction": "the same as joinFamily, for apps that call an edge function",
        "addManagedMemberToGroup": "the same as addManagedMember, for apps about groups",
        "showRefusePage": "a page for people without the app",
        "showSignInPage": page, "showJoinPage": page, "showResetPage": page,
        "showAccountPage": page, "showContinuePage": page, "showHomePage": page,
        "showFamilyMainPage": page, "showNewFamilyPage": page, "showJoinFamilyPage": page,
        "showInvitePage": page, "showChildPage": page, "showActivityPage": page,
        "showSettingsPage": page,
        "refuseInvitations": "the form of that page",
        "readAppleAppSiteAssociation": "read by the system",
        "readAndroidAssetLinks": "read by the system",
        "readPasskeyScript": "a script for pages",
        "readKeySet": "read by services that verify tokens",
        "readIssuerMetadata": "read by services that verify tokens",
        "checkHealth": "for load balancers",
        "checkReadiness": "for load balancers",
        "readMetrics": "for monitoring",
        "describeAPI": "for generators of clients",
        "readTypeScriptClient": "another client",
        "showRoutes": "a page for developers",
        "readRoutesStyle": "the style of that page",
        "listServerFamilies": byKey, "readServerFamily": byKey, "listServerMembers": byKey,
        "readServerPerson": byKey, "findServerPeople": byKey, "listServerEvents": byKey,
        "createServerInvitation": byKey,
    ]

    /// An operation of `docs/openapi.json`.
    private struct Described {
        let id: String
        let method: String
        let segments: [Substring]
        let tags: [String]

        /// Whether a path is one of the operation's, and how many segments are literal.
        func literals(in path: String) -> Int? {
            let parts = path.split(separator: "/")
            guard parts.count == segments.count else { return nil }
            var count = 0
            for (part, segment) in zip(parts, segments) {
                if segment == part { count += 1 } else if !segment.hasPrefix("{") { return nil }
            }
            return count
        }
    }

    private static func described() throws -> [Described] {
        let file = SourceTree.root.appendingPathComponent("docs/openapi.json")
        let document = try JSONValue(parsing: Data(contentsOf: file))
        return (document["paths"]?.objectValue ?? [:]).flatMap { path, methods in
            (methods.objectValue ?? [:]).compactMap { method, operation in
                operation["operationId"]?.stringValue.map {
                    Described(
                        id: $0, method: method.uppercased(), segments: path.split(separator: "/"),
                        tags: (operation["tags"]?.arrayValue ?? []).compactMap(\.stringValue))
                }
            }
        }
    }

    private static func call(_ hearth: Hearth, _ account: Account) async throws {
        let (family, child, other) = (FamilyID("f"), MemberID("managed_c"), MemberID("m"))
        let (invitation, user) = (InvitationID("i"), UserID("u"))
        let ticket = SignInTicket(ticket: "t", endsAt: Date())
        let code = try #require(FamilyCode(typed: "FAM-ABCDEF"))
        let passkey = try PasskeyCredential(json: Data("{}".utf8))
        func run(_ body: () async throws -> Void) async { try? await body() }
        await run { _ = try await hearth.profile() }
        await run { _ = try await hearth.updateProfile(ProfileChange()) }
        await run { _ = try await hearth.eraseAccount() }
        await run { _ = try await hearth.sendDeletionCode() }
        await run { _ = try await hearth.exportAccount() }
        await run { _ = try await hearth.profiles() }
        await run { _ = try await hearth.ownConsents() }
        await run { _ = try await hearth.giveOwnConsent(to: "p", version: "1") }
        await run { _ = try await hearth.withdrawOwnConsent(to: "p") }
        await run { _ = try await hearth.receivedInvitations() }
        await run { _ = try await hearth.acceptInvitation(invitation) }
        await run { _ = try await hearth.declineInvitation(invitation) }
        await run { _ = try await hearth.withdrawRequest(to: family) }
        await run { _ = try await hearth.sessions() }
        await run { _ = try await hearth.endOtherSessions() }
        await run { _ = try await hearth.endSession(ID("s")) }
        await run { _ = try await hearth.identities() }
        await run { _ = try await hearth.addIdentity(ProviderToken("t")) }
        await run { _ = try await hearth.removeIdentity(ID("i")) }
        await run { _ = try await hearth.delegate(for: user, to: "votes") }
        await run { _ = try await hearth.changePassword(to: "new") }
        await run { _ = try await hearth.requestAddressChange(to: "a@example.com") }
        await run { _ = try await hearth.changeAddress(ticket, code: "123456") }
        await run { _ = try await hearth.pageAddress() }
        await run { _ = try await hearth.newPasskeyOptions() }
        await run { _ = try await hearth.addPasskey(passkey) }
        await run { _ = try await hearth.passkeys() }
        await run { _ = try await hearth.removePasskey(ID("p")) }
        await run { _ = try await hearth.createFamily() }
        await run { _ = try await hearth.createAnotherFamily(named: "n") }
        await run { _ = try await hearth.families() }
        await run { _ = try await hearth.family(family) }
        await run { _ = try await hearth.updateFamily(family, FamilyChange()) }
        await run { _ = try await hearth.attributes(of: family) }
        await run { _ = try await hearth.updateAttributes(["a": 1], of: family) }
        await run { _ = try await hearth.qrCode(of: family, as: .png) }
        await run { _ = try await hearth.qrCode(of: family, as: .svg) }
        await run { _ = try await hearth.group(family) }
        await run { _ = try await hearth.ownGroup() }
        await run { _ = try await hearth.auditTrail() }
        await run { _ = try await hearth.members() }
        await run { _ = try await hearth.member(other) }
        await run { _ = try await hearth.setHouseholdRole(.adult, of: other) }
        await run { _ = try await hearth.removeMember(other) }
        await run { _ = try await hearth.leaveFamily() }
        await run { _ = try await hearth.approveMember(other) }
        await run { _ = try await hearth.rejectMember(other) }
        await run { _ = try await hearth.transferAdmin(to: other) }
        await run { _ = try await hearth.previewCode(code) }
        await run { _ = try await hearth.joinFamily(by: code) }
        await run { _ = try await hearth.regenerateCode(of: family) }
        await run { _ = try await hearth.invite(.link, as: .parent) }
        await run { _ = try await hearth.previewInvitation(token: "t") }
        await run { _ = try await hearth.acceptInvitation(token: "t") }
        await run { _ = try await hearth.declineInvitation(token: "t") }
        await run { _ = try await hearth.invitations() }
        await run { _ = try await hearth.resendInvitation(invitation) }
        await run { _ = try await hearth.revokeInvitation(invitation) }
        await run { _ = try await hearth.addManagedMember(named: "n") }
        await run { _ = try await hearth.managedMember(child) }
        await run { _ = try await hearth.updateManagedMember(child, ManagedMemberChange()) }
        await run { _ = try await hearth.removeManagedMember(child) }
        await run { _ = try await hearth.reassignManagedMember(child, to: other) }
        await run { _ = try await hearth.addGuardian(other, of: child) }
        await run { _ = try await hearth.makePrimaryGuardian(other, of: child) }
        await run { _ = try await hearth.removeGuardian(other, of: child) }
        await run { _ = try await hearth.declineGuardianship(of: child) }
        await run { _ = try await hearth.startGraduation(of: child, to: .link) }
        await run { _ = try await hearth.consents(for: child) }
        await run { _ = try await hearth.consent(to: "p", for: child) }
        await run { _ = try await hearth.giveConsent(to: "p", version: "1", for: child) }
        await run { _ = try await hearth.withdrawConsent(to: "p", for: child) }
        await run { _ = try await hearth.preferences(in: family) }
        await run { _ = try await hearth.setPreferences([:], in: family) }
        await run { _ = try await hearth.playerDetails() }
        await run { _ = try await hearth.updatePlayerDetails(PlayerDetailsChange()) }
        await run { _ = try await hearth.changes(after: nil) }
        await run { _ = try await hearth.batch([]) }
        await run { for try await _ in hearth.events(after: nil, timeoutSeconds: 5) {} }
        await run { _ = try await account.signIn(with: ProviderToken("t")) }
        await run { _ = try await account.requestCode(email: "a@example.com") }
        await run { _ = try await account.signIn(ticket, code: "123456") }
        await run { _ = try await account.signIn(linkToken: "t") }
        await run { _ = try await account.signIn(email: "a@example.com", password: "p") }
        await run {
            _ = try await account.signUp(
                email: "a@example.com", password: "p", fullName: "A", role: .parent)
        }
        await run { _ = try await account.requestPasswordReset(email: "a@example.com") }
        await run { _ = try await account.resetPassword(token: "t", to: "p") }
        await run { _ = try await account.passkeyOptions() }
        await run { _ = try await account.signIn(with: passkey) }
    }

    /// Returns an account with a session whose access token has expired.
    private static func expired(_ recorder: Recorder) throws -> Account {
        let storage = MemoryStorage()
        let session = try Session(
            try Fields([
                "access_token": "a", "refresh_token": "r", "expires_in": 0,
                "user": ["id": "u"], "session": ["id": "s"],
            ]), userID: nil, now: .distantPast)
        storage.save(session.data)
        return Account(
            Hearth(recorder, credentials: BearerToken.none, policy: .never), storage: storage,
            now: { Date() })
    }

    @Test("every operation of the API has a call in the library or a reason for having none")
    func all() async throws {
        let recorder = Recorder()
        let hearth = Hearth(recorder, credentials: BearerToken("t"), policy: .never)
        try await Self.call(hearth, try Self.expired(recorder))
        // A refresh, and a sign-out.
        _ = try? await Self.expired(recorder).accessToken()
        try? await Self.expired(recorder).signOut()
        let described = try Self.described()
        var called = Set<String>()
        for (method, path) in recorder.requests.withLock({ $0 }) {
            let matching = described.filter { $0.method == method }
                .compactMap { operation in
                    operation.literals(in: path).map { (operation.id, $0) }
                }
            let best = matching.max { $0.1 < $1.1 }
            called.insert(try #require(best, "\(method) \(path)").0)
        }
        let ids = Set(described.map(\.id))
        let missing = ids.subtracting(called).subtracting(Self.withoutCall.keys).sorted()
        #expect(missing == [], "add a call, or the reason to withoutCall")
        let needless = Set(Self.withoutCall.keys)
        #expect(needless.intersection(called).isEmpty && needless.isSubset(of: ids))
        #expect(called.count > 80)
        // A reason is not a way to leave out a call of the API itself.
        for operation in described where operation.segments.first == "api" {
            guard let reason = Self.withoutCall[operation.id] else { continue }
            #expect(reason == Self.byKey && operation.tags == ["Server"], "\(operation.id)")
        }
    }
}
