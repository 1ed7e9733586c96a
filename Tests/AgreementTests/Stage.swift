import Domain
import Postgres

/// The SQL that sets the stage: what is there in every case, and what a case changes.
enum Stage {
    static let issuer = "https://issuer.test"

    /// What every case has in common, and the functions that try the statements. Run by the
    /// superuser in a database of its own, once.
    static var script: String {
        "SET session_replication_role = replica;" + people + families + letters + trails
            + functions + statements + "RESET session_replication_role; ANALYZE;"
    }

    // MARK: What is there

    private static var people: String {
        let users = Person.allCases.map { person in
            let email = person.email.map { "'\($0)'" } ?? "NULL"
            return "('\(person.userID)', '\(person.isManaged ? "managed" : "account")', \(email), "
                + "\(person.email != nil), '\(person)', "
                + "'\(person.isManaged ? "player" : "parent")')"
        }
        return """
            INSERT INTO app.users (id, kind, email, email_verified, full_name, role)
                VALUES \(users.joined(separator: ", "));
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                VALUES ('\(issuer)', \(subjectHash), '\(Person.me.userID)', 0);
            INSERT INTO app.trusted_issuers (issuer, kind, is_primary, audiences)
                VALUES ('\(issuer)', 'generic', true, '{authenticated}');
            """
    }

    static let subjectHash =
        "sha256(convert_to('\(issuer)' || E'\\n' || '\(Person.me.userID)', 'UTF8'))"

    private static var families: String {
        let rows = Household.existing.map { household in
            "('\(household.id)', '\(Person.stranger.userID)', '\(household)', '\(household.code)', "
                + "now(), 1, 1, \(household.memberLimit), \(household == .gated))"
        }
        let codes = Household.existing.map { "('\($0.code)', '\($0.id)')" }
        let a = Household.a.id
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
        let rows = Letter.allCases.map { letter in
            let accepted = letter.status == .accepted
            return "('\(letter.id)', '\(letter.household.id)', '\(letter.inviter.userID)', "
                + (letter.address.map { "'\($0)'" } ?? "NULL")
                + ", '\(letter.role.rawValue)', '\(letter.role == .player ? "kid" : "adult")', "
                + "'\(letter.status.rawValue)', '\(letter.address == nil ? "link" : "email")', "
                + "now() + interval '\(letter == .overdue ? "-1" : "1") day', "
                + "now() - interval '1 hour', \(letter.status == .pending ? "NULL" : "now()"), "
                + (accepted ? "now(), '\(Person.founder.userID)'" : "NULL, NULL") + ")"
        }
        let secrets = Letter.allCases.map { "('\($0.id)', 1, \($0.tokenHash))" }
        return """
            INSERT INTO app.family_invitations (id, family_unit_id, invited_by, invited_email,
                    role, household_role, status, delivery, expires_at, last_sent_at, closed_at,
                    accepted_at, accepted_by)
                VALUES \(rows.joined(separator: ", "));
            INSERT INTO app.invitation_secrets VALUES \(secrets.joined(separator: ", "));
            """
    }

    private static var trails: String {
        let entries = Household.existing.map { "('\(uuid(700 + $0.rawValue))', '\($0.id)', 'a.b')" }
        return """
            INSERT INTO app.audit_log (id, family_unit_id, action)
                VALUES \(entries.joined(separator: ", ")), ('\(uuid(799))', NULL, 'a.b');
            INSERT INTO app.family_code_usage_log (family_unit_id, action)
                VALUES ('\(Household.a.id)', 'generated');
            INSERT INTO app.rate_limits VALUES ('bucket', now(), 1);
            INSERT INTO app.code_lookups VALUES ('\(Person.stranger.userID)', sha256('x'));
            """
    }

    // MARK: What a case changes

