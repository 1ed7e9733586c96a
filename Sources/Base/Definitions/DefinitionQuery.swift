package import Postgres

extension Definition {
    /// Reads the definitions of all objects in the given schemas that a script can create and that
    /// affect the database's behaviour: tables, columns, constraints, indexes, triggers, policies,
    /// rules, views, functions, sequences and types, and their owners.
    ///
    /// Partitions are left out, because they come and go (``ofPartitions(_:of:)`` reads them), and
    /// so are the objects of extensions.
    package static func all(
        in schemas: [String], of connection: Connection
    ) throws(PostgresError) -> [Definition] {
        try withCanonicalSettings(connection) { (transaction) throws(PostgresError) in
            try transaction.query(query(schemas)).decode(as: Definition.self)
        }
    }

    /// Reads the names of all user-defined schemas except the given ones.
    package static func schemas(
        except excluded: [String], of connection: Connection
    ) throws(PostgresError) -> [String] {
        try connection.query(
            """
            SELECT nspname::text FROM pg_catalog.pg_namespace
            WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
                AND nspname <> ALL (\(excluded))
            ORDER BY nspname COLLATE "C"
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// Runs `body` with settings that make the server print definitions the same way in every
    /// session: names with their schemas, dates and numbers in one format.
    static func withCanonicalSettings<Value>(
        _ connection: Connection, _ body: (Transaction) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        do {
            return try connection.transaction(TransactionOptions(isReadOnly: true)) { transaction in
                _ = try transaction.query(
                    """
                    SELECT pg_catalog.set_config(s.name, s.value, true) FROM (VALUES
                        ('search_path', ''), ('quote_all_identifiers', 'off'),
                        ('DateStyle', 'ISO, YMD'), ('IntervalStyle', 'postgres'),
                        ('TimeZone', 'UTC'), ('extra_float_digits', '1'), ('bytea_output', 'hex')
                    ) AS s (name, value)
                    """)
                return try body(transaction)
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.decoding, "\(error)")
        }
    }

    /// Query that returns kind, name, parent and statement of each definition.
    private static func query(_ schemas: [String]) -> SQL {
        """
        WITH space AS (
            SELECT oid, nspowner, quote_ident(nspname) AS name FROM pg_catalog.pg_namespace
            WHERE nspname = ANY (\(schemas))
        ), extended (class, id) AS (
            SELECT classid, objid FROM pg_catalog.pg_depend WHERE deptype = 'e'
        ), relation AS (
            SELECT c.*, s.name AS space, format('%s.%I', s.name, c.relname) AS name
            FROM pg_catalog.pg_class AS c JOIN space AS s ON s.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND NOT c.relispartition
                AND ('pg_catalog.pg_class'::regclass, c.oid) NOT IN (
                    SELECT class, id FROM extended)
        ), attribute AS (
            SELECT a.*, r.name AS parent, r.relkind, quote_ident(a.attname) AS name,
                pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS expression
            FROM pg_catalog.pg_attribute AS a JOIN relation AS r ON r.oid = a.attrelid
            LEFT JOIN pg_catalog.pg_attrdef AS d
                ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p', 'f')
        )
        \(unsafe: relations) UNION ALL
        \(unsafe: columns) UNION ALL
        \(unsafe: constraintsAndIndexes) UNION ALL
        \(unsafe: rulesAndTriggers) UNION ALL
        \(unsafe: policies) UNION ALL
        \(unsafe: functionsAndTypes) UNION ALL
        \(unsafe: owners)
        ORDER BY 1, 3, 2
        """
    }

    private static let relations = """
        SELECT 'schema', name, NULL, 'CREATE SCHEMA ' || name FROM space
        UNION ALL
        SELECT 'table', name, space, concat_ws(' ', 'CREATE',
                CASE relpersistence WHEN 'u' THEN 'UNLOGGED' END,
                CASE relkind WHEN 'f' THEN 'FOREIGN' END, 'TABLE', name,
                'PARTITION BY ' || pg_catalog.pg_get_partkeydef(oid),
                (SELECT 'INHERITS (' || string_agg(i.inhparent::regclass::text, ', '
                    ORDER BY i.inhseqno) || ')'
                    FROM pg_catalog.pg_inherits AS i WHERE i.inhrelid = relation.oid))
            FROM relation WHERE relkind IN ('r', 'p', 'f')
        UNION ALL
        -- The types are in a comment, because a view with other types can't be replaced in parent.
        SELECT 'view', r.name, r.space, format('CREATE %s %s (%s) /* %s */%s AS%s',
                CASE r.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'OR REPLACE VIEW' END,
                r.name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum),
                string_agg(format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum),
                ' WITH (' || array_to_string(r.reloptions, ', ') || ')',
                E'\\n' || rtrim(pg_catalog.pg_get_viewdef(r.oid), ';'))
            FROM relation AS r JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid
            WHERE r.relkind IN ('v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
            GROUP BY r.oid, r.name, r.space, r.relkind, r.reloptions
        UNION ALL
        SELECT 'sequence', r.name, r.space, format('CREATE SEQUENCE %s AS %s INCREMENT BY %s '
                    'MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %sCYCLE',
                r.name, format_type(s.seqtypid, NULL), s.seqincrement, s.seqmin, s.seqmax,
                s.seqstart, s.seqcache, CASE WHEN s.seqcycle THEN '' ELSE 'NO ' END)
            FROM relation AS r JOIN pg_catalog.pg_sequence AS s ON s.seqrelid = r.oid
            WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.objid = r.oid AND d.classid = 'pg_catalog.pg_class'::regclass
                    AND d.deptype = 'i')
        """

    private static let columns = """
        SELECT 'column', a.name, a.parent, concat_ws(' ', 'ALTER TABLE', a.parent, 'ADD COLUMN',
                a.name, format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attcollation <> t.typcollation THEN
                    (SELECT format('COLLATE %I.%I', n.nspname, c.collname)
                     FROM pg_catalog.pg_collation AS c
                     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.collnamespace
                     WHERE c.oid = a.attcollation) END,
                CASE a.attgenerated WHEN 's' THEN format('GENERATED ALWAYS AS (%s) STORED',
                                                         a.expression)
                    WHEN 'v' THEN format('GENERATED ALWAYS AS (%s) VIRTUAL', a.expression) END,
                CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
                    WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' END)
            FROM attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
        UNION ALL
        SELECT 'not null', name, parent,
                format('ALTER TABLE %s ALTER COLUMN %s SET NOT NULL', parent, name)
            FROM attribute WHERE attnotnull
        UNION ALL
        SELECT 'default', name, parent,
                format('ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s', parent, name, expression)
            FROM attribute WHERE attgenerated = '' AND expression IS NOT NULL
        """

    private static let constraintsAndIndexes = """
        -- NOT NULL, which newer versions also store as constraints, is listed with the columns.
        SELECT 'constraint', quote_ident(c.conname), r.name,
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.name, c.conname,
                    pg_catalog.pg_get_constraintdef(c.oid))
                || CASE WHEN c.contype <> 'f' AND EXISTS (SELECT FROM pg_catalog.pg_index AS i
                    WHERE i.indexrelid = c.conindid AND NOT (i.indisvalid AND i.indisready))
                    THEN ' /* not valid */' ELSE '' END
            FROM pg_catalog.pg_constraint AS c JOIN relation AS r ON r.oid = c.conrelid
            WHERE c.contype IN ('p', 'u', 'c', 'f', 'x') AND c.conparentid = 0
        UNION ALL
        SELECT 'index', quote_ident(n.relname), r.name, pg_catalog.pg_get_indexdef(n.oid)
                || CASE WHEN i.indisvalid AND i.indisready THEN '' ELSE ' /* not valid */' END
            FROM pg_catalog.pg_index AS i JOIN relation AS r ON r.oid = i.indrelid
            JOIN pg_catalog.pg_class AS n ON n.oid = i.indexrelid
            WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS c
                WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x'))
        """

    private static let rulesAndTriggers = """
        SELECT 'rule', quote_ident(w.rulename), r.name,
                rtrim(pg_catalog.pg_get_ruledef(w.oid), ';')
            FROM pg_catalog.pg_rewrite AS w JOIN relation AS r ON r.oid = w.ev_class
            WHERE w.rulename <> '_RETURN'
        UNION ALL
        SELECT 'trigger', quote_ident(t.tgname), r.name, pg_catalog.pg_get_triggerdef(t.oid)
            FROM pg_catalog.pg_trigger AS t JOIN relation AS r ON r.oid = t.tgrelid
            WHERE NOT t.tgisinternal
        UNION ALL
        SELECT 'firing', quote_ident(t.tgname), r.name, format('ALTER TABLE %s %s TRIGGER %I',
                r.name, CASE t.tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS'
                    ELSE 'ENABLE REPLICA' END, t.tgname)
            FROM pg_catalog.pg_trigger AS t JOIN relation AS r ON r.oid = t.tgrelid
            WHERE NOT t.tgisinternal AND t.tgenabled <> 'O'
        UNION ALL
        -- The triggers of a foreign key can be disabled without a trace in the constraint.
        SELECT DISTINCT 'firing', '*', r.name, format('ALTER TABLE %s DISABLE TRIGGER ALL', r.name)
            FROM pg_catalog.pg_trigger AS t JOIN relation AS r ON r.oid = t.tgrelid
            WHERE t.tgisinternal AND t.tgenabled <> 'O'
        """

    private static let policies = """
        SELECT 'policy', quote_ident(p.polname), r.name, concat_ws(' ', 'CREATE POLICY',
                quote_ident(p.polname), 'ON', r.name,
                CASE WHEN p.polpermissive THEN 'AS PERMISSIVE' ELSE 'AS RESTRICTIVE' END,
                CASE p.polcmd WHEN 'r' THEN 'FOR SELECT' WHEN 'a' THEN 'FOR INSERT'
                    WHEN 'w' THEN 'FOR UPDATE' WHEN 'd' THEN 'FOR DELETE' ELSE 'FOR ALL' END,
                'TO ' || (SELECT string_agg(
                        CASE o WHEN 0 THEN 'PUBLIC' ELSE o::regrole::text END, ', '
                        ORDER BY o::regrole::text COLLATE "C") FROM unnest(p.polroles) AS o),
                'USING (' || pg_catalog.pg_get_expr(p.polqual, p.polrelid) || ')',
                'WITH CHECK (' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) || ')')
            FROM pg_catalog.pg_policy AS p JOIN relation AS r ON r.oid = p.polrelid
        """

    private static let functionsAndTypes = """
        SELECT 'function', format('%s.%I(%s)', s.name, p.proname,
                    pg_catalog.oidvectortypes(p.proargtypes)), s.name,
                CASE p.prokind WHEN 'a' THEN 'CREATE AGGREGATE' ELSE
                    rtrim(pg_catalog.pg_get_functiondef(p.oid), E'\\n') END
            FROM pg_catalog.pg_proc AS p JOIN space AS s ON s.oid = p.pronamespace
            WHERE ('pg_catalog.pg_proc'::regclass, p.oid) NOT IN (SELECT class, id FROM extended)
        UNION ALL
        SELECT 'type', format('%s.%I', s.name, t.typname), s.name, CASE t.typtype
                WHEN 'e' THEN format('CREATE TYPE %s.%I AS ENUM (%s)', s.name, t.typname,
                    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder)
                     FROM pg_catalog.pg_enum AS e WHERE e.enumtypid = t.oid))
                WHEN 'c' THEN format('CREATE TYPE %s.%I AS (%s)', s.name, t.typname,
                    (SELECT string_agg(format('%I %s', a.attname,
                            format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
                     FROM pg_catalog.pg_attribute AS a
                     WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped))
                ELSE concat_ws(' ', format('CREATE DOMAIN %s.%I AS %s', s.name, t.typname,
                        format_type(t.typbasetype, t.typtypmod)), 'DEFAULT ' || t.typdefault,
                    CASE WHEN t.typnotnull THEN 'NOT NULL' END,
                    (SELECT string_agg(format('CONSTRAINT %I %s', c.conname,
                            pg_catalog.pg_get_constraintdef(c.oid)), ' ' ORDER BY c.conname)
                     FROM pg_catalog.pg_constraint AS c
                     WHERE c.contypid = t.oid AND c.contype = 'c')) END
            FROM pg_catalog.pg_type AS t JOIN space AS s ON s.oid = t.typnamespace
            -- Tables and views have composite types as well.
            WHERE (t.typtype IN ('e', 'd') OR EXISTS (
                    SELECT FROM pg_catalog.pg_class AS c
                    WHERE c.oid = t.typrelid AND c.relkind = 'c'))
                AND ('pg_catalog.pg_type'::regclass, t.oid) NOT IN (SELECT class, id FROM extended)
        """

    /// Query for owners. The name is that of the owned object; sequences of columns have their
    /// table's owner.
    private static let owners = """
        SELECT 'owner', 'schema ' || s.name, NULL,
                format('ALTER SCHEMA %s OWNER TO %s', s.name, s.nspowner::regrole)
            FROM space AS s
        UNION ALL
        SELECT 'owner', concat_ws(' ', k.kind, r.name), r.space,
                format('ALTER %s %s OWNER TO %s', k.command, r.name, r.relowner::regrole)
            FROM relation AS r JOIN (VALUES
                ('r', 'table', 'TABLE'), ('p', 'table', 'TABLE'), ('f', 'table', 'FOREIGN TABLE'),
                ('v', 'view', 'VIEW'), ('m', 'view', 'MATERIALIZED VIEW'),
                ('S', 'sequence', 'SEQUENCE')) AS k (relkind, kind, command)
                ON k.relkind = r.relkind::text
            WHERE r.relkind <> 'S' OR NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                WHERE d.objid = r.oid AND d.classid = 'pg_catalog.pg_class'::regclass
                    AND d.deptype IN ('a', 'i'))
        UNION ALL
        SELECT 'owner', format('function %s.%I(%s)', s.name, p.proname,
                    pg_catalog.oidvectortypes(p.proargtypes)), s.name,
                format('ALTER ROUTINE %s.%I(%s) OWNER TO %s', s.name, p.proname,
                    pg_catalog.oidvectortypes(p.proargtypes), p.proowner::regrole)
            FROM pg_catalog.pg_proc AS p JOIN space AS s ON s.oid = p.pronamespace
            WHERE ('pg_catalog.pg_proc'::regclass, p.oid) NOT IN (SELECT class, id FROM extended)
        UNION ALL
        SELECT 'owner', format('type %s.%I', s.name, t.typname), s.name,
                format('ALTER TYPE %s.%I OWNER TO %s', s.name, t.typname, t.typowner::regrole)
            FROM pg_catalog.pg_type AS t JOIN space AS s ON s.oid = t.typnamespace
            -- Tables and views have composite types as well.
            WHERE (t.typtype IN ('e', 'd') OR EXISTS (
                    SELECT FROM pg_catalog.pg_class AS c
                    WHERE c.oid = t.typrelid AND c.relkind = 'c'))
                AND ('pg_catalog.pg_type'::regclass, t.oid) NOT IN (SELECT class, id FROM extended)
        """
}
