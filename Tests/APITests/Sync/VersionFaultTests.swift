import Glibc
import Postgres
import TestSupport
import Testing

/// Puts faults into versions, notes and visibility: the model must notice each.
@Suite("Faults in versions", .enabled(if: getenv("HEARTH_TEST_SYNC_FAULTS") != nil))
struct VersionFaultTests {
    static let faults: [(name: String, sql: String)] = [
        ("a profile raises nothing", "ALTER TABLE app.users DISABLE TRIGGER note_change"),
        (
            "a membership raises nothing",
            "ALTER TABLE app.family_members DISABLE TRIGGER note_update"
        ),
        (
            "an invitation that goes raises nothing",
            "ALTER TABLE app.family_invitations DISABLE TRIGGER note_change;"
                + "ALTER TABLE app.family_invitations DISABLE TRIGGER note_update"
        ),
        (
            "preferences raise nothing",
            "ALTER TABLE app.member_preferences DISABLE TRIGGER note_change"
        ),
        (
            "attributes raise nothing",
            "ALTER TABLE app.family_attributes DISABLE TRIGGER note_change"
        ),
        (
            "a version is raised too late for its changes",
            """
            CREATE OR REPLACE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
            LANGUAGE sql AS 'UPDATE app.family_versions SET transaction_id = pg_current_xact_id()
                WHERE family_unit_id = p_family AND random() < 0.3'
            """
        ),
        (
            "members learn only of what those learn who govern",
            """
            ALTER POLICY family_changes_audience_reads ON app.family_changes USING (
                family_unit_id IN (SELECT g.family_unit_id FROM app.my_governed_families AS g))
            """
        ),
    ]

    @Test("are noticed", arguments: faults.indices)
    func noticed(_ index: Int) throws {
        let site = try Site()
        let connection = try Connection(site.test.settings())
        try connection.execute(script: Self.faults[index].sql)
        let model = try SyncModel(site, seed: .random(in: 0 ... .max))
        for round in 0..<20 {
            try model.run(round, writers: 6, operations: 25)
            if try !model.differences().isEmpty { return }
        }
        Issue.record("\(Self.faults[index].name): not noticed")
    }
}
