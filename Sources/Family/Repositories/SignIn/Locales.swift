package import Postgres

/// The languages of messages to people.
package enum Locales {
    /// Stores a language for the account of the current request, if it has none.
    package static let setIfUnknown = Statement<NoRow, String>(
        "SELECT FROM app.set_locale_if_unknown($1) WHERE app.account_id() IS NOT NULL")

    /// Changes the account's language.
    package static let choose = Statement<NoRow, String>(
        "SELECT FROM app.choose_locale($1) WHERE app.user_id() IS NOT NULL")
}
