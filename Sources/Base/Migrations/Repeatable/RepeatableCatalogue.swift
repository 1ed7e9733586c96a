import Postgres

/// Functions, views and triggers in the server's catalogues.
struct RepeatableCatalogue {
    private let session: Session
    private let table: String

    init(_ session: Session) {
        self.session = session
        table = session.configuration.ledgerSchema.quotedIdentifier + ".repeatable_object"
    }

    /// Settings that make the server print definitions the same way for every user, until the end
    /// of the transaction.
    static let canonicalSettings = """
        SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL DateStyle = 'ISO, MDY'; \
        SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'; \
        SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; \
        SET LOCAL quote_all_identifiers = off;
        """

    /// An object that this transaction has created or changed, with the position (`ctid`) of its
    /// row.
    struct ChangedObject: Hashable {
        let kind: CreatedObject.Kind
        let identity: String
        let name: QualifiedName
        let row: String
    }

    /// Returns all objects that this transaction has created or changed so far. The settings of
    /// `canonicalSettings` must be in effect.
    func changedObjects() throws(PostgresError) -> Set<ChangedObject> {
        let rows = try session.connection.query(
            """
            SELECT kind, identity, schema, name, ctid::text FROM (\(unsafe: Self.existing)) AS e
             WHERE e.xmin = pg_current_xact_id_if_assigned()::xid
            """
        ).map { (row) throws(PostgresError) in
            ChangedObject(
                kind: try Self.kind(row.read()), identity: try row.read(),
                name: QualifiedName(schema: try row.read(), try row.read()), row: try row.read())
        }
        return Set(rows)
    }

