package import Postgres

/// The database's roles, owners, row-level security and grants, one per line. Definitions of
/// objects are compared separately.
///
/// Settings of roles and of the database are listed only if they undo what the schema or the
/// programs rely on; others are up to the operator. Likewise, CREATE is the only grant listed of
/// those on the database and on the schema `public`.
///
/// Of the schema of hearth-migrate's ledger, only faults are listed: grants, and owners that could
/// change the record of the migrations.
///
/// An extension that created its objects in one of Hearth's schemas is listed in one line, which
/// replaces those of the objects.
///
/// The lines don't depend on the server's version. Partitions are left out, because they are
/// created and dropped (``Partitions``).
package enum Rights {
    /// Returns the database's name, quoted for statements.
    package static let database = Statement<Scalar<String>>(
        "SELECT quote_ident(current_database())")

    /// Returns the lines in a stable order.
    package static let list = Statement<Scalar<String>>(
        """
        WITH space AS (
            SELECT oid, nspname, nspowner, nspacl FROM pg_catalog.pg_namespace
            WHERE nspname IN ('app', 'api', 'gateway', 'jobs', 'migrations')
        ), person AS (
            SELECT oid, rolname FROM pg_catalog.pg_roles
            WHERE rolname ~ '^hearth_' OR rolname IN ('anon', 'authenticated', 'authenticator')
        ), extended AS (
            SELECT classid, objid, refobjid FROM pg_catalog.pg_depend
            WHERE deptype = 'e' AND refclassid = 'pg_catalog.pg_extension'::regclass
        ), relation AS (
            SELECT c.*, s.nspname || '.' || c.relname AS name,
                s.nspname = 'migrations' AS is_of_ledger
            FROM pg_catalog.pg_class AS c JOIN space AS s ON s.oid = c.relnamespace
            WHERE NOT c.relispartition AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
                AND ('pg_catalog.pg_class'::regclass, c.oid) NOT IN (
                    SELECT classid, objid FROM extended)
                -- Tables of other programs may be in the ledger's schema.
                AND (s.nspname <> 'migrations' OR c.relowner = to_regrole('hearth_owner')
                    OR c.relname IN ('ledger', 'journal', 'definitions', 'recording',
                                     'repeatable', 'repeatable_object', 'repeatable_id_seq'))
        ), routine AS (
            SELECT p.*, format('%s.%s(%s)', s.nspname, p.proname,
                pg_catalog.oidvectortypes(p.proargtypes)) AS name
            FROM pg_catalog.pg_proc AS p JOIN space AS s ON s.oid = p.pronamespace
            WHERE s.nspname <> 'migrations'
                AND ('pg_catalog.pg_proc'::regclass, p.oid) NOT IN (
                    SELECT classid, objid FROM extended)
        ), extension_place (extension, space) AS (
            SELECT oid, extnamespace FROM pg_catalog.pg_extension
            UNION
            SELECT e.refobjid, o.space
            FROM extended AS e JOIN (
                SELECT 'pg_catalog.pg_class'::regclass, oid, relnamespace FROM pg_catalog.pg_class
                UNION ALL
                SELECT 'pg_catalog.pg_proc'::regclass, oid, pronamespace FROM pg_catalog.pg_proc
                UNION ALL
                SELECT 'pg_catalog.pg_type'::regclass, oid, typnamespace FROM pg_catalog.pg_type
            ) AS o (class, id, space) ON (e.classid, e.objid) = (o.class, o.id)
        ), right_given AS (
            SELECT 'schema ' || s.nspname AS what, s.nspowner AS owner, a.* FROM space AS s,
                pg_catalog.aclexplode(coalesce(s.nspacl, acldefault('n', s.nspowner))) AS a
            UNION ALL
            SELECT r.name, r.relowner, a.* FROM relation AS r, pg_catalog.aclexplode(coalesce(
                r.relacl, acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char",
                                     r.relowner))) AS a
            UNION ALL
            SELECT 'function ' || f.name, f.proowner, a.* FROM routine AS f,
                pg_catalog.aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) AS a
        ), column_right AS (
            SELECT r.name, r.relowner AS owner, x.grantee, x.privilege_type, x.is_grantable,
                string_agg(a.attname, ', ' ORDER BY a.attname COLLATE "C") AS columns
            FROM relation AS r JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid,
                pg_catalog.aclexplode(a.attacl) AS x
            GROUP BY r.name, r.relowner, x.grantee, x.privilege_type, x.is_grantable
        ), this_database AS (
            SELECT oid, datdba, datacl FROM pg_catalog.pg_database
            WHERE datname = current_database()
        ), setting AS (
            SELECT s.setdatabase, s.setrole, x.text,
                split_part(x.text, '=', 1) AS name
            FROM pg_catalog.pg_db_role_setting AS s, unnest(s.setconfig) AS x (text)
            WHERE s.setdatabase IN (SELECT 0 UNION ALL SELECT oid FROM this_database)
                AND (s.setrole = 0 OR s.setrole IN (SELECT oid FROM person))
        ), default_right AS (
            -- Default privileges, including the built-in ones of hearth_owner that the migrations
            -- revoke, if still in effect; only those of Hearth's roles or schemas become lines.
            SELECT d.defaclrole AS owner, d.defaclnamespace AS space, d.defaclobjtype AS kind, a.*
            FROM pg_catalog.pg_default_acl AS d, pg_catalog.aclexplode(d.defaclacl) AS a
            UNION ALL
            SELECT o.oid, 0, k.kind, a.*
            FROM person AS o, (VALUES ('f'::"char"), ('T')) AS k (kind),
                pg_catalog.aclexplode(acldefault(k.kind, o.oid)) AS a
            WHERE o.rolname = 'hearth_owner' AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_default_acl AS d
                WHERE (d.defaclrole, d.defaclnamespace, d.defaclobjtype) = (o.oid, 0, k.kind))
        ), line (text) AS (
            SELECT concat_ws(' ', 'role', r.rolname,
                    CASE WHEN r.rolsuper THEN 'superuser' END,
                    CASE WHEN r.rolbypassrls THEN 'bypassrls' END,
                    CASE WHEN r.rolcreaterole THEN 'createrole' END,
                    CASE WHEN r.rolcreatedb THEN 'createdb' END,
                    CASE WHEN r.rolreplication THEN 'replication' END,
                    CASE WHEN r.rolcanlogin THEN 'login' ELSE 'nologin' END,
                    CASE WHEN r.rolinherit THEN 'inherit' ELSE 'noinherit' END)
                FROM pg_catalog.pg_roles AS r JOIN person USING (oid)
            UNION ALL
            SELECT format('member %s of %s', m.member::regrole, m.roleid::regrole)
                FROM pg_catalog.pg_auth_members AS m
                WHERE m.roleid IN (SELECT oid FROM person)
                    OR m.member IN (SELECT oid FROM person)
            UNION ALL
            SELECT format('schema %s owner %s', nspname, nspowner::regrole) FROM space
                WHERE nspname <> 'migrations'
                    OR nspowner IS DISTINCT FROM to_regrole('hearth_owner')
            UNION ALL
            SELECT concat_ws(' ', CASE r.relkind WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence'
                        WHEN 'm' THEN 'materialized view' ELSE 'table' END, r.name,
                    'owner', r.relowner::regrole,
                    CASE WHEN r.relrowsecurity THEN 'secured' END,
                    CASE WHEN r.relforcerowsecurity THEN 'forced' END) FROM relation AS r
                WHERE NOT r.is_of_ledger OR r.relowner IS DISTINCT FROM to_regrole('hearth_owner')
            UNION ALL
            SELECT format('grant %s on %s to %s%s', g.privilege_type, g.what,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                    CASE WHEN g.is_grantable THEN ' with grant option' END)
                FROM right_given AS g WHERE g.grantee <> g.owner
            UNION ALL
            SELECT format('grant %s (%s) on %s to %s%s', g.privilege_type, g.columns, g.name,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                    CASE WHEN g.is_grantable THEN ' with grant option' END)
                FROM column_right AS g WHERE g.grantee <> g.owner
            UNION ALL
            SELECT format('grant %s on database to %s%s', a.privilege_type,
                    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                    CASE WHEN a.is_grantable THEN ' with grant option' END)
                FROM this_database AS d, pg_catalog.aclexplode(d.datacl) AS a
                WHERE a.privilege_type = 'CREATE' AND a.grantee <> d.datdba
                    AND (a.grantee = 0 OR a.grantee IN (
                        SELECT oid FROM person WHERE rolname <> 'hearth_owner'))
            UNION ALL
            SELECT format('grant %s on schema public to %s%s', a.privilege_type,
                    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                    CASE WHEN a.is_grantable THEN ' with grant option' END)
                FROM pg_catalog.pg_namespace AS n, pg_catalog.aclexplode(n.nspacl) AS a
                WHERE n.nspname = 'public' AND a.privilege_type = 'CREATE'
                    AND a.grantee <> n.nspowner AND (a.grantee = 0 OR a.grantee IN (
                        SELECT oid FROM person
                        WHERE rolname NOT IN ('hearth_owner', 'hearth_migrator')))
            UNION ALL
            -- Parameters that otherwise only superusers may set.
            SELECT format('grant %s on parameter %s to %s%s', a.privilege_type, p.parname,
                    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                    CASE WHEN a.is_grantable THEN ' with grant option' END)
                FROM pg_catalog.pg_parameter_acl AS p, pg_catalog.aclexplode(p.paracl) AS a
                WHERE a.grantee = 0 OR a.grantee IN (SELECT oid FROM person)
            UNION ALL
            SELECT format('event trigger %I on %s by %s runs %I.%I()', t.evtname, t.evtevent,
                    t.evtowner::regrole, n.nspname, p.proname)
                FROM pg_catalog.pg_event_trigger AS t
                JOIN pg_catalog.pg_proc AS p ON p.oid = t.evtfoid
                JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
                WHERE NOT EXISTS (
                    SELECT FROM pg_catalog.pg_depend AS d
                    WHERE d.classid = 'pg_catalog.pg_event_trigger'::regclass
                        AND d.objid = t.oid AND d.deptype = 'e')
            UNION ALL
            SELECT format('extension %I in schema %s%s', e.extname, s.nspname,
                    CASE WHEN NOT e.extrelocatable OR e.extnamespace <> s.oid
                        THEN ', where it stays' END)
                FROM extension_place AS o JOIN pg_catalog.pg_extension AS e ON e.oid = o.extension
                JOIN space AS s ON s.oid = o.space WHERE s.nspname <> 'migrations'
            UNION ALL
            SELECT format('default grant %s on %s to %s by %s%s%s',
                    string_agg(g.privilege_type, ', ' ORDER BY g.privilege_type COLLATE "C"),
                    CASE g.kind WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES'
                        WHEN 'f' THEN 'FUNCTIONS' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS'
                        ELSE 'LARGE OBJECTS' END,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                    g.owner::regrole, ' in schema ' || s.nspname,
                    CASE WHEN g.is_grantable THEN ' with grant option' END)
                FROM default_right AS g LEFT JOIN space AS s ON s.oid = g.space
                WHERE g.grantee <> g.owner AND (s.oid IS NOT NULL OR g.space = 0 AND (
                    g.owner IN (SELECT oid FROM person) OR g.grantee IN (SELECT oid FROM person)))
                GROUP BY g.owner, g.kind, g.grantee, g.is_grantable, s.nspname
            UNION ALL
            SELECT format('setting %s of %s%s to %s', s.name,
                    CASE s.setrole WHEN 0 THEN 'ALL' ELSE s.setrole::regrole::text END,
                    CASE WHEN s.setdatabase <> 0 THEN ' in database' END,
                    substr(s.text, length(s.name) + 2))
                FROM setting AS s
                WHERE s.name IN ('session_replication_role', 'row_security', 'role',
                        'default_transaction_isolation', 'default_transaction_read_only')
                    OR s.name ~ '^(hearth|request)[.]'
                    OR s.text ~ '^synchronous_commit=(?!on$|remote_)'
            UNION ALL
            SELECT format('function %s owner %s', f.name, f.proowner::regrole) FROM routine AS f
        )
        SELECT text FROM line ORDER BY text COLLATE "C"
        """)
}
