package import Domain
package import Postgres

/// Changes of who guards a child. Each function checks its rule again under the family's lock.
package enum Guardianships {
    /// Adds a guardian: child, guardian.
    package static let add = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.add_guardian($1, $2)")

    /// Ends a guardianship: child, guardian.
    package static let remove = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.remove_guardian($1, $2)")

    /// Makes a guardian the primary one: child, guardian.
    package static let promote = Statement<NoRow, MemberID, MemberID>(
        "SELECT FROM app.make_primary_guardian($1, $2)")
}
