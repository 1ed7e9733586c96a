import Testing

/// For each test of `SyncRaceTests` and `LostHistoryTests`, injects a fault into the database and
/// expects the test to fail.
@Suite("Faults between two polls", .enabled(if: setting("HEARTH_TEST_SYNC_FAULTS") != nil))
struct RaceFaultTests {
    struct Fault: Sendable {
        let name: String
        let sql: String
        /// The test that has to fail.
        let test: @Sendable (_ fault: String) throws -> Void
    }

    static let faults = [
        Fault(
            name: "a removal is noted of somebody else", sql: wrongMember
        ) { try SyncRaceTests(fault: $0).removedBetweenPages() },
        Fault(
            name: "a household role is no standing",
            sql: """
                CREATE FUNCTION app.skip() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN RETURN NULL; END';
                CREATE TRIGGER note_nothing BEFORE INSERT ON app.user_changes
                FOR EACH ROW WHEN (NEW.kind = 'family') EXECUTE FUNCTION app.skip();
                """
        ) { try SyncRaceTests(fault: $0).standingBetweenPages() },
        Fault(
            name: "also of who goes while one is away", sql: wrongMember
        ) { try SyncRaceTests(fault: $0).returnsBetweenPages() },
        Fault(
            name: "versions do not tell what was forgotten",
            sql: """
                CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN NEW.purged_version := OLD.purged_version; RETURN NEW; END';
                CREATE TRIGGER keep BEFORE UPDATE ON app.family_versions
                FOR EACH ROW EXECUTE FUNCTION app.keep();
                """
        ) { try SyncRaceTests(fault: $0).purged() },
        Fault(
            name: "whoever gets an address waits for none of the families that invited it",
            sql: """
                CREATE OR REPLACE FUNCTION app.lock_inviting_families(
                    p_changes app.pending_changes[], p_kinds text[]) RETURNS void
                LANGUAGE sql AS 'SELECT';
                """
        ) { try SyncRaceTests(fault: $0).addressMeetsName() },
        Fault(
            name: "nor does a new account",
            sql: "DROP TRIGGER record_new ON app.users;"
        ) { try SyncRaceTests(fault: $0).newAccountMeetsName() },
        Fault(
            name: "the former addressee of an invitation is told nothing",
            sql: """
                CREATE FUNCTION app.forget_addressee() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF OLD.invited_email <> NEW.invited_email THEN
                        UPDATE app.pending_changes SET mailbox = NULL
                            WHERE mailbox = OLD.invited_email;
                    END IF;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER z_forget_addressee AFTER UPDATE ON app.family_invitations
                FOR EACH ROW EXECUTE FUNCTION app.forget_addressee();
                """
        ) { try SyncRaceTests(fault: $0).readdressed() },
        Fault(
            name: "a child has one id for ever",
            sql: """
                CREATE FUNCTION app.as_account() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN NEW.is_managed := false; RETURN NEW; END';
                CREATE TRIGGER as_account BEFORE INSERT ON app.family_changes
                FOR EACH ROW EXECUTE FUNCTION app.as_account();
                """
        ) { try SyncRaceTests(fault: $0).grownUp() },
        Fault(name: "all versions are given at one moment", sql: oneMoment) {
            try LostHistoryTests(fault: $0).followed(changesSince: 2)
        },
        Fault(name: "so that one's own are taken for those that were lost", sql: oneMoment) {
            try LostHistoryTests(fault: $0).ownThings()
        },
        Fault(name: "and what was lost for unchanged", sql: oneMoment) {
            try LostHistoryTests(fault: $0).tags()
        },
        Fault(name: "and streams are silent", sql: oneMoment) {
            try LostHistoryTests(fault: $0).streams()
        },
        Fault(
            name: "only the changes of the last seconds are looked for",
            sql: """
                CREATE OR REPLACE FUNCTION app.outdated_versions(
                    p_ids uuid[], p_versions bigint[], p_raised_at timestamptz[])
                RETURNS TABLE (position bigint) LANGUAGE sql AS 'SELECT 1::bigint WHERE false';
                """
        ) { try LostHistoryTests(fault: $0).lateCommit() },
    ]

    private static let oneMoment = """
        CREATE FUNCTION app.at_one_moment() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN NEW.raised_at := ''2026-01-01''; RETURN NEW; END';
        CREATE TRIGGER at_one_moment BEFORE UPDATE ON app.family_versions
        FOR EACH ROW EXECUTE FUNCTION app.at_one_moment();
        CREATE TRIGGER at_one_moment BEFORE UPDATE ON app.user_versions
        FOR EACH ROW EXECUTE FUNCTION app.at_one_moment();
        """

    private static let wrongMember = """
        CREATE FUNCTION app.mistake() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN NEW.id := gen_random_uuid(); RETURN NEW; END';
        CREATE TRIGGER mistake BEFORE INSERT ON app.family_changes
        FOR EACH ROW WHEN (NEW.kind = 'member') EXECUTE FUNCTION app.mistake();
        """

    @Test("an injected fault makes its test fail", arguments: faults.indices)
    func noticed(_ index: Int) throws {
        let fault = Self.faults[index]
        try withKnownIssue("\(fault.name)") {
            try fault.test(fault.sql)
            tellProgress("over: \(fault.name)")
        } matching: { issue in
            tellProgress("noticed: \(fault.name): \(issue.comments.first?.rawValue ?? "")")
            return true
        }
    }
}
