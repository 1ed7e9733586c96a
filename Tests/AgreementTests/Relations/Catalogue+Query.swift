import Postgres

extension Catalogue {
    /// Query of the granted privileges from the catalogue, together with properties of each table,
    /// view and function that are not as they should be.
    static let query: SQL = """
        WITH client AS (
            SELECT unnest(ARRAY['anon', 'authenticated', 'hearth_api', 'hearth_server']) AS role
        ), relation AS (
            SELECT c.oid, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
                pg_get_userbyid(c.relowner) AS owner,
                format('%s.%s', n.nspname, c.relname) AS name
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api', 'gateway', 'jobs') AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
        ), ours AS (
            SELECT oid, rolname FROM pg_roles
            WHERE rolname IN ('hearth_owner', 'hearth_authz', 'hearth_migrator', 'hearth_api',
                'hearth_worker', 'hearth_admin', 'hearth_server', 'hearth_viewer', 'anon',
                'authenticated', 'authenticator')
        ), routine AS (
            SELECT p.oid, p.prosecdef, p.proconfig, p.prorettype = 'trigger'::regtype AS is_trigger,
                 pg_get_userbyid(p.proowner) AS owner, format('%s.%s', n.nspname, p.proname) AS name
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname IN ('app', 'api', 'gateway', 'jobs')
        )
        SELECT format('%s usage %s', role, nspname) FROM client, pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway', 'jobs')
                AND has_schema_privilege(role, oid, 'USAGE')
        UNION ALL
        SELECT format('%s create %s', role, nspname) FROM client, pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway', 'jobs', 'public')
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
        SELECT format('%s execute %s%s', role, f.name,
                CASE WHEN count(*) > 1 THEN format(' in %s forms', count(*)) END)
            FROM client, routine AS f
            WHERE has_function_privilege(role, f.oid, 'EXECUTE')
            GROUP BY role, f.name
        UNION ALL
        SELECT format('%s is not forced under row-level security', r.name) FROM relation AS r
            WHERE r.relkind IN ('r', 'p') AND r.name LIKE 'app.%'
                AND NOT (r.relrowsecurity AND r.relforcerowsecurity)
        UNION ALL
        SELECT format('%s is no barrier', r.name) FROM relation AS r
            -- Views of the console hide no rows; no client may read them.
            WHERE r.relkind = 'v' AND r.name LIKE 'app.%' AND r.name NOT LIKE 'app.console\\_%'
                AND NOT coalesce('security_barrier=true' = ANY (r.reloptions), false)
        UNION ALL
        SELECT format('%s does not run as its caller', r.name) FROM relation AS r
            WHERE r.relkind = 'v' AND r.name LIKE 'api.%'
                AND NOT coalesce('security_invoker=true' = ANY (r.reloptions), false)
        UNION ALL
        SELECT format('%s runs as its owner without a search path', f.name) FROM routine AS f
            WHERE f.prosecdef AND NOT coalesce('search_path=""' = ANY (f.proconfig), false)
        UNION ALL
        SELECT format('policy %s %s %s', policyname, lower(cmd), array_to_string(roles, ' '))
            FROM pg_policies WHERE schemaname IN ('app', 'api')
                AND NOT roles <@ ARRAY['hearth_worker', 'hearth_admin', 'hearth_viewer']::name[]
        UNION ALL
        SELECT format('%s runs as its owner%s', f.name,
                CASE WHEN count(*) > 1 THEN format(' in %s forms', count(*)) END)
            FROM routine AS f
            WHERE f.prosecdef AND (f.is_trigger OR EXISTS (
                SELECT FROM client WHERE has_function_privilege(role, f.oid, 'EXECUTE')))
            GROUP BY f.name
        UNION ALL
        SELECT format('%s is owned by %s', o.name, o.owner) FROM (
                SELECT name, owner, name LIKE 'app.%' AND name NOT LIKE 'app.console\\_%'
                    AND relkind = 'v' AS is_for_policies
                FROM relation
                UNION ALL
                SELECT name, owner, false FROM routine) AS o
            WHERE o.owner <> CASE WHEN is_for_policies THEN 'hearth_authz' ELSE 'hearth_owner' END
        UNION ALL
        SELECT format('%s is %s', m.rolname, r.rolname) FROM pg_auth_members AS a
            JOIN ours AS m ON m.oid = a.member JOIN ours AS r ON r.oid = a.roleid
        UNION ALL
        SELECT format('%s passes row-level security by', r.rolname)
            FROM ours JOIN pg_roles AS r USING (oid)
            WHERE r.rolbypassrls OR r.rolsuper OR r.rolcreaterole
        """
}
