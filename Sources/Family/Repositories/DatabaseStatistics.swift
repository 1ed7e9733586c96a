package import Postgres

/// Statements that monitor the database as a whole.
package enum DatabaseStatistics {
    /// Returns the age of the oldest open transaction in seconds; 0 if none is open, nil if the
    /// database's owner may not see it.
    package static let oldestTransactionSeconds = Statement<Scalar<Double?>>(
        "SELECT app.oldest_transaction_seconds()")
}
