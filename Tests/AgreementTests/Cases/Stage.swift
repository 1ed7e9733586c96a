import Domain
import TestSupport

/// The SQL that prepares the database: rows for every case, and changes for a single case.
enum Stage {
    static let issuer = Person.issuer

    /// Rows that every case has, and the functions that try the statements. The superuser runs it
    /// once, in a database of its own.
    static var script: String {
        "SET session_replication_role = replica;" + people + families + letters + trails + signIns
            + functions + "RESET session_replication_role;"
            // Each case changes the creator of its families.
            + "ALTER TABLE app.family_units DISABLE TRIGGER enforce_creator;"
            // The invitations exist in every case, even where their children don't.
            + "ALTER TABLE app.family_invitations DROP CONSTRAINT family_invitations_graduate_fkey;"
            + "ANALYZE;"
    }

    // MARK: Rows of every case

    private static var people: String {
        let users = SamplePerson.allCases.map { person in
            let email = person.email.map { "'\($0)'" } ?? "NULL"
            let isOver = person == .formerly
            return "('\(person.userID)', '\(person.isManaged ? "managed" : "account")', \(email), "
                + "\(person.email != nil), \(isOver ? "NULL" : "'\(person)'"), "
                + "'\(person.isPlayer ? "player" : "parent")', \(isOver ? "now()" : "NULL"))"
        }
        return """
            INSERT INTO app.users (id, kind, email, email_verified, full_name, role, deleted_at)
                VALUES \(users.joined(separator: ", "));
            INSERT INTO app.user_aliases (alias_id, account_id)
                VALUES ('\(SamplePerson.formerly.userID)', '\(SamplePerson.grown.userID)');
            INSERT INTO app.consent_purposes (purpose, version, is_required, is_for_accounts)
                VALUES ('profile', '1', true, false), ('news', '1', false, false),
                       ('terms', '1', true, true), ('letters', '1', true, true),
                       ('rules', '2', true, true), ('offers', '1', false, true);
            INSERT INTO app.consent_purposes
                (purpose, version, is_required, is_for_accounts, refuses)
                VALUES ('extras', '1', false, true, '{no.such_action}');
            INSERT INTO app.account_consents (user_id, purpose, version, ended_at)
                VALUES ('\(SamplePerson.me.userID)', 'letters', '1', NULL),
                       ('\(SamplePerson.me.userID)', 'terms', '1', now()),
                       ('\(SamplePerson.me.userID)', 'rules', '1', NULL),
                       ('\(SamplePerson.stranger.userID)', 'terms', '1', NULL);
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                VALUES ('\(issuer)', \(subjectHash), '\(SamplePerson.me.userID)', 0),
                       ('\(issuer)', sha256('stranger'), '\(SamplePerson.stranger.userID)', 0);
            INSERT INTO app.trusted_issuers (issuer, kind, is_primary, audiences)
                VALUES ('\(issuer)', 'supabase', true, '{authenticated}');
            """
    }

    static let subjectHash =
        "sha256(convert_to('\(issuer)' || E'\\n' || '\(SamplePerson.me.userID)', 'UTF8'))"

    private static var families: String {
        let rows = SampleFamily.existing.map { family in
            "('\(family.id)', '\(SamplePerson.stranger.userID)', '\(family)', '\(family.code)', "
                + "now(), 1, 1, \(family.memberLimit), \(family == .gated))"
        }
        let codes = SampleFamily.existing.map { "('\($0.code)', '\($0.id)')" }
        let a = SampleFamily.a.id
        return """
            INSERT INTO app.family_units (id, created_by_user_id, family_name, family_code,
                    code_generated_at, home_latitude, home_longitude, member_limit,
                    approval_required)
                VALUES \(rows.joined(separator: ", "));
            INSERT INTO app.family_codes (code, family_unit_id)
                VALUES \(codes.joined(separator: ", "));
            INSERT INTO app.family_codes (code, family_unit_id, state, retired_at, reason)
                VALUES ('FAM-RRRRRR', '\(a)', 'retired', now(), 'regenerated'),
                       ('FAM-EEEEEE', '\(a)', 'retired', now(), 'expired');
            """
    }

