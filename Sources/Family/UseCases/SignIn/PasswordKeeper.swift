import Domain
package import Passwords

/// Too many passwords are being checked in this process: try again.
package struct PasswordsBusy: Error, Sendable {}

/// Hashes and compares passwords, a few at once.
package struct PasswordKeeper: Sendable {
    private let hasher = PasswordHasher()

    package init() {}

    /// The right to have a password compared, to be taken before anything is spent on it.
    ///
    /// - Throws: ``PasswordsBusy``.
    package func turn() throws -> PasswordHasher.Turn { try orBusy { try hasher.turn() } }

    /// - Throws: ``PasswordsBusy``.
    func hash(_ password: NewPassword) throws -> String {
        try orBusy { try hasher.hash(password.bytes) }
    }

    /// Whether a hash is of this password, as somebody has typed it. Without a hash it takes as
    /// long.
    ///
    /// - Throws: ``PasswordsBusy``.
    func isValid(
        _ hash: String?, for typed: String, in turn: PasswordHasher.Turn
    ) throws -> Bool {
        // A longer one is nobody's; what it costs to normalise and hash must have a bound.
        let isPossible = typed.utf8.count <= 4 * NewPassword.allowedLengths.upperBound
        let bytes = isPossible ? Array(typed.nfc.utf8) : []
        return try orBusy {
            try hasher.isValid(isPossible ? hash : nil, for: bytes, in: turn)
        }
    }

    /// The same password hashed by today's parameters, if its hash is not; nil if it is, or if
    /// there is no time for it now.
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

/// A password that somebody wants to have, and may.
struct NewPassword {
    /// Characters that a password has, after normalisation.
    static let allowedLengths = 8...256
    /// Of zxcvbn's scores, 0 to 4: at least a million guesses.
    private static let leastScore = 2

    let bytes: [UInt8]

    /// - Parameter ownWords: What an attacker knows of the person: address and name.
    /// - Throws: ``Refusal``: `passwordTooWeak`, with what would help.
    init(_ text: String, ownWords: [String]) throws(Refusal) {
        let text = text.nfc
        guard Self.allowedLengths.contains(text.unicodeScalars.count) else {
            throw Refusal(.passwordTooWeak, .weakness(.length))
        }
        let parts = ownWords.flatMap { word in
            [word] + word.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
        }
        let strength = PasswordStrength(of: text, ownWords: parts.filter { $0.count > 2 })
        guard strength.score >= Self.leastScore else {
            throw Refusal(.passwordTooWeak, .weakness(PasswordWeakness(strength.weakness)))
        }
        bytes = Array(text.utf8)
    }
}

/// What is wrong with a password that somebody wants to have.
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