    /// Returns the server's definitions of objects, by kind and identity. The settings of
    /// `canonicalSettings` must be in effect.
    func definitions(
        of objects: [(kind: CreatedObject.Kind, identity: String)]
    ) throws(PostgresError) -> [String: String] {
        let rows = try session.connection.query(
            """
            SELECT o.kind || ' ' || o.identity, \(unsafe: Self.definition)
              FROM unnest(\(objects.map(\.kind.rawValue)), \(objects.map(\.identity)))
                   AS o (kind, identity)
              JOIN (\(unsafe: Self.existing)) AS e USING (kind, identity)
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(String?.self) ?? "")
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// Returns the given objects that do not exist. The settings of `canonicalSettings` must be in
    /// effect.
    func missing(
        of objects: [(kind: CreatedObject.Kind, identity: String)]
    ) throws(PostgresError) -> [String] {
        try session.connection.query(
            """
            SELECT o.identity
              FROM unnest(\(objects.map(\.kind.rawValue)), \(objects.map(\.identity)))
                   AS o (kind, identity)
              LEFT JOIN (\(unsafe: Self.existing)) AS e USING (kind, identity)
             WHERE e.oid IS NULL ORDER BY o.identity
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    /// Returns all objects of the ledger as they are recorded and as they are now. The settings of
    /// `canonicalSettings` must be in effect.
    func recorded() throws(PostgresError) -> [RepeatableObject] {
        try session.connection.query(
            """
            SELECT o.kind, o.identity, o.file, o.definition, \(unsafe: Self.definition),
                   o.server_version
              FROM \(unsafe: table) AS o
              LEFT JOIN (\(unsafe: Self.existing)) AS e USING (kind, identity)
             ORDER BY o.file, o.identity
            """
        ).map { (row) throws(PostgresError) in
            RepeatableObject(
                kind: try Self.kind(row.read()), identity: try row.read(), file: try row.read(),
                recorded: try row.read(), found: try row.read(),
                serverVersion: Int(try row.read(Int32.self)))
        }
    }

    /// SQL for the end of a numbered file's transaction. It marks changed or dropped objects of
    /// repeatable files to be applied again, and deletes dropped objects that are in no file from
    /// the ledger.
    var outdatingScript: String {
        """
        \(Self.canonicalSettings)
        UPDATE \(table) AS r SET definition = NULL
          FROM (SELECT o.kind, o.identity, \(Self.definition) AS now
                  FROM \(table) AS o
                  LEFT JOIN (\(Self.existing)) AS e USING (kind, identity)) AS n
         WHERE r.kind = n.kind AND r.identity = n.identity AND r.definition IS DISTINCT FROM n.now;
        \(forgettingScript)
        """
    }

    /// SQL that deletes dropped objects that are in no file from the ledger. The settings of
    /// `canonicalSettings` must be in effect.
    var forgettingScript: String {
        """
        DELETE FROM \(table) AS r
         WHERE r.file IS NULL AND NOT EXISTS (
               SELECT FROM (\(Self.existing)) AS e
                WHERE e.kind = r.kind AND e.identity = r.identity);
        """
    }

    private static func kind(_ word: String) throws(PostgresError) -> CreatedObject.Kind {
        guard let kind = CreatedObject.Kind(rawValue: word) else {
            throw PostgresError(.decoding, "the ledger has an object of the unknown kind \(word)")
        }
        return kind
    }

    // MARK: - SQL

    /// All functions, views and triggers that aren't PostgreSQL's own.
    private static let existing = """
        SELECT 'function' AS kind, p.oid::regprocedure::text AS identity, n.nspname::text AS schema,
               p.proname::text AS name, p.oid, p.ctid, p.xmin
          FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
         WHERE p.prokind <> 'a' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        UNION ALL
        SELECT 'view', c.oid::regclass::text, n.nspname::text,
               c.relname::text, c.oid, r.ctid, r.xmin
          FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
          JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = c.oid AND r.rulename = '_RETURN'
         WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        UNION ALL
        SELECT 'trigger', pg_catalog.format('%I ON %s', t.tgname, t.tgrelid::regclass), NULL,
               t.tgname::text, t.oid, t.ctid, t.xmin
          FROM pg_catalog.pg_trigger AS t
         WHERE NOT t.tgisinternal AND t.tgparentid = 0
        """

    private static func rights(_ list: String) -> String {
        """
        coalesce((SELECT pg_catalog.string_agg(a::text, ' ' ORDER BY a::text COLLATE "C")
                    FROM pg_catalog.unnest(\(list)) AS a), '')
        """
    }

    /// PostgreSQL's description of the object `e` of the kind `o.kind`: definition, owner,
    /// privileges and comments. Null if the object no longer exists.
    private static let definition = """
        CASE o.kind
        WHEN 'function' THEN (
            SELECT pg_catalog.pg_get_functiondef(p.oid)
                   || E'\\nOWNER ' || pg_catalog.pg_get_userbyid(p.proowner)
                   || E'\\nRIGHTS ' || \(rights("coalesce(p.proacl, acldefault('f', p.proowner))"))
                   || E'\\nCOMMENT '
                   || coalesce(quote_literal(obj_description(p.oid, 'pg_proc')), '')
              FROM pg_catalog.pg_proc AS p WHERE p.oid = e.oid)
        WHEN 'view' THEN (
            SELECT 'CREATE VIEW ' || o.identity || E' (\\n' || (
                       SELECT pg_catalog.string_agg(
                                  '  ' || a.attname || ' '
                                      || pg_catalog.format_type(a.atttypid, a.atttypmod)
                                      || ' ' || \(rights("a.attacl"))
                                      || ' '
                                      || coalesce(
                                             quote_literal(col_description(c.oid, a.attnum)), ''),
                                  E',\\n' ORDER BY a.attnum)
                         FROM pg_catalog.pg_attribute AS a
                        WHERE a.attrelid = c.oid AND a.attnum > 0)
                   || E')\\nWITH ' || coalesce(array_to_string(c.reloptions, ' '), '') || E'\\n'
                   || pg_catalog.pg_get_viewdef(c.oid)
                   || E'\\nOWNER ' || pg_catalog.pg_get_userbyid(c.relowner)
                   || E'\\nRIGHTS ' || \(rights("coalesce(c.relacl, acldefault('r', c.relowner))"))
                   || E'\\nCOMMENT '
                   || coalesce(quote_literal(obj_description(c.oid, 'pg_class')), '')
              FROM pg_catalog.pg_class AS c WHERE c.oid = e.oid)
        ELSE (
            SELECT pg_catalog.pg_get_triggerdef(t.oid) || E'\\nENABLED ' || t.tgenabled::text
                   || E'\\nCOMMENT '
                   || coalesce(quote_literal(obj_description(t.oid, 'pg_trigger')), '')
              FROM pg_catalog.pg_trigger AS t WHERE t.oid = e.oid)
        END
        """
}
