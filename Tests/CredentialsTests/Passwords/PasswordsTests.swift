import Synchronization
import Testing
import TestSupport

@testable import Credentials

@Suite("Passwords")
struct PasswordsTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("a hash is Argon2id with the configured parameters, and valid for its password only")
    func hash() throws {
        let password = Self.bytes("correct horse battery staple")
        let hash = try PasswordHash.make(of: password)
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(PasswordHash.isValid(hash, for: password))
        #expect(!PasswordHash.isValid(hash, for: Self.bytes("correct horse battery stapl")))
        #expect(!PasswordHash.isValid(hash, for: []))
        #expect(try PasswordHash.make(of: password) != hash)
        #expect(!PasswordHash.isOutdated(hash))
    }

    @Test("a hash with weaker parameters is outdated, and so is a text that is no hash")
    func outdated() {
        // Created with argon2(1): password "password", salt "somesalt12345678", one pass of 8 MiB.
        let weak = "$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHQxMjM0NTY3OA$AAAAAAAAAAAAAAAAAAAAAAA"
        #expect(PasswordHash.isOutdated(weak))
        #expect(PasswordHash.isOutdated("no hash at all"))
        #expect(!PasswordHash.isValid("no hash at all", for: Self.bytes("x")))
    }

    @Test(
        "a guessable password is weak, and the reason is reported",
        arguments: [
            ("password1", PasswordStrength.Weakness.commonWord),
            ("abcdefghij", .sequence), ("ada.lovelace", .ownWord),
        ])
    func weak(password: String, weakness: PasswordStrength.Weakness) {
        let strength = PasswordStrength(
            of: password, ownWords: ["ada.lovelace", "ada", "lovelace"])
        #expect(strength.score < 2)
        #expect(strength.weakness == weakness, "\(strength)")
    }

    @Test("a password without a pattern is strong, and a very long one gets a score")
    func strong() {
        for password in [
            "correct horse battery staple", "tK9#vRz2!mQ", "gull kettle north 88 moss",
        ] {
            #expect(PasswordStrength(of: password, ownWords: []).score >= 3, "\(password)")
        }
        let long = String(repeating: "correct horse ", count: 18)
        #expect(PasswordStrength(of: long, ownWords: []).score >= 0)
    }

    @Test("a caller is refused at once if the queue is full, and waiting callers are still served")
    func bounded() throws {
        var settings = PasswordHasher.Settings()
        settings.threads = 1
        settings.waiting = 2
        // Long enough for a busy machine.
        settings.timeoutSeconds = 300
        let hasher = PasswordHasher(settings)
        let password = Self.bytes("correct horse battery staple")
        let hash = try hasher.hash(password)
        let outcomes = onThreads(40) { _ in
            try hasher.isValid(hash, for: password, with: hasher.acquirePermit())
        }
        let served = outcomes.count { (try? $0.get()) == true }
        let refused = outcomes.count { outcome in
            if case .failure(is PasswordHasher.Busy) = outcome { true } else { false }
        }
        #expect(served >= 3 && served + refused == 40)
        // Afterwards the hasher accepts callers again.
        #expect(try hasher.isValid(hash, for: password, with: hasher.acquirePermit()))
        #expect(try !hasher.isValid(nil, for: password, with: hasher.acquirePermit()))
    }

    @Test("a released permit can be acquired by another caller")
    func turns() throws {
        var settings = PasswordHasher.Settings()
        settings.threads = 1
        settings.waiting = 2
        // Long enough for a busy machine.
        settings.timeoutSeconds = 300
        let hasher = PasswordHasher(settings)
        var held = try (0..<3).map { _ in try hasher.acquirePermit() }
        #expect(throws: PasswordHasher.Busy.self) { try hasher.acquirePermit() }
        #expect(throws: PasswordHasher.Busy.self) { try hasher.hash(Self.bytes("x")) }
        held.removeLast()
        #expect(try hasher.hash(Self.bytes("x")).hasPrefix("$argon2id$"))
        held.append(try hasher.acquirePermit())
        #expect(throws: PasswordHasher.Busy.self) { try hasher.acquirePermit() }
    }
}