    /// Past triggers and foreign keys: so that what no constraint would let happen can be played.
    static func script(of played: Case) -> String {
        let world = World(played)
        let members = memberRows(world)
        let preferences = world.preferences.map {
            "('\($0.household.id)', '\($0.person.userID)', '{}')"
        }
        let creators = [Household.a, .b, .hollow].compactMap { household in
            world.creators[household].map { "('\(household.id)', '\($0.userID)')" }
        }
        return """
            SET LOCAL session_replication_role = replica;
            INSERT INTO app.family_members (id, family_unit_id, user_id, user_kind, role,
                    household_role, status, slot, parent_user_id, joined_via, removed_at,
                    removed_by)
                VALUES \(members.joined(separator: ", "));
            INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES \(preferences.joined(separator: ", "));
            UPDATE app.family_units AS f SET created_by_user_id = v.u::uuid
                FROM (VALUES \(creators.joined(separator: ", "))) AS v (f, u)
                WHERE f.id = v.f::uuid;
            UPDATE app.users SET email_verified = \(world.isVerified),
                role = '\(world.roleOfMe.rawValue)' WHERE id = '\(Person.me.userID)';
            UPDATE app.user_identities
                SET claims_mark = app.claims_mark('\(email)', \(world.isVerified));
            SET LOCAL session_replication_role = origin;
            """
    }

    private static func memberRows(_ world: World) -> [String] {
        var slots: [Household: Int] = [:]
        return world.rows.map { row in
            if row.isActive { slots[row.household, default: 0] += 1 }
            let slot = row.isActive ? String(slots[row.household, default: 0]) : "NULL"
            let removed = row.status == .removed
            return "('\(row.id)', '\(row.household.id)', '\(row.person.userID)', "
                + "'\(row.person.isManaged ? "managed" : "account")', '\(row.role.rawValue)', "
                + "'\(row.standing.rawValue)', '\(row.status.rawValue)', \(slot), "
                + (row.guardian.map { "'\($0.userID)'" } ?? "NULL::uuid")
                + ", '\(row.via.rawValue)', \(removed ? "now()" : "NULL::timestamptz"), "
                + (row.removedBy.map { "'\($0.userID)'" } ?? "NULL::uuid") + ")"
        }
    }

    static let email = Person.me.email ?? ""

    // MARK: What tries the statements

    private static var functions: String {
        """
        CREATE SCHEMA proof;
        GRANT USAGE ON SCHEMA proof TO PUBLIC;
        CREATE TABLE proof.statements (
            channel text, place integer, sql text, PRIMARY KEY (channel, place));
        GRANT SELECT ON proof.statements TO PUBLIC;
        -- One statement, undone; its state, constraint and what it answered.
        CREATE FUNCTION proof.attempt(p_sql text) RETURNS text
        LANGUAGE plpgsql AS $f$
        DECLARE
            v_state text := '00000';
            v_name text := '';
            v_value text := '';
        BEGIN
            BEGIN
                IF p_sql LIKE 'SELECT%' THEN
                    EXECUTE p_sql INTO v_value;
                ELSE
                    EXECUTE p_sql;
                    GET DIAGNOSTICS v_value = ROW_COUNT;
                END IF;
                -- What the commit would check.
                SET CONSTRAINTS ALL IMMEDIATE;
                RAISE EXCEPTION USING ERRCODE = 'UNDO0';
            EXCEPTION WHEN OTHERS THEN
                IF SQLSTATE <> 'UNDO0' THEN
                    GET STACKED DIAGNOSTICS v_state = RETURNED_SQLSTATE,
                        v_name = CONSTRAINT_NAME;
                END IF;
            END;
            RETURN v_state || '|' || v_name || '|' || coalesce(v_value, '');
        END $f$;
        -- Begins the request, then tries all statements of the channel.
        CREATE FUNCTION proof.play(p_channel text, p_begin text) RETURNS text
        LANGUAGE plpgsql AS $f$
        DECLARE
            v_sql text;
            v_lines text[];
        BEGIN
            BEGIN
                EXECUTE p_begin;
            EXCEPTION WHEN OTHERS THEN
                NULL;
            END;
            FOR v_sql IN SELECT s.sql FROM proof.statements AS s
                WHERE s.channel = p_channel ORDER BY s.place
            LOOP
                v_lines := v_lines || proof.attempt(v_sql);
            END LOOP;
            RETURN array_to_string(v_lines, E'\\n');
        END $f$;
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA proof TO PUBLIC;
        """
    }

    private static var statements: String {
        Channel.allCases.map { channel in
            let rows = channel.statements.enumerated().map {
                "('\(channel)', \($0.offset), \(SQL.quoted(literal: $0.element)))"
            }
            return "INSERT INTO proof.statements VALUES \(rows.joined(separator: ", "));"
        }.joined()
    }
}
