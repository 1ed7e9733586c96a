import Postgres

/// What the roles of clients have been granted, as the catalogue of PostgreSQL tells it, against a
/// list written by hand: a grant that nobody uses is found here.
enum Catalogue {
    /// Role, relation or function, privilege, and for a table its columns.
    static let written: Set<String> = Set(
        """
        anon none
        authenticated usage api
        authenticated usage gateway
        authenticated select api.family_invitations *
        authenticated select api.family_members *
        authenticated select api.family_units *
        authenticated select api.users *
        authenticated insert api.family_units code_generated_at created_at created_by_user_id \
        family_code family_name id updated_at
        authenticated insert api.family_members added_at family_unit_id id role user_id
        authenticated update api.family_units family_name
        authenticated update api.users avatar_key avatar_url full_name
        authenticated delete api.family_invitations
        authenticated select app.family_units code_expires_at code_generated_at created_at \
        created_by_user_id family_code family_name home_latitude home_longitude id player_details \
        updated_at
        authenticated insert app.family_units created_by_user_id family_name id
        authenticated update app.family_units family_name
        authenticated select app.family_members added_at family_unit_id household_role id \
        joined_via parent_user_id removed_at removed_by role status updated_at user_id user_kind
        authenticated insert app.family_members family_unit_id id role user_id
        authenticated select app.users avatar_key avatar_url created_at email full_name id kind \
        role updated_at
        authenticated update app.users avatar_key avatar_url full_name
        authenticated select app.family_invitations accepted_at created_at delivery expires_at \
        family_unit_id household_role id invited_by invited_email role status
        authenticated delete app.family_invitations
        authenticated select app.my_contacts *
        authenticated select app.my_families *
        authenticated select app.my_governed_families *
        authenticated select app.my_memberless_families *
        authenticated select app.my_own_families *
        authenticated select app.my_relatives *
        authenticated select app.my_trusting_families *
        authenticated select app.my_wards *
        authenticated execute app.account_id
        authenticated execute app.actor_id
        authenticated execute app.user_id
        authenticated execute gateway.begin_request
        authenticated execute gateway.insert_family
        authenticated execute gateway.insert_member
        hearth_api usage app
        hearth_api select app.family_units approval_required code_expires_at code_generated_at \
        created_at created_by_user_id family_name id member_limit updated_at
        hearth_api update app.family_units approval_required family_name home_latitude \
        home_longitude
        hearth_api select app.family_members added_at family_unit_id household_role id joined_via \
        parent_user_id removed_at removed_by role status updated_at user_id user_kind
        hearth_api select app.users avatar_key avatar_url created_at full_name id kind role \
        updated_at
        hearth_api update app.users avatar_key avatar_url full_name
        hearth_api select app.family_invitations accepted_at accepted_by closed_at created_at \
        delivery expires_at family_unit_id generation household_role id invited_by last_sent_at \
        role sent_count status
        hearth_api select app.member_preferences *
        hearth_api insert app.member_preferences family_unit_id preferences user_id
        hearth_api update app.member_preferences preferences
        hearth_api select app.audit_trail *
        hearth_api select app.delegations *
        hearth_api select app.invitation_list *
        hearth_api select app.invitations_to_me *
        hearth_api select app.member_list *
        hearth_api select app.my_contacts *
        hearth_api select app.my_families *
        hearth_api select app.my_family_list *
        hearth_api select app.my_governed_families *
        hearth_api select app.my_memberless_families *
        hearth_api select app.my_own_families *
        hearth_api select app.my_profile *
        hearth_api select app.my_profiles *
        hearth_api select app.my_relatives *
        hearth_api select app.my_trusting_families *
        hearth_api select app.my_wards *
        hearth_api select app.sign_ins *
        """.split(separator: "\n").map(String.init))

    /// What `hearth_api` may call.
    static let functions: Set<String> = [
        "account_id", "actor_id", "user_id", "claims_mark", "begin_request", "see_user",
        "create_family", "reserve_hits", "release_hits", "reserve_code_attempt", "join_by_code",
        "preview_code", "regenerate_code", "remove_member", "leave_family", "set_household_role",
        "transfer_admin", "approve_member", "add_managed_member", "update_managed_member",
        "reassign_managed_member", "update_profile", "set_player_details", "update_family",
        "create_invitation", "keep_invitation_secret", "resend_invitation", "revoke_invitation",
        "preview_invitation", "accept_invitation", "decline_invitation", "claim_idempotency_key",
        "finish_idempotency_key", "give_up_idempotency_key",
    ]