    private static var letters: String {
        let rows = AddressedMessage.allCases.map { letter in
            let accepted = letter.status == .accepted
            return "('\(letter.id)', '\(letter.family.id)', '\(letter.inviter.userID)', "
                + (letter.address.map { "'\($0)'" } ?? "NULL")
                + ", '\(letter.role.rawValue)', '\(letter.role == .player ? "kid" : "adult")', "
                + "'\(letter.status.rawValue)', '\(letter.address == nil ? "link" : "email")', "
                + "now() + interval '\(letter.hasTimeLeft ? 1 : -1) day', "
                + "now() - interval '1 hour', \(letter.status == .pending ? "NULL" : "now()"), "
                + (accepted ? "now(), '\(SamplePerson.founder.userID)'" : "NULL, NULL")
                + (letter.sentGeneration.map { ", 'sent', \($0)" } ?? ", NULL, NULL")
                + (letter.graduate.map { ", 'graduation', '\($0.userID)')" }
                    ?? ", 'member', NULL)")
        }
        let secrets = AddressedMessage.allCases.map { "('\($0.id)', 1, \($0.tokenHash))" }
        return """
            INSERT INTO app.family_invitations (id, family_unit_id, invited_by, invited_email,
                    role, household_role, status, delivery, expires_at, last_sent_at, closed_at,
                    accepted_at, accepted_by, delivery_status, delivery_generation, kind,
                    graduate_id)
                VALUES \(rows.joined(separator: ", "));
            INSERT INTO app.invitation_secrets VALUES \(secrets.joined(separator: ", "));
            """
    }

    private static var trails: String {
        // The entry of the first family is about a child, and that of the second has a child as its
        // target. The second family also has an entry about a graduate, under the child's id.
        let entries = SampleFamily.existing.map { family in
            let subject: SamplePerson = family == .a ? .niece : .stranger
            let target: SamplePerson = family == .b ? .other : .chief
            return "('\(uuid(700 + family.rawValue))', '\(family.id)', 'a.b', "
                + "'\(subject.userID)', '\(target.userID)')"
        }
        let child = SamplePerson.formerly.userID
        return """
            INSERT INTO app.audit_log (id, family_unit_id, action, subject_user_id, target_id)
                VALUES \(entries.joined(separator: ", ")),
                    ('\(uuid(798))', '\(SampleFamily.b.id)', 'a.b', '\(child)', '\(child)'),
                    ('\(uuid(799))', NULL, 'a.b', NULL, NULL);
            INSERT INTO app.family_code_usage_log (family_unit_id, action)
                VALUES ('\(SampleFamily.a.id)', 'generated');
            INSERT INTO app.rate_limits VALUES ('bucket', now(), 1);
            INSERT INTO app.code_lookups VALUES ('\(SamplePerson.stranger.userID)', sha256('x'));
            """
    }

    // MARK: Changes for a case

    /// Drops the constraint that guardians are active adults, so that a case can violate it: no
    /// rule may depend on it.
    static let withoutGuardianConstraint =
        "ALTER TABLE app.family_members DROP CONSTRAINT family_members_guardian_is_active_adult;"
        + "ALTER TABLE app.guardianships DROP CONSTRAINT guardianships_guardian_is_active_adult;"

    static func script(of played: Case) -> String {
        let world = World(played)
        let members = memberRows(world)
        let preferences = world.preferences.map {
            "('\($0.family.id)', '\($0.person.userID)', '{}')"
        }
        let creators = [SampleFamily.a, .b, .hollow, .nest].compactMap { family in
            world.creators[family].map { "('\(family.id)', '\($0.userID)')" }
        }
        let expiries =
            "WHEN '\(SampleFamily.b.id)' THEN interval '-1 day'"
            + (played.seat == .vacant
                ? " WHEN '\(SampleFamily.a.id)' THEN interval '1 day'" : "")
        return """
            \(blocks(world))
            UPDATE app.family_units AS f SET created_by_user_id = v.u::uuid,
                    code_expires_at = now() + CASE f.id \(expiries) END
                FROM (VALUES \(creators.joined(separator: ", "))) AS v (f, u)
                WHERE f.id = v.f::uuid;
            INSERT INTO app.family_members (id, family_unit_id, user_id, role, household_role,
                    status, parent_user_id, joined_via, vouched, removed_at, removed_by,
                    barred_at)
                VALUES \(members.joined(separator: ", "));
            INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot, since)
                VALUES \(furtherGuardians(world).joined(separator: ", "));
            \(world.rows.compactMap(ceiling).joined())
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES \(preferences.joined(separator: ", "));
            INSERT INTO app.consents
                    (family_unit_id, member_id, purpose, version, method, given_by, ended_at)
                VALUES \(consents(world).joined(separator: ", "));
            INSERT INTO app.family_attributes (family_unit_id, attributes)
                SELECT id, '{"kept": true}' FROM app.family_units;
            \(played.second == .kid ? withoutCode(.b) : "")
            UPDATE app.users SET email_verified = \(world.isVerified),
                role = '\(world.roleOfMe.rawValue)' WHERE id = '\(SamplePerson.me.userID)';
            UPDATE app.user_identities
                SET claims_mark = app.claims_mark('\(email)', \(world.isVerified))
                WHERE user_id = '\(SamplePerson.me.userID)';
            UPDATE app.trusted_issuers SET emails_confirmed = \(world.isVerified);
            DELETE FROM app.audit_log WHERE action <> 'a.b';
            \(changes)
            SET CONSTRAINTS ALL IMMEDIATE;
            SET CONSTRAINTS ALL DEFERRED;
            """
    }

