import Postgres

/// Sizes of a database's tables, as estimated by the server.
struct TableSizes: Sendable {
    struct Size: Sendable, CustomStringConvertible {
        /// Estimated number of rows; negative if the table was never analysed.
        let rows: Int64
        let bytes: Int64

        var isEmpty: Bool { bytes == 0 }

        var description: String {
            let amount =
                bytes >= 10 << 20 ? "\(bytes >> 20) MB" : "\(max(1, bytes >> 10)) kB"
            return rows < 0 ? amount : "about \(rows) rows, \(amount)"
        }
    }

    private let sizes: [QualifiedName: Size]

    init(_ sizes: [QualifiedName: Size]) {
        self.sizes = sizes
    }

    /// Reads the sizes. Partitions are added to the table that they belong to.
    init(_ connection: Connection) throws(PostgresError) {
        let rows = try connection.query(
            """
            SELECT n.nspname::text, c.relname::text, sum(t.reltuples)::int8,
                   sum(pg_catalog.pg_relation_size(t.oid))::int8
              FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
             CROSS JOIN LATERAL (
                   SELECT c.oid WHERE c.relkind IN ('r', 'm')
                   UNION ALL
                   SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) AS p
                    WHERE c.relkind = 'p' AND p.isleaf) AS part
              JOIN pg_catalog.pg_class AS t ON t.oid = part.oid
             WHERE c.relkind IN ('r', 'p', 'm')
               AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
             GROUP BY n.nspname, c.relname
            """
        ).map { (row) throws(PostgresError) in
            (
                QualifiedName(schema: try row.read(), try row.read()),
                Size(rows: try row.read(), bytes: try row.read())
            )
        }
        sizes = Dictionary(rows) { first, _ in first }
    }

    /// Returns the size of a table; nil if it does not exist. An unqualified name refers to the
    /// largest table of that name.
    func size(of table: QualifiedName) -> Size? {
        if table.schema != nil { return sizes[table] }
        return sizes.filter { $0.key.name == table.name }.values.max { $0.bytes < $1.bytes }
    }
}
