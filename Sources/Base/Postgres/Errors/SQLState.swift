/// A five-character SQLSTATE, as PostgreSQL's Appendix A lists them.
///
/// A value type of eight bytes, so that errors compare it without touching the heap.
package struct SQLState: Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    private let packed: UInt64

    /// The state with this text; anything but five ASCII characters gives `00000`-like nonsense
    /// that equals no real state, which is what an unknown state is.
    package init(_ text: some StringProtocol) {
        var value: UInt64 = 0
        for byte in text.utf8.prefix(5) { value = value << 8 | UInt64(byte) }
        packed = value
    }

    package init(stringLiteral value: StaticString) {
        self.init(value.description)
    }

    package var description: String {
        let shifts: [UInt64] = [32, 24, 16, 8, 0]
        let bytes = shifts.map { UInt8(truncatingIfNeeded: packed >> $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first two characters: the class of the condition, e.g. `23` for integrity violations.
    package var conditionClass: String { String(description.prefix(2)) }

    package static let uniqueViolation: SQLState = "23505"
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"
    package static let insufficientPrivilege: SQLState = "42501"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let queryCanceled: SQLState = "57014"
    package static let readOnlyTransaction: SQLState = "25006"
    package static let failedTransaction: SQLState = "25P02"
    package static let undefinedPreparedStatement: SQLState = "26000"
    package static let featureNotSupported: SQLState = "0A000"
}