    static var expected: Set<String> {
        written.subtracting(["anon none"])
            .union(functions.map { "hearth_api execute app.\($0)" })
    }

    /// The same from the catalogue; with it what holds of each table, view and function whoever
    /// asks, as far as it is not as it ought to be.
    static let query: SQL = """
        WITH client AS (
            SELECT unnest(ARRAY['anon', 'authenticated', 'hearth_api']) AS role
        ), relation AS (
            SELECT c.oid, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
                format('%s.%s', n.nspname, c.relname) AS name
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api', 'gateway') AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
        ), routine AS (
            SELECT p.oid, p.prosecdef, p.proconfig, format('%s.%s', n.nspname, p.proname) AS name
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname IN ('app', 'api', 'gateway')
        )
        SELECT format('%s usage %s', role, nspname) FROM client, pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway')
                AND has_schema_privilege(role, oid, 'USAGE')
        UNION ALL
        SELECT format('%s create %s', role, nspname) FROM client, pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway', 'public')
                AND has_schema_privilege(role, oid, 'CREATE')
        UNION ALL
        SELECT format('%s %s %s %s', role, privilege, r.name,
                CASE WHEN count(*) = (SELECT count(*) FROM pg_attribute AS a
                                      WHERE a.attrelid = r.oid AND a.attnum > 0)
                     THEN '*' ELSE string_agg(a.attname, ' ' ORDER BY a.attname) END)
            FROM client, unnest(ARRAY['select', 'insert', 'update']) AS privilege, relation AS r
            JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0
            WHERE has_column_privilege(role, r.oid, a.attnum, privilege)
            GROUP BY role, privilege, r.name, r.oid
        UNION ALL
        SELECT format('%s %s %s', role, privilege, r.name)
            FROM client, unnest(ARRAY['delete', 'truncate', 'references', 'trigger'])
                AS privilege, relation AS r
            WHERE has_table_privilege(role, r.oid, privilege)
        UNION ALL
        SELECT format('%s execute %s', role, f.name) FROM client, routine AS f
            WHERE has_function_privilege(role, f.oid, 'EXECUTE')
        UNION ALL
        SELECT format('%s is not forced under row-level security', r.name) FROM relation AS r
            WHERE r.relkind = 'r' AND NOT (r.relrowsecurity AND r.relforcerowsecurity)
        UNION ALL
        SELECT format('%s is no barrier', r.name) FROM relation AS r
            WHERE r.relkind = 'v' AND r.name LIKE 'app.%'
                AND NOT coalesce('security_barrier=true' = ANY (r.reloptions), false)
        UNION ALL
        SELECT format('%s does not run as its caller', r.name) FROM relation AS r
            WHERE r.relkind = 'v' AND r.name LIKE 'api.%'
                AND NOT coalesce('security_invoker=true' = ANY (r.reloptions), false)
        UNION ALL
        SELECT format('%s runs as its owner without a search path', f.name) FROM routine AS f
            WHERE f.prosecdef AND NOT coalesce('search_path=""' = ANY (f.proconfig), false)
        UNION ALL
        SELECT format('policy %s of %s is for %s', p.policyname, p.tablename, role)
            FROM pg_policies AS p, unnest(p.roles) AS role
            WHERE role IN ('public', 'anon', 'authenticator', 'hearth_migrator')
        UNION ALL
        SELECT format('%s passes row-level security by', rolname) FROM pg_roles
            WHERE rolname IN ('hearth_owner', 'hearth_authz', 'hearth_migrator', 'hearth_api',
                'hearth_worker', 'hearth_admin', 'anon', 'authenticated', 'authenticator')
                AND (rolbypassrls OR rolsuper)
        """

    /// What differs: `+` is there and should not be, `-` the reverse.
    static func differences(_ connection: Connection) throws(PostgresError) -> [String] {
        let found = Set(
            try connection.query(query).map { (row) throws(PostgresError) in
                try row.read(String.self)
            })
        return found.subtracting(expected).map { "+ \($0)" }.sorted()
            + expected.subtracting(found).map { "- \($0)" }.sorted()
    }
}
