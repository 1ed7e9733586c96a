import Postgres
import TestSupport
import Testing

@Suite("Autovacuum")
struct AutovacuumTests {
    /// Tables that stay small with any number of families.
    private static let small = """
        api_key_uses api_keys audit_exports automatic_approval code_settings consent_purposes \
        console_links console_passkeys console_sessions doctor_results domain_labels erasures mail_verdicts operators processes \
        refused_invitations role_changes role_conflicts standby_readers suppressed_addresses \
        trusted_issuers webhook_endpoints wrong_code_hours wrong_codes
        """

    @Test("every table that can grow large has its own autovacuum settings")
    func large() throws {
        try TestDatabase.with(.migrated) { database in
            let forgotten = try Connection(database.settings()).query(
                """
                SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class AS c
                WHERE c.relnamespace = 'app'::regnamespace AND c.relkind = 'r'
                    AND NOT c.relispartition
                    AND NOT array_to_string(coalesce(c.reloptions, '{}'), ' ')
                        LIKE '%autovacuum_vacuum_scale_factor%'
                """
            ).scalar(String?.self)
            #expect(forgotten == Self.small)
        }
    }
}
