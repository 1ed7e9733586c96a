import Postgres
import TestSupport
import Testing

/// Injects faults into change records, versions, locks and visibility: the model must detect each.
///
/// `HEARTH_TEST_SYNC_FAULTS` is `yes`, or a part of the names of the faults to try.
@Suite("Faults in versions", .enabled(if: setting("HEARTH_TEST_SYNC_FAULTS") != nil))
struct VersionFaultTests {
    struct Fault: Sendable {
        let name: String
        let sql: String
        /// Whether the fault shows only with several concurrent writers.
        var isRace = false
    }

    static let faults = lostChanges + otherFaults

    /// Loses each kind of change record. (`role` only dates conflicts, which are not part of a
    /// copy.)
    private static let lostChanges = [
        "family", "details", "name", "member", "membership", "preferences", "lost-invitations",
        "lost-attributes", "lost-details", "lost-waiting", "ward", "invitation", "user", "inviter",
        "address", "attributes", "request",
    ].map { kind in
        Fault(
            name: "changes of the kind '\(kind)' are lost",
            sql: """
                CREATE FUNCTION app.lose() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER lose BEFORE INSERT ON app.pending_changes
                FOR EACH ROW WHEN (NEW.kind = '\(kind)') EXECUTE FUNCTION app.lose();
                """)
    }

    /// Wrongly assigned versions all have the same time. Otherwise clients would treat them as
    /// versions of another history and start over.
    private static let otherFaults = [
        Fault(
            name: "a version is raised too late for its changes",
            sql: """
                CREATE OR REPLACE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
                LANGUAGE sql AS 'UPDATE app.family_versions
                    SET transaction_id = pg_current_xact_id(), raised_at = ''epoch''
                    WHERE family_unit_id = p_family AND random() < 0.3'
                """),
        Fault(
            name: "two writers may get one version, because it is read before it is locked",
            sql: """
                CREATE OR REPLACE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
                LANGUAGE plpgsql AS $$
                DECLARE
                    v_version constant bigint := (
                        SELECT v.version + 1 FROM app.family_versions AS v
                        WHERE v.family_unit_id = p_family);
                BEGIN
                    PERFORM pg_sleep(0.002);
                    UPDATE app.family_versions AS v
                        SET version = v_version, transaction_id = pg_current_xact_id(),
                            raised_at = 'epoch'
                        WHERE v.family_unit_id = p_family;
                END $$
                """, isRace: true),
        Fault(
            name: "whoever gets an address does not wait for the families that invited it",
            sql: """
                CREATE OR REPLACE FUNCTION app.lock_changed_addresses(
                    p_changes app.pending_changes[]) RETURNS void
                LANGUAGE sql AS 'SELECT';
                CREATE OR REPLACE FUNCTION app.lock_inviting_families(
                    p_changes app.pending_changes[], p_kinds text[]) RETURNS void
                LANGUAGE sql AS 'SELECT';
                ALTER FUNCTION app.raise_versions() RENAME TO raise_rightly;
                CREATE FUNCTION app.raise_versions() RETURNS void LANGUAGE sql AS
                'SELECT app.raise_rightly(); SELECT pg_sleep(0.005)';
                """, isRace: true),
        Fault(
            name: "members learn only of what those learn who govern",
            sql: """
                ALTER POLICY family_changes_audience_reads ON app.family_changes USING (
                    family_unit_id IN (SELECT g.family_unit_id FROM app.my_governed_families AS g))
                """),
        Fault(
            name: "who governs does not learn of who waits",
            sql: """
                ALTER POLICY family_changes_audience_reads ON app.family_changes USING (
                    audience <> 'governors'
                    AND family_unit_id IN (SELECT f.family_unit_id FROM app.my_families AS f))
                """),
        Fault(
            name: "people do not learn of their own changes",
            sql: "ALTER POLICY user_changes_self_reads ON app.user_changes USING (false)"),
        Fault(
            name: "changes are forgotten, and no cursor ends",
            sql: """
                CREATE OR REPLACE FUNCTION app.raise_user_version(p_user uuid) RETURNS void
                LANGUAGE sql AS $$
                    UPDATE app.user_versions
                        SET version = version + 1, transaction_id = pg_current_xact_id(),
                            raised_at = 'epoch'
                        WHERE user_id = p_user;
                    DELETE FROM app.user_changes WHERE user_id = p_user AND random() < 0.3
                $$
                """),
    ]

    private static var chosen: [Int] {
        let part = setting("HEARTH_TEST_SYNC_FAULTS") ?? ""
        return faults.indices.filter { part == "yes" || faults[$0].name.contains(part) }
    }

    @Test("the model detects an injected fault", arguments: chosen)
    func noticed(_ index: Int) throws {
        let site = try Site(
            changesPerPage: index % 2 == 0 ? 500 : 4, tokenSeconds: 86_400, load: .many)
        let connection = try Connection(site.test.settings())
        let fault = Self.faults[index]
        let name = fault.name
        try connection.execute(script: "SET ROLE hearth_owner;" + fault.sql)
        let model = try SyncModel(site, seed: .random(in: 0 ... .max))
        for round in 0..<Self.rounds {
            let isCrowded = fault.isRace ? round % 8 != 7 : round % 8 == 7
            try model.run(round, isCrowded ? .crowded : .quiet)
            if let difference = try model.differences().first {
                tellProgress("noticed in round \(round + 1): \(name): \(difference.prefix(90))")
                return
            }
        }
        tellProgress("MISSED in \(Self.rounds) rounds: \(name)")
        Issue.record("\(name): not noticed")
    }

    /// Rounds within which a fault has to show.
    private static let rounds = 400
}
