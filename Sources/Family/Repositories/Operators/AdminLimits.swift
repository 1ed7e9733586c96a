package import Domain
package import Postgres

/// The counter of a rate limit of a person.
package struct AdminLimit: RowDecodable, Sendable {
    /// Name of the limit, such as `password`.
    package let name: String
    /// Attempts in the window.
    package let hits: Int32
    /// The time at which the window began.
    package let since: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// Statements about the rate limits of a person.
package enum AdminLimits {
    /// Returns the counters of an account.
    package static let ofUser = Statement<AdminLimit, UserID>(
        "SELECT name, hits, since FROM app.limits_of_account($1)")
    /// Deletes the counters of an account; returns how many there were.
    package static let clear = Statement<Scalar<Int32>, UserID>(
        "SELECT app.operator_clear_limits($1)")
}
