package import Domain
package import Postgres

/// A family that was created, or was there already.
package struct CreatedFamily: RowDecodable, Sendable {
    package let id: FamilyID
    package let name: String
    /// Empty when it has expired or the caller may not see it.
    package let code: String
    package let codeGeneratedAt: Timestamp?
    package let existed: Bool

    package init(row: inout RowReader) throws(PostgresError) {
        id = try row.read()
        name = try row.read()
        code = try row.read(String?.self) ?? ""
        codeGeneratedAt = try row.read()
        existed = try row.read()
    }
}

package enum Families {
    /// Creates a family and makes the caller its first member: name, role, whether a family is
    /// wanted beside those that the caller has.
    package static let create = Statement<CreatedFamily, String?, MemberRole?, Bool>(
        """
        SELECT family_unit_id, family_name, family_code, code_generated_at, existed
        FROM app.create_family($1, $2, $3)
        """)
}
