import Domain
package import Credentials

/// The error while this process is checking too many passwords; a later attempt may succeed.
package struct PasswordsBusy: Error, Sendable {}

/// Hashes and compares passwords, a few at a time.
package struct PasswordHashing: Sendable {
    private let hasher = PasswordHasher()

    package init() {}

    /// Acquires the right to have a password compared, before any other work.
    ///
    /// - Throws: ``PasswordsBusy``.
    package func turn() throws -> PasswordHasher.Permit {
        try orBusy { try hasher.acquirePermit() }
    }

    /// - Throws: ``PasswordsBusy``.
    func hash(_ password: NewPassword) throws -> String {
        try orBusy { try hasher.hash(password.bytes) }
    }

    /// Whether a hash belongs to the typed password. Takes equally long if there is no hash.
    ///
    /// - Throws: ``PasswordsBusy``.
    func isValid(
        _ hash: String?, for typed: String, in turn: PasswordHasher.Permit
    ) throws -> Bool {
        // A longer text can't be a password; normalising and hashing must have bounded cost.
        let isPossible = typed.utf8.count <= 4 * NewPassword.allowedLengths.upperBound
        let bytes = isPossible ? Array(typed.nfc.utf8) : []
        return try orBusy {
            try hasher.isValid(isPossible ? hash : nil, for: bytes, with: turn)
        }
    }

    /// Hashes the password with the current parameters if its hash is outdated; nil if it isn't, or
    /// if the process is too busy now.
    func renewed(_ hash: String, of typed: String) -> String? {
        guard PasswordHash.isOutdated(hash) else { return nil }
        return try? hasher.hash(Array(typed.nfc.utf8))
    }

    private func orBusy<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch is PasswordHasher.Busy {
            throw PasswordsBusy()
        }
    }
}

/// A new password that passes the rules.
struct NewPassword {
    /// Allowed number of characters after normalisation.
    static let allowedLengths = 8...256
    /// Minimum score of zxcvbn, from 0 to 4. This score means at least a million guesses.
    private static let minimumScore = 2

    let bytes: [UInt8]

    /// - Parameter ownWords: Words that an attacker knows about the person: address and name.
    /// - Throws: ``Refusal``: `passwordTooWeak`, with the weakness.
    init(_ text: String, ownWords: [String]) throws(Refusal) {
        let text = text.nfc
        guard Self.allowedLengths.contains(text.unicodeScalars.count) else {
            throw Refusal(.passwordTooWeak, .weakness(.length))
        }
        let parts = ownWords.flatMap { word in
            [word] + word.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
        }
        let strength = PasswordStrength(of: text, ownWords: parts.filter { $0.count > 2 })
        guard strength.score >= Self.minimumScore else {
            throw Refusal(.passwordTooWeak, .weakness(PasswordWeakness(strength.weakness)))
        }
        bytes = Array(text.utf8)
    }
}

/// The weakness of a new password.
package enum PasswordWeakness: Sendable, Equatable, CaseIterable {
    case length, commonWord, ownWord, repetition, sequence, keyboardPattern, date, tooShort, other

    init(_ weakness: PasswordStrength.Weakness?) {
        self =
            switch weakness {
            case .commonWord: .commonWord
            case .ownWord: .ownWord
            case .repetition: .repetition
            case .sequence: .sequence
            case .keyboardPattern: .keyboardPattern
            case .date: .date
            case .tooShort: .tooShort
            case nil: .other
            }
    }
}
