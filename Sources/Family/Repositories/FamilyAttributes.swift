package import Domain
package import Postgres

/// A family's attributes, a JSON object that only apps understand.
package enum FamilyAttributes {
    /// Returns a family's attributes; no row if nothing is stored or the caller may not see them.
    package static let read = Statement<Scalar<PostgresJSON>, FamilyID>(
        "SELECT attributes FROM app.family_attributes WHERE family_unit_id = $1")

    private static let services = """
        SELECT ARRAY(
            SELECT s.value #>> '{}'
            FROM jsonb_array_elements(
                CASE jsonb_typeof(a.attributes -> 'streaming_services')
                    WHEN 'array' THEN a.attributes -> 'streaming_services' ELSE '[]' END)
                WITH ORDINALITY AS s (value, position)
            WHERE jsonb_typeof(s.value) = 'string' ORDER BY s.position)
        FROM app.family_attributes AS a
        """

    /// Returns the texts of a family's attribute `streaming_services`; no row if nothing is stored.
    package static let streamingServices = Statement<Scalar<[String]>, FamilyID>(
        "\(services) WHERE a.family_unit_id = $1")

    /// Returns the texts of the attribute in the subject's first family (``Families/first``).
    package static let streamingServicesOfFirst = Statement<Scalar<[String]>>(
        "\(services) WHERE a.family_unit_id = (\(Families.selectFirst))")

    /// Merges a patch into a family's attributes and returns them. Parameters: family, patch.
    package static let patch = Statement<Scalar<PostgresJSON>, FamilyID, PostgresJSON>(
        "SELECT attributes FROM app.patch_attributes($1, $2, NULL)")
}
