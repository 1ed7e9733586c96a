package import Domain
package import Postgres

/// A family's attributes, a JSON object that only apps understand, and its version.
package struct FamilyAttributes: RowDecodable, Sendable {
    /// A JSON object, as it is after the statement.
    package let document: PostgresJSON
    /// How often they were changed.
    package let version: Int64
    /// Whether the version was one that the change expected; if not, nothing has changed.
    package let isExpected: Bool

    package init(row: inout RowReader) throws(PostgresError) {
        document = try row.read()
        version = try row.read()
        isExpected = try row.read()
    }
}

extension FamilyAttributes {
    /// Those of a family; no row if nothing is stored or the caller may not see them.
    package static let read = Statement<FamilyAttributes, FamilyID>(
        "SELECT attributes, version, true FROM app.family_attributes WHERE family_unit_id = $1")

    private static let services = """
        SELECT ARRAY(
            SELECT s.value #>> '{}'
            FROM jsonb_array_elements(
                CASE jsonb_typeof(a.attributes -> 'streaming_services')
                    WHEN 'array' THEN a.attributes -> 'streaming_services' ELSE '[]' END)
                WITH ORDINALITY AS s (value, place)
            WHERE jsonb_typeof(s.value) = 'string' ORDER BY s.place)
        FROM app.family_attributes AS a
        """

    /// The texts of a family's attribute `streaming_services`; no row if nothing is stored.
    package static let streamingServices = Statement<Scalar<[String]>, FamilyID>(
        "\(services) WHERE a.family_unit_id = $1")

    /// The same of the subject's first family (``Families/first``).
    package static let streamingServicesOfFirst = Statement<Scalar<[String]>>(
        "\(services) WHERE a.family_unit_id = (\(Families.selectFirst))")

    /// Merges a patch into a family's: family, patch, the versions that it may be made to (null:
    /// any).
    package static let patch = Statement<FamilyAttributes, FamilyID, PostgresJSON, [Int64]?>(
        "SELECT attributes, version, is_expected FROM app.patch_attributes($1, $2, $3)")
}
