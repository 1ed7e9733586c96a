import Postgres

extension SystemCatalogue {
    struct Index {
        let oid: Int64
        let name: QualifiedName
        let isValid: Bool
    }

    /// State of a partition's attachment to its table.
    enum Attachment {
        case whole
        /// DETACH PARTITION CONCURRENTLY was begun and must be finished.
        case pending
    }

    /// Returns the index with the name of `creation`, in the schema of its table; nil if there is
    /// none.
    func index(_ creation: Execution.IndexCreation) throws(PostgresError) -> Index? {
        guard let name = creation.name else { return nil }
        return try connection.query(
            """
            SELECT c.oid::int8, n.nspname::text, c.relname::text, i.indisvalid
              FROM pg_catalog.pg_class AS t
              JOIN pg_catalog.pg_class AS c ON c.relnamespace = t.relnamespace
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
              JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid
             WHERE t.oid = pg_catalog.to_regclass(\(creation.table.quoted))
               AND c.relname = \(name)
            """
        ).map { (row) throws(PostgresError) in try Index(row: &row) }.first
    }

    /// Returns indexes that a REINDEX CONCURRENTLY left behind.
    func leftovers() throws(PostgresError) -> [Index] {
        try connection.query(
            #"""
            SELECT c.oid::int8, n.nspname::text, c.relname::text, i.indisvalid
              FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
              JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid
             WHERE NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$'
               AND n.nspname <> 'pg_toast'
             ORDER BY c.oid
            """#
        ).map { (row) throws(PostgresError) in try Index(row: &row) }
    }

    func oid(of name: QualifiedName) throws(PostgresError) -> Int64? {
        try connection.query(
            "SELECT pg_catalog.to_regclass(\(name.quoted))::oid::int8"
        ).scalar(Int64?.self)
    }

    func attachment(
        of partition: QualifiedName, to table: QualifiedName
    ) throws(PostgresError) -> Attachment? {
        try connection.query(
            """
            SELECT inhdetachpending
              FROM pg_catalog.pg_inherits
             WHERE inhrelid = pg_catalog.to_regclass(\(partition.quoted))
               AND inhparent = pg_catalog.to_regclass(\(table.quoted))
            """
        ).map { (row) throws(PostgresError) in try row.read(Bool.self) }
            .first.map { $0 ? .pending : .whole }
    }

    func exists(_ kind: Execution.Kind, _ name: String) throws(PostgresError) -> Bool {
        let (catalogue, column) =
            switch kind {
            case .database: ("pg_database", "datname")
            case .tablespace: ("pg_tablespace", "spcname")
            case .subscription: ("pg_subscription", "subname")
            }
        return try connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_catalog.\(unsafe: catalogue)
                            WHERE \(unsafe: column) = \(name))
            """
        ).scalar(Bool.self)
    }
}

extension SystemCatalogue.Index {
    fileprivate init(row: inout RowReader) throws(PostgresError) {
        oid = try row.read()
        name = QualifiedName(schema: try row.read(), try row.read())
        isValid = try row.read()
    }
}