    /// Blocks accounts, before the memberships begin.
    private static func blocks(_ world: World) -> String {
        if world.blocked.isEmpty { return "" }
        let ids = world.blocked.map { "'\($0.userID)'" }.joined(separator: ", ")
        return """
            UPDATE app.users SET blocked_at = now(), blocked_by = 'operator:jo',
                    blocked_reason = 'spam' WHERE id IN (\(ids));
            UPDATE app.user_identities SET is_blocked = true WHERE user_id IN (\(ids));
            UPDATE app.sessions SET ended_at = now(), end_reason = 'blocked'
                WHERE ended_at IS NULL AND user_id IN (\(ids));
            """
    }

    /// One change of each family for each audience, and one of each person. They replace the
    /// changes that were logged while the rows were inserted.
    private static let changes = """
        DELETE FROM app.pending_changes WHERE transaction_id = pg_current_xact_id();
        INSERT INTO app.family_versions (family_unit_id, raised_at)
            SELECT f.id, now() FROM app.family_units AS f
            ON CONFLICT (family_unit_id) DO UPDATE SET raised_at = now();
        INSERT INTO app.user_versions (user_id)
            SELECT u.id FROM app.users AS u ON CONFLICT DO NOTHING;
        DELETE FROM app.family_changes;
        DELETE FROM app.user_changes;
        INSERT INTO app.family_changes (family_unit_id, version, kind, id, audience)
            SELECT f.id, a.version, 'family', f.id, a.audience FROM app.family_units AS f,
                unnest(ARRAY['members', 'own', 'residents', 'trusting', 'governors'])
                    WITH ORDINALITY AS a (audience, version);
        DELETE FROM app.role_conflicts;
        INSERT INTO app.role_conflicts (user_id, member_id, family_unit_id, version, at)
            SELECT u.id, m.id, m.family_unit_id, 1, now()
            FROM app.users AS u, app.family_members AS m;
        INSERT INTO app.user_changes (user_id, version, kind, id)
            SELECT u.id, 1, 'profile', u.id FROM app.users AS u;
        """

    /// Removes a family's code as the expiry job does.
    private static func withoutCode(_ family: SampleFamily) -> String {
        """
        UPDATE app.family_codes SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE family_unit_id = '\(family.id)' AND state = 'live';
        UPDATE app.family_units SET family_code = NULL, code_expires_at = NULL
            WHERE id = '\(family.id)';
        """
    }

    /// Time at which the further guardians became guardians, earlier than the primary ones did.
    static let earlier = "2001-01-01"

    private static func consents(_ world: World) -> [String] {
        let consents = world.rows.flatMap { child in
            world.consents(for: child).map { (child, $0) }
        }
        return consents.map { child, consent in
            "('\(child.family.id)', '\(child.id)', '\(consent.purpose)', '\(consent.version)', "
                + "'signed_in', '\(SamplePerson.aunt.userID)', "
                + (consent.isEnded ? "now())" : "NULL)")
        }
    }

    private static func furtherGuardians(_ world: World) -> [String] {
        world.rows.compactMap { row in
            row.furtherGuardian.map {
                "('\(row.id)', '\($0.userID)', '\(row.family.id)', 2, '\(earlier)'::timestamptz)"
            }
        }
    }

    private static func memberRows(_ world: World) -> [String] {
        world.rows.map { row in
            let removed = row.status == .removed
            return "('\(row.id)', '\(row.family.id)', '\(row.person.userID)', "
                + "'\(row.role.rawValue)', '\(row.householdRole.rawValue)', '\(row.status.rawValue)', "
                + (row.guardian.map { "'\($0.userID)'" } ?? "NULL::uuid")
                + ", '\(row.via.rawValue)', \(row.isVouched), \(removed ? "now()" : "NULL::timestamptz"), "
                + (row.removedBy.map { "'\($0.userID)'" } ?? "NULL::uuid")
                + ", \(row.isBarred ? "now()" : "NULL::timestamptz"))"
        }
    }

