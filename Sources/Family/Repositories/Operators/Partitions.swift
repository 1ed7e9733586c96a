package import Postgres

/// A partition of one of Hearth's tables.
package struct FoundPartition: RowDecodable, Sendable, Hashable {
    /// Name with the schema, quoted if necessary.
    package let name: String
    /// The partitioned table.
    package let table: String
    /// The schema of that table.
    package let schema: String
    /// Range of the rows, as in ATTACH PARTITION.
    package let bound: String
    /// Whether the partition is being detached, so that the table no longer shows its rows.
    package let isBeingDetached: Bool
    /// Whether the partition is in the table's schema.
    package let isInSchema: Bool
    /// Whether the partition stores its rows itself: it is neither partitioned again nor on another
    /// server.
    package let isPlain: Bool

    package static let row = RowDecoder(Self.init)
}

/// A line about the owner, the row-level security or a grant of a partition.
package struct FoundPartitionRight: RowDecodable, Sendable, Hashable {
    /// Name of the partition with its schema, quoted if necessary.
    package let partition: String
    /// The line, in the format that ``Rights`` has for tables.
    package let line: String

    package static let row = RowDecoder(Self.init)
}

/// The partitions of Hearth's tables. They are created and dropped, so no list of rights contains
/// them: each is compared with the list's line of its table.
package enum Partitions {
    /// Returns all partitions in a stable order.
    package static let all = Statement<FoundPartition>(
        """
        SELECT format('%I.%I', n.nspname, c.relname), format('%I.%I', s.nspname, t.relname),
            quote_ident(s.nspname), coalesce(pg_catalog.pg_get_expr(c.relpartbound, c.oid), ''),
            i.inhdetachpending, s.oid = n.oid, c.relkind = 'r'
        \(from) ORDER BY 2, 1
        """)

    /// Returns owners, row-level security and grants of the partitions.
    package static let rights = Statement<FoundPartitionRight>(
        """
        WITH part AS (
            SELECT c.oid, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity,
                format('%I.%I', n.nspname, c.relname) AS name
            \(from)
        ), right_given AS (
            SELECT p.name, p.relowner, '' AS columns, a.*
                FROM part AS p, pg_catalog.aclexplode(p.relacl) AS a
            UNION ALL
            SELECT p.name, p.relowner, format(' (%s)', a.attname), x.*
                FROM part AS p JOIN pg_catalog.pg_attribute AS a ON a.attrelid = p.oid,
                    pg_catalog.aclexplode(a.attacl) AS x
        ), line (name, text) AS (
            SELECT p.name, concat_ws(' ', 'table', p.name, 'owner', p.relowner::regrole,
                    CASE WHEN p.relrowsecurity THEN 'secured' END,
                    CASE WHEN p.relforcerowsecurity THEN 'forced' END) FROM part AS p
            UNION ALL
            SELECT g.name, format('grant %s%s on %s to %s%s', g.privilege_type, g.columns, g.name,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                    CASE WHEN g.is_grantable THEN ' with grant option' END)
                FROM right_given AS g WHERE g.grantee <> g.relowner
        )
        SELECT name, text FROM line ORDER BY text COLLATE "C"
        """)

    private static let from = """
        FROM pg_catalog.pg_inherits AS i
            JOIN pg_catalog.pg_class AS t ON t.oid = i.inhparent AND t.relkind = 'p'
            JOIN pg_catalog.pg_namespace AS s ON s.oid = t.relnamespace
                AND s.nspname IN ('app', 'api', 'gateway', 'jobs')
            JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        """
}
