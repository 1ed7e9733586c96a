package import Domain
import Postgres

/// A guardian of a managed member, as the family sees it.
package struct ListedGuardian: Sendable, Equatable {
    package let user: UserID
    package let member: MemberID
    /// Empty if unknown.
    package let name: String
    package let since: Timestamp

    /// Reads four columns, an array each: users, members, names, times. All are null of an account.
    static func list(_ row: inout RowReader) throws(PostgresError) -> [ListedGuardian] {
        let users = try row.read([UserID]?.self) ?? []
        let members = try row.read([MemberID]?.self) ?? []
        let names = try row.read([String]?.self) ?? []
        let since = try row.read([Timestamp]?.self) ?? []
        return zip(zip(users, members), zip(names, since)).map {
            ListedGuardian(user: $0.0, member: $0.1, name: $1.0, since: $1.1)
        }
    }
}
