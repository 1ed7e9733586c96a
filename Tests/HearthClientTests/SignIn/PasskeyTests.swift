import Foundation
import HearthClient
import PasskeySupport
import Testing

@Suite(
    "Passkeys, against a real server", .enabled(if: LiveServer.serves("/api/auth/exchange")),
    .timeLimit(.minutes(10)))
struct PasskeyTests {
    @Test("a passkey can be added, used to sign in, listed and removed")
    func wholeWay() async throws {
        let server = try LiveServer.shared()
        let url = server.url
        let account = Account(url, storage: MemoryStorage(), device: "A test")
        let hearth = Hearth(url, credentials: account)
        let token = try server.token(
            id: UUID(), email: "\(UUID())@example.com", name: "Ada", role: .parent)
        let first = try await account.signIn(with: ProviderToken(token))
        let options = try await hearth.newPasskeyOptions()
        #expect(options.known.isEmpty && options.userName?.hasSuffix("@example.com") == true)
        var origin = url.absoluteString
        if origin.hasSuffix("/") { origin.removeLast() }
        var passkey = try SoftPasskey(relyingParty: options.relyingPartyID, origin: origin)
        passkey.userHandle = options.userID.map { Array($0) }
        let made = try passkey.registration(Array(options.challenge)).text()
        let added = try await hearth.addPasskey(
            PasskeyCredential(json: Data(made.utf8)), label: "Phone")
        #expect(added.map(\.label) == ["Phone"] && added[0].lastUsedAt == nil)
        #expect(try await hearth.newPasskeyOptions().known == [Data(passkey.id)])

        let phone = Account(url, storage: MemoryStorage())
        let request = try await phone.passkeyOptions()
        #expect(request.userID == nil && request.relyingPartyID == options.relyingPartyID)
        passkey.counter = 2
        let used = try passkey.assertion(Array(request.challenge)).text()
        let credential = try PasskeyCredential(json: Data(used.utf8))
        let signedIn = try await phone.signIn(with: credential)
        #expect(signedIn.session.userID == first.session.userID && !signedIn.isNew)
        let replay = await #expect(throws: HearthError.self) {
            try await phone.signIn(with: credential)
        }
        #expect(replay?.code == .challengeExpired)

        let listed = try await hearth.passkeys()
        #expect(listed.map(\.id) == added.map(\.id) && listed[0].lastUsedAt != nil)
        try await hearth.removePasskey(listed[0].id)
        #expect(try await hearth.passkeys().isEmpty)
    }

    @Test("a credential built from its parts equals one parsed from JSON")
    func parts() throws {
        let used = PasskeyCredential.used(
            id: Data([1, 2, 255]), clientDataJSON: Data("{}".utf8),
            authenticatorData: Data([0xFB, 0xFF]), signature: Data([3]), userID: nil)
        let written = try PasskeyCredential(
            json: Data(
                #"""
                {"type": "public-key", "id": "AQL_", "response": {"clientDataJSON": "e30",
                 "authenticatorData": "-_8", "signature": "Aw"}}
                """#.utf8))
        #expect(used == written)
    }
}
