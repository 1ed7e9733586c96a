package import Postgres

/// What monitoring asks of the database as a whole.
package enum DatabaseStatistics {
    /// For how many seconds the oldest transaction has been open, 0 without any; nil where the
    /// database's owner may not see that.
    package static let oldestTransaction = Statement<Scalar<Double?>>(
        "SELECT app.oldest_transaction_seconds()")
}
