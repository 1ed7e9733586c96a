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
