import Domain
import Foundation
import MailSupport
import Observation
import PasskeySupport
import Postgres
import TestSupport
import Testing
import UseCases

@testable import FamilyApp
@testable import HearthClient

@Suite("Examples/FamilyApp", .timeLimit(.minutes(10)))
@MainActor
final class ExampleTests {
    private let folder: URL
    private let server: LiveServer

    init() throws {
        folder = try TemporaryFolder.make()
        server = try LiveServer()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Waits until a condition about observed properties holds.
    private func until(_ isMet: () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            if withObservationTracking(isMet, onChange: { change.yield() }) { return }
            for await _ in changes { break }
        }
    }

    @Test("a person signs in, creates a family without a network, and deletes the account")
    func journey() async throws {
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let model = AppModel(
            server.url, storage: MemoryStorage(), folder: folder, device: "A test")
        let running = Task { await model.run() }
        defer { running.cancel() }
        let signIn = model.signIn
        await until { !signIn.state.isLoading }
        #expect(signIn.state.signedIn == nil && !signIn.state.canSendCode)
        signIn.screen.type(email: " \(email)")
        await signIn.screen.sendCode()
        #expect(signIn.state.step == .code && signIn.state.notice == nil)
        let right = try server.mailedCode(to: email)
        signIn.screen.type(code: right == "000000" ? "000001" : "000000")
        await signIn.screen.submitCode()
        #expect(signIn.state.notice?.isFailure == true && signIn.state.step == .code)
        signIn.screen.type(code: right)
        await signIn.screen.submitCode()
        #expect(signIn.state.signedIn != nil && signIn.state.isNew)
        #expect(signIn.state.needsNameOrRole)
        await until { model.home != nil }
        let home = try #require(model.home)
        await until { home.families.state.profile?.lacksNameOrRole == true }

        server.kill()
        await home.families.screen.introduce(name: " ", role: .parent)
        #expect(home.families.state.profile?.lacksNameOrRole == true, "a name is needed")
        await home.families.screen.introduce(name: " Ada ", role: .parent)
        let introduced = try #require(home.families.state.profile)
        #expect(!introduced.lacksNameOrRole && introduced.displayName == "Ada")
        home.families.screen.typeName("The Terns")
        await home.families.screen.create()
        let waiting = try #require(home.families.state.families.first)
        #expect(waiting.id.isProvisional && home.families.state.notice == nil)
        try server.restart()
        home.engine.networkChanged()
        await until { home.families.state.families.first?.id.isProvisional == false }
        #expect(home.families.state.families.map(\.name) == ["The Terns"])
        let members = home.members(of: home.families.state.families[0])
        await members.screen.load()
        #expect(members.state.members.map(\.displayName) == ["Ada"])
        #expect(home.families.state.notice == nil)
        #expect(home.families.state.profile?.lacksNameOrRole == false)

        #expect(try await model.deleteAccount())
        await until { model.home == nil }
        #expect(signIn.state.signedIn == nil)
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .first { $0.hasSuffix(".sqlite") })
        let left = try FamilyStore(
            at: folder.appendingPathComponent(file), of: waiting.createdByUserID)
        #expect(try left.families().isEmpty)
    }

    /// Starts the app's model, and waits until it shows whether somebody is signed in.
    private func started() async -> (model: AppModel, running: Task<Void, Never>) {
        let model = AppModel(
            server.url, storage: MemoryStorage(), folder: folder, device: "A test")
        let running = Task { await model.run() }
        await until { !model.signIn.state.isLoading }
        return (model, running)
    }

    private static func address() -> String { "\(UUID().uuidString.lowercased())@example.com" }

    @Test("a person signs up with a password, confirms the address, and signs in again by password")
    func password() async throws {
        let (model, running) = await started()
        defer { running.cancel() }
        let (signIn, email) = (model.signIn, Self.address())
        let password = "sixty herons over 4 quiet locks"
        signIn.screen.type(email: email)
        await signIn.screen.signUp(password: password)
        #expect(signIn.state.step == .address, "nobody has chosen a side")
        signIn.screen.type(name: "Ada", role: .parent)
        await signIn.screen.signUp(password: "password")
        #expect(signIn.state.notice?.isFailure == true && signIn.state.step == .address)
        await signIn.screen.signUp(password: password)
        #expect(signIn.state.step == .code && signIn.state.notice == nil)
        signIn.screen.type(code: try server.mailedCode(to: email))
        await signIn.screen.submitCode()
        let person = try #require(signIn.state.signedIn)
        #expect(signIn.state.isNew && !signIn.state.needsNameOrRole)
        await until { model.home != nil }

        await model.signOut()
        await until { model.home == nil }
        #expect(signIn.state.signedIn == nil && signIn.state.step == .address)
        signIn.screen.type(email: email)
        await signIn.screen.signIn(password: "sixty herons over 5 quiet locks")
        #expect(signIn.state.notice?.isFailure == true && signIn.state.signedIn == nil)
        #expect(signIn.state.emailInput == email && !signIn.state.isWorking)
        await signIn.screen.signIn(password: password)
        #expect(signIn.state.signedIn == person && !signIn.state.isNew)
        #expect(signIn.state.notice == nil && signIn.state.emailInput.isEmpty)
    }

    @Test("after too many wrong codes the screen asks for the address again")
    func usedUpCode() async throws {
        let (model, running) = await started()
        defer { running.cancel() }
        let (signIn, email) = (model.signIn, Self.address())
        signIn.screen.type(email: email)
        await signIn.screen.sendCode()
        let right = try server.mailedCode(to: email)
        var tries = 0
        while signIn.state.step == .code, tries < 10 {
            signIn.screen.type(code: right == "000000" ? "000001" : "000000")
            await signIn.screen.submitCode()
            tries += 1
            #expect(signIn.state.notice?.isFailure == true)
        }
        #expect(signIn.state.step == .address && signIn.state.codeInput.isEmpty && tries < 10)
        #expect(signIn.state.emailInput == email, "another code is one press away")
        await signIn.screen.submitCode()
        #expect(signIn.state.signedIn == nil, "without a ticket, no code is sent")
        await signIn.screen.sendCode()
        signIn.screen.type(code: try server.mailedCode(to: email))
        await signIn.screen.submitCode()
        #expect(signIn.state.signedIn != nil)
    }

    @Test(
        "a screen without a network shows a message, keeps what was typed, and works again afterwards"
    )
    func offlineSignIn() async throws {
        let (model, running) = await started()
        defer { running.cancel() }
        let (signIn, email) = (model.signIn, Self.address())
        for typed in ["", "ada", "ada@", "@example.com", "ada@example", "a@b@example.com"] {
            signIn.screen.type(email: typed)
            #expect(!signIn.state.canSendCode, "\(typed)")
        }
        signIn.screen.type(email: email)
        server.kill()
        await signIn.screen.sendCode()
        #expect(signIn.state.notice?.isFailure == true && signIn.state.step == .address)
        #expect(signIn.state.emailInput == email && !signIn.state.isWorking)
        signIn.screen.dismissNotice()
        #expect(signIn.state.notice == nil)
        try server.restart()
        await signIn.screen.sendCode()
        #expect(signIn.state.step == .code)
        signIn.screen.startOver()
        #expect(signIn.state.step == .address && signIn.state.emailInput == email)
    }

    @Test("a provider's token signs in, and a failed dialog is shown")
    func providerSignIn() async throws {
        let (model, running) = await started()
        defer { running.cancel() }
        let signIn = model.signIn
        signIn.screen.fail(CocoaError(.userCancelled))
        #expect(signIn.state.notice?.isFailure == true)
        await signIn.screen.signIn(with: ProviderToken("odd"))
        #expect(signIn.state.notice?.isFailure == true && signIn.state.signedIn == nil)
        await signIn.screen.signIn(with: try server.providerToken())
        #expect(signIn.state.signedIn != nil && signIn.state.isNew && signIn.state.notice == nil)
        await until { model.home != nil }
    }

    @Test("a passkey signs in with the options that the screen requests, and with no others")
    func passkeySignIn() async throws {
        let account = Account(server.url, storage: MemoryStorage(), device: "Another device")
        let first = try await account.signIn(with: try server.providerToken())
        let hearth = Hearth(server.url, credentials: account)
        let options = try await hearth.newPasskeyOptions()
        var origin = server.url.absoluteString
        if origin.hasSuffix("/") { origin.removeLast() }
        var passkey = try SoftPasskey(relyingParty: options.relyingPartyID, origin: origin)
        passkey.userHandle = options.userID.map { Array($0) }
        let made = try passkey.registration(Array(options.challenge)).text()
        try await hearth.addPasskey(PasskeyCredential(json: Data(made.utf8)), label: "Phone")

        let (model, running) = await started()
        defer { running.cancel() }
        let signIn = model.signIn
        passkey.counter = 2
        let old = try passkey.assertion(Array(options.challenge)).text()
        await signIn.screen.signIn(with: try PasskeyCredential(json: Data(old.utf8)))
        #expect(signIn.state.notice?.isFailure == true && signIn.state.signedIn == nil)
        let asked = try #require(await signIn.screen.passkeyOptions())
        #expect(asked.relyingPartyID == options.relyingPartyID && signIn.state.notice == nil)
        passkey.counter = 3
        let used = try passkey.assertion(Array(asked.challenge)).text()
        await signIn.screen.signIn(with: try PasskeyCredential(json: Data(used.utf8)))
        #expect(signIn.state.signedIn == first.session.userID && !signIn.state.isNew)
        await until { model.home != nil }
    }

    @Test("a refused introduction asks again, and its reason stays until it is dismissed")
    func refusedIntroduction() async throws {
        let (model, running) = await started()
        defer { running.cancel() }
        await model.signIn.screen.signIn(with: try server.providerToken())
        await until { model.home != nil }
        let home = try #require(model.home)
        await until { home.families.state.profile?.lacksNameOrRole == true }
        await home.families.screen.introduce(
            name: String(repeating: "n", count: 1_000), role: .parent)
        await until { home.families.state.notice?.isFailure == true }
        await until { home.families.state.profile?.lacksNameOrRole == true }
        await home.families.screen.load()
        #expect(home.families.state.notice?.isFailure == true)
        home.families.screen.dismissNotice()
        #expect(home.families.state.notice == nil)
        await home.families.screen.introduce(name: "Ada", role: .parent)
        #expect(home.families.state.profile?.lacksNameOrRole == false)
    }

    @Test("the app's source type-checks, and has at most 300 lines")
    func checked() throws {
        let root = SourceTree.root.appendingPathComponent("Examples")
        let modules = URL(fileURLWithPath: BuiltProgram.path("Modules")).path
        let settings = [
            "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "InternalImportsByDefault", "-module-cache-path",
            folder.appendingPathComponent("cache").path, "-I", folder.path, "-I", modules, "-Xcc",
            "-fmodule-map-file="
                + SourceTree.root.appendingPathComponent("Sources/System/CSQLite/module.modulemap")
                .path,
        ]
        func compile(_ arguments: [String]) throws {
            let log = folder.appendingPathComponent("log")
            try Data().write(to: log)
            let file = try FileHandle(forWritingTo: log)
            let compiler = try Subprocess(
                "/usr/bin/env", ["swiftc", "-parse-as-library"] + settings + arguments,
                output: .file(file), errors: .file(file))
            try compiler.wait(seconds: 300)
            let text = try String(contentsOf: log, encoding: .utf8)
            #expect(compiler.result == .exit(0), "\(text)")
            #expect(!text.contains("warning:"), "\(text)")
        }
        for name in ["SwiftUI", "CryptoKit", "AuthenticationServices"] {
            try compile([
                "-module-name", name, "-wmo", "-emit-module", "-emit-module-path",
                folder.appendingPathComponent("\(name).swiftmodule").path,
                root.appendingPathComponent("Stubs/\(name).swift").path,
            ])
        }
        let app = root.appendingPathComponent("FamilyApp")
        let files = try FileManager.default.subpathsOfDirectory(atPath: app.path)
            .filter { $0.hasSuffix(".swift") }.map { app.appendingPathComponent($0).path }
        try compile(
            ["-module-name", "FamilyApp", "-typecheck"] + files + [
                root.appendingPathComponent("Stubs/Apple.swift").path
            ])
        let lines = try files.map {
            try String(contentsOfFile: $0, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            ).count - 1
        }
        #expect(lines.reduce(0, +) <= 300)
    }
}
