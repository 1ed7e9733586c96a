package import Postgres

/// The languages that people are written to in.
package enum Locales {
    /// Keeps a language for the account whose request has begun, if it has none.
    package static let take = Statement<NoRow, String>(
        "SELECT FROM app.set_locale_if_unknown($1) WHERE app.account_id() IS NOT NULL")

    /// Changes it.
    package static let choose = Statement<NoRow, String>(
        "SELECT FROM app.choose_locale($1) WHERE app.user_id() IS NOT NULL")
}