    private static func ceiling(_ row: Row) -> String? {
        row.higherCeiling.map {
            "UPDATE app.family_members SET household_ceiling = '\($0.rawValue)' "
                + "WHERE id = '\(row.id)';"
        }
    }

    static let email = SamplePerson.me.email ?? ""

    // MARK: Functions that try the statements

    /// A function for each channel that begins a request and then tries every selected statement
    /// (null: all), rolling each back. It returns one line per statement: SQLSTATE, constraint and
    /// result.
    ///
    /// The statements are part of its body, so that a session plans each statement only once.
    private static var functions: String {
        "CREATE SCHEMA proof; GRANT USAGE ON SCHEMA proof TO PUBLIC;" + BatchOfCallers.functions
            + ConditionalReads.function
            + Channel.allCases.map { channel in
                """
                CREATE FUNCTION proof.\(channel)(v__begin text, v__wanted boolean[]) RETURNS text
                LANGUAGE plpgsql AS $play$
                DECLARE
                    v__lines text[];
                    v__state text;
                    v__name text;
                    v__value text;
                BEGIN
                    BEGIN
                        EXECUTE v__begin;
                    EXCEPTION WHEN OTHERS THEN
                        NULL;
                    END;
                    \(channel.statements.enumerated().map(attempt).joined())
                    RETURN array_to_string(v__lines, E'\\n');
                END $play$;
                GRANT EXECUTE ON FUNCTION proof.\(channel)(text, boolean[]) TO PUBLIC;
                """
            }.joined() + erasure + entry + effects
    }

    /// Erases the account of the current request as an operator. The request then continues with
    /// its token.
    private static let erasure = """
        CREATE FUNCTION proof.erase_subject() RETURNS void LANGUAGE sql SECURITY DEFINER AS $erase$
            UPDATE app.users SET deleted_at = now(), email = NULL, email_verified = false
                WHERE id = app.user_id();
        $erase$;
        GRANT EXECUTE ON FUNCTION proof.erase_subject() TO PUBLIC;
        """

    /// Functions that join by code: while wrong codes make approval required if requested, and with
    /// an invitation of `me` if a family is named.
    private static let entry = """
        CREATE FUNCTION proof.begin_automatic_approval(v__family uuid) RETURNS void
        LANGUAGE sql SECURITY DEFINER AS $alarm$
            INSERT INTO app.automatic_approval (began_at, lasts_until)
                VALUES (now(), now() + interval '1 minute');
            INSERT INTO app.family_invitations
                    (family_unit_id, invited_by, invited_email, role, household_role, delivery)
                SELECT v__family, '\(SamplePerson.stranger.userID)', '\(email)', 'parent', 'adult',
                    'email'
                WHERE v__family IS NOT NULL
                ON CONFLICT DO NOTHING;
        $alarm$;
        GRANT EXECUTE ON FUNCTION proof.begin_automatic_approval(uuid) TO PUBLIC;
        CREATE FUNCTION proof.enter(v__code text, v__is_automatic boolean, v__family uuid)
        RETURNS text LANGUAGE plpgsql AS $entry$
        BEGIN
            IF v__is_automatic THEN
                PERFORM proof.begin_automatic_approval(v__family);
            END IF;
            RETURN (SELECT e.outcome FROM app.join_family_by_code(v__code, '::1', '::') AS e);
        END $entry$;
        GRANT EXECUTE ON FUNCTION proof.enter(text, boolean, uuid) TO PUBLIC;
        """

    private static func attempt(_ index: Int, _ sql: String) -> String {
        let run =
            sql.hasPrefix("SELECT")
            ? "SELECT v__r.v__v INTO v__value FROM (\(sql)) AS v__r (v__v);"
            : "\(sql); GET DIAGNOSTICS v__value = ROW_COUNT;"
        // SET CONSTRAINTS runs the checks of the commit.
        return """
            IF coalesce(v__wanted[\(index + 1)], true) THEN
            v__state := '00000'; v__name := ''; v__value := '';
            BEGIN
                \(run)
                SET CONSTRAINTS ALL IMMEDIATE;
                RAISE EXCEPTION USING ERRCODE = 'UNDO0';
            EXCEPTION WHEN OTHERS THEN
                IF SQLSTATE <> 'UNDO0' THEN
                    GET STACKED DIAGNOSTICS v__state = RETURNED_SQLSTATE,
                        v__name = CONSTRAINT_NAME;
                END IF;
            END;
            v__lines := v__lines
                || (v__state || '|' || v__name || '|' || coalesce(v__value, ''));
            END IF;

            """
    }
}
