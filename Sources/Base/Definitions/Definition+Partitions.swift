package import Postgres

extension Definition {
    /// Reads the definitions of partitions, and those that sound partitions would have.
    ///
    /// A sound partition is a logged table with the columns, constraints, indexes and triggers of
    /// its parent table, and with nothing else. Defaults are left out, because they don't matter to
    /// rows that are inserted through the parent.
    ///
    /// - Parameter names: The partitions, quoted if necessary, with their schemas.
    /// - Returns: The expected and the found definitions, which differ where something is wrong.
    package static func ofPartitions(
        _ names: [String], of connection: Connection
    ) throws(PostgresError) -> (expected: [Definition], found: [Definition]) {
        let definitions = try withCanonicalSettings(connection) {
            (transaction) throws(PostgresError) in
            try transaction.query(query(partitions: names)).decode(as: PartitionDefinition.self)
        }
        return (definitions.compactMap(\.expected), definitions.map(\.found))
    }

    private static func query(partitions names: [String]) -> SQL {
        """
        WITH part AS (
            SELECT c.oid, c.relpersistence, i.inhparent, quote_ident(n.nspname) AS space,
                format('%I.%I', n.nspname, c.relname) AS name
            FROM pg_catalog.pg_inherits AS i
            JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE format('%I.%I', n.nspname, c.relname) = ANY (\(names))
        )
        \(unsafe: columnsAndConstraints) UNION ALL
        \(unsafe: indexes) UNION ALL
        \(unsafe: whatActs)
        ORDER BY 1, 3, 2
        """
    }

    private static let columnsAndConstraints = """
        SELECT 'table', name, space, concat_ws(' ', 'CREATE',
                CASE relpersistence WHEN 'u' THEN 'UNLOGGED' END, 'TABLE', name),
                'CREATE TABLE ' || name
            FROM part
        UNION ALL
        SELECT 'not null', quote_ident(a.attname), p.name,
                format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', p.name, a.attname), NULL
            FROM part AS p JOIN pg_catalog.pg_attribute AS a ON a.attrelid = p.oid
            JOIN pg_catalog.pg_attribute AS t
                ON t.attrelid = p.inhparent AND t.attname = a.attname
            WHERE a.attnum > 0 AND a.attnotnull AND NOT t.attnotnull
        UNION ALL
        SELECT 'constraint', quote_ident(c.conname), p.name,
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', p.name, c.conname,
                    pg_catalog.pg_get_constraintdef(c.oid)), NULL
            FROM pg_catalog.pg_constraint AS c JOIN part AS p ON p.oid = c.conrelid
            WHERE c.contype IN ('p', 'u', 'c', 'f', 'x')
                AND c.conparentid = 0 AND c.coninhcount = 0
        """

    /// Indexes of the partitions. An index that belongs to an index of the parent table is
    /// expected, and must be valid.
    private static let indexes = """
        SELECT 'index', quote_ident(n.relname), p.name, pg_catalog.pg_get_indexdef(n.oid)
                || CASE WHEN i.indisvalid AND i.indisready THEN '' ELSE ' /* not valid */' END,
                CASE WHEN n.relispartition THEN pg_catalog.pg_get_indexdef(n.oid) END
            FROM pg_catalog.pg_index AS i JOIN part AS p ON p.oid = i.indrelid
            JOIN pg_catalog.pg_class AS n ON n.oid = i.indexrelid
            WHERE NOT (n.relispartition AND i.indisvalid AND i.indisready)
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS c
                    WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x')
                        AND NOT n.relispartition)
        """

    private static let whatActs = """
        SELECT 'rule', quote_ident(w.rulename), p.name,
                rtrim(pg_catalog.pg_get_ruledef(w.oid), ';'), NULL
            FROM pg_catalog.pg_rewrite AS w JOIN part AS p ON p.oid = w.ev_class
        UNION ALL
        SELECT 'trigger', quote_ident(t.tgname), p.name, pg_catalog.pg_get_triggerdef(t.oid), NULL
            FROM pg_catalog.pg_trigger AS t JOIN part AS p ON p.oid = t.tgrelid
            WHERE NOT t.tgisinternal AND t.tgparentid = 0
        UNION ALL
        SELECT 'policy', quote_ident(o.polname), p.name,
                format('CREATE POLICY %I ON %s', o.polname, p.name), NULL
            FROM pg_catalog.pg_policy AS o JOIN part AS p ON p.oid = o.polrelid
        """
}

/// A partition's definition, and the one it should have; nil if it should have none.
private struct PartitionDefinition: RowDecodable {
    let found: Definition
    let expected: Definition?

    static let row = RowDecoder { (found: Definition, statement: String?) in
        PartitionDefinition(
            found: found,
            expected: statement.map {
                Definition(found.kind, found.name, parent: found.parent, statement: $0)
            })
    }
}
