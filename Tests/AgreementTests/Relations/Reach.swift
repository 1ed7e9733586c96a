import Postgres

/// The statements that can reach a function, a view or a table's policies, found by the names in
/// their texts. The result may contain too many statements, but none is missing.
struct Reach {
    private let closures: [Channel: [Set<String>]]
    private let beginnings: [Channel: Set<String>]
    private let graph: Graph

    init(_ connection: Connection) throws(PostgresError) {
        var graph = Graph()
        try graph.addTables(connection)
        try graph.addViewsAndFunctions(connection)
        var closures: [Channel: [Set<String>]] = [:]
        var beginnings: [Channel: Set<String>] = [:]
        for channel in Channel.allCases {
            closures[channel] = channel.statements.map {
                graph.closure(of: graph.names(in: $0, asCaller: true))
            }
            let beginning = channel.beginning(Case()) ?? ""
            beginnings[channel] = graph.withoutTables.closure(
                of: graph.names(in: beginning, asCaller: false))
        }
        self.closures = closures
        self.beginnings = beginnings
        self.graph = graph
    }

    /// The statements that can distinguish a mutant of `object` from the original.
    func selection(for object: String) -> Selection {
        Selection(
            Channel.allCases.flatMap { channel in
                let reached = closures[channel] ?? []
                let isEverything = beginnings[channel]?.contains(object) ?? false
                return reached.indices.filter { isEverything || reached[$0].contains(object) }
                    .map { Sighting.StatementKey(channel: channel, index: $0) }
            })
    }

    /// The functions, views and tables whose texts, triggers or policies lead to `object`.
    func callers(of object: String) -> Set<String> { graph.callers(of: object) }

    /// The name of the object that stands for all policies of a table.
    static func policies(of table: String) -> String { "policies \(table)" }
}

/// Objects, with the other objects that their texts name.
private struct Graph {
    private var edges: [String: Set<String>] = [:]
    private var tables: Set<String> = []

    /// The graph without the edges of tables, which apply to changes of rows alone.
    var withoutTables: Graph {
        var graph = self
        for table in tables { graph.edges[table] = nil }
        return graph
    }

    /// Adds the triggers of each table, and the objects named in its clients' policies.
    mutating func addTables(_ connection: Connection) throws(PostgresError) {
        let triggers = try Self.texts(
            """
            SELECT format('%s.%s', n.nspname, c.relname), coalesce(
                string_agg(t.tgfoid::regproc::text, ' '), ''), c.relkind IN ('r', 'p')
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_trigger AS t ON t.tgrelid = c.oid AND NOT t.tgisinternal
            WHERE n.nspname IN ('app', 'api') AND c.relkind IN ('r', 'p', 'v')
            GROUP BY n.nspname, c.relname, c.relkind
            """, connection)
        for (name, text, isTable) in triggers {
            edges[name, default: []].formUnion(names(in: text, asCaller: false))
            if isTable { tables.insert(name) }
        }
        let policies = try Self.texts(
            """
            SELECT format('%s.%s', schemaname, tablename), concat_ws(' ', qual, with_check), true
            FROM pg_policies WHERE schemaname = 'app'
            """, connection)
        for (name, text, isAsCaller) in policies {
            edges[Reach.policies(of: name), default: []].formUnion(
                names(in: text, asCaller: isAsCaller))
        }
    }

    mutating func addViewsAndFunctions(_ connection: Connection) throws(PostgresError) {
        let texts = try Self.texts(
            """
            SELECT format('%s.%s', n.nspname, c.relname), pg_get_viewdef(c.oid),
                n.nspname = 'api'
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api') AND c.relkind = 'v'
            UNION ALL
            SELECT format('%s.%s', n.nspname, p.proname), pg_get_functiondef(p.oid),
                NOT p.prosecdef
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname IN ('app', 'api', 'gateway', 'jobs') AND p.prokind = 'f'
            """, connection)
        for (name, text, isAsCaller) in texts {
            edges[name, default: []].formUnion(names(in: text, asCaller: isAsCaller))
        }
    }

    private static func texts(
        _ sql: SQL, _ connection: Connection
    ) throws(PostgresError) -> [(String, String, Bool)] {
        try connection.query(sql).map { (row) throws(PostgresError) in
            (try row.read(), try row.read(), try row.read())
        }
    }

    /// The objects that a text names.
    ///
    /// - Parameter asCaller: Whether the text reads tables as the client that runs it, so that
    ///   their policies apply.
    func names(in text: String, asCaller: Bool) -> Set<String> {
        var found: Set<String> = []
        for match in text.matches(of: /(app|api|gateway|jobs)\.[a-z_]+/) {
            let name = String(match.output.0)
            found.insert(name)
            if asCaller { found.insert(Reach.policies(of: name)) }
        }
        return found
    }

    func callers(of object: String) -> Set<String> {
        Set(edges.keys.filter { $0 != object && closure(of: [$0]).contains(object) })
    }

    func closure(of names: Set<String>) -> Set<String> {
        var reached = names
        var open = Array(names)
        while let name = open.popLast() {
            for next in edges[name] ?? [] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }
}
