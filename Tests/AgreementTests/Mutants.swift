import Postgres

/// All mutants of a migrated database, made mechanically from what its catalogue tells.
enum Mutants {
    static func all(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        var mutants = try policies(connection)
        mutants += try views(connection)
        mutants += try functions(connection)
        mutants += try tables(connection)
        mutants += try grants(connection)
        return mutants
    }

    // MARK: Policies

    private static func policies(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT tablename::text, policyname::text, coalesce(qual, ''),
                coalesce(with_check, ''), array_to_string(roles, ',')
            FROM pg_policies WHERE schemaname = 'app'
                AND NOT roles && ARRAY['hearth_worker', 'hearth_admin']::name[]
            ORDER BY tablename, policyname
            """)
        return try rows.map { (row) throws(PostgresError) in
            policy(
                table: try row.read(), name: try row.read(), using: try row.read(),
                check: try row.read(), roles: try row.read())
        }.flatMap { $0 }
    }

    private static func policy(
        table: String, name: String, using: String, check: String, roles: String
    ) -> [Mutant] {
        func mutant(_ what: String, _ change: String) -> Mutant {
            Mutant(
                kind: .policy, name: "\(name): \(what)",
                script: "ALTER POLICY \(name) ON app.\(table) \(change);")
        }
        var mutants = [
            Mutant(
                kind: .policy, name: "\(name): dropped",
                script: "DROP POLICY \(name) ON app.\(table);")
        ]
        for (clause, condition) in [("USING", using), ("WITH CHECK", check)]
        where !condition.isEmpty && condition != "true" {
            let whole = "(\(condition))"
            mutants += Conditions.variants(of: whole).map {
                mutant("\(clause) \($0.label)", "\(clause) \($0.text)")
            }
        }
        let named = roles.split(separator: ",").map(String.init)
        if named.contains("authenticated") || named.contains("hearth_api") {
            for role in ["authenticated", "hearth_api"] where named != [role] {
                mutants.append(mutant("to \(role)", "TO \(role)"))
            }
            mutants.append(mutant("to the owner", "TO hearth_owner"))
        }
        return mutants
    }

    // MARK: Views

    private static func views(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT format('%s.%s', n.nspname, c.relname), pg_get_viewdef(c.oid),
                coalesce(array_to_string(c.reloptions, ', '), '')
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api') AND c.relkind = 'v' ORDER BY 1
            """)
        return try rows.map { (row) throws(PostgresError) in
            view(name: try row.read(), text: try row.read(), options: try row.read())
        }.flatMap { $0 }
    }

    private static func view(name: String, text: String, options: String) -> [Mutant] {
        let head = "CREATE OR REPLACE VIEW \(name) WITH (\(options)) AS "
        var mutants = Conditions.variants(of: text).map {
            Mutant(kind: .view, name: "\(name): \($0.label)", script: head + $0.text)
        }
        let isInvoker = options.contains("security_invoker")
        mutants.append(
            Mutant(
                kind: .view, name: "\(name): \(isInvoker ? "runs as its owner" : "no barrier")",
                script: "ALTER VIEW \(name) RESET "
                    + (isInvoker ? "(security_invoker);" : "(security_barrier);"),
                isForCatalogue: !isInvoker))
        return mutants
    }

    // MARK: Functions

    private static func functions(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT format('%s.%s', n.nspname, p.proname), pg_get_functiondef(p.oid),
                l.lanname = 'plpgsql'
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            JOIN pg_language AS l ON l.oid = p.prolang
            WHERE n.nspname IN ('app', 'gateway') AND p.prokind = 'f'
                AND p.proname !~ '^(purge|expire|erase|audit|normalised|claims|finish|give_up)'
            ORDER BY 1
            """)
        return try rows.map { (row) throws(PostgresError) in
            function(name: try row.read(), text: try row.read(), isProcedural: try row.read())
        }.flatMap { $0 }
    }

    private static func function(name: String, text: String, isProcedural: Bool) -> [Mutant] {
        func mutants(_ variants: [(label: String, text: String)]) -> [Mutant] {
            variants.map {
                Mutant(kind: .function, name: "\(name): \($0.label)", script: $0.text)
            }
        }
        if !isProcedural { return mutants(Conditions.variants(of: text)) }
        return mutants(withoutGuards(text)) + mutants(withoutStanding(text))
            + mutants(withoutComparisons(text))
    }

    /// Without one of its refusals.
    private static func withoutGuards(_ text: String) -> [(label: String, text: String)] {
        text.ranges(of: /PERFORM app\.(refuse|require|member_in)[a-z_]*\([^;]*;/).map { range in
            (
                "without \(text[range].prefix(80))".oneLine,
                text.replacingCharacters(in: range, with: "NULL;")
            )
        }
    }

    /// With one question for a standing answered by a constant.
    private static func withoutStanding(_ text: String) -> [(label: String, text: String)] {
        let question =
            /app\.(is_[a-z]+|may_[a-z_]+|seat_is_taken|creator_is_active)\([^()]*(\(\))?[^()]*\)/
        return text.ranges(of: question).flatMap { range in
            ["true", "false"].map { constant in
                (
                    "\(constant) for \(text[range])",
                    text.replacingCharacters(in: range, with: constant)
                )
            }
        }
    }

    /// Without one comparison of a condition.
    private static func withoutComparisons(_ text: String) -> [(label: String, text: String)] {
        let comparison =
            /(?:\bAND|\bOR|\bWHERE|\bWHEN|\bIF|\bELSIF|\() (?:NOT )?[a-z_.]+ (?:=|<>|<=|>=|>|IS NOT DISTINCT FROM|IS DISTINCT FROM|IS NOT|IS) [a-zA-Z_.']+(?:\(\))?/
        return text.ranges(of: comparison).flatMap { range in
            let found = text[range]
            let word = found.prefix { $0 != " " }
            return ["true", "false"].map { constant in
                (
                    "\(constant) for \(found)",
                    text.replacingCharacters(in: range, with: "\(word) \(constant)")
                )
            }
        }
    }

    // MARK: Tables and grants

    private static func tables(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let names = try connection.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'app' ORDER BY 1"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return names.flatMap { name in
            [
                Mutant(
                    kind: .table, name: "\(name): row-level security off",
                    script: "ALTER TABLE app.\(name) DISABLE ROW LEVEL SECURITY;",
                    isForCatalogue: StatementOperations.closed.contains { $0.table == name }),
                Mutant(
                    kind: .table, name: "\(name): not forced",
                    script: "ALTER TABLE app.\(name) NO FORCE ROW LEVEL SECURITY;",
                    isForCatalogue: true),
            ]
        }
    }

    private static func grants(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let scripts = try connection.query(
            """
            WITH client AS (
                SELECT unnest(ARRAY['anon', 'authenticated', 'hearth_api']) AS role
            ), relation AS (
                SELECT c.oid, format('%s.%s', n.nspname, c.relname) AS name
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname IN ('app', 'api') AND c.relkind IN ('r', 'v')
            ), columns AS (
                SELECT role, privilege, r.name, a.attname, has_column_privilege(
                    role, r.oid, a.attnum, privilege) AS held
                FROM client, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege, relation AS r
                JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0
            ), routine AS (
                SELECT p.oid::regprocedure::text AS name, p.oid FROM pg_proc AS p
                JOIN pg_namespace AS n ON n.oid = p.pronamespace
                WHERE n.nspname IN ('app', 'gateway') AND p.prokind = 'f'
            )
            SELECT format('GRANT %s (%I) ON %s TO %s', privilege, attname, name, role)
                FROM columns WHERE NOT held
            UNION ALL
            SELECT format('REVOKE %s ON %s FROM %s', privilege, name, role)
                FROM columns WHERE held GROUP BY privilege, name, role
            UNION ALL
            SELECT CASE WHEN has_table_privilege(role, r.oid, privilege)
                    THEN format('REVOKE %s ON %s FROM %s', privilege, r.name, role)
                    ELSE format('GRANT %s ON %s TO %s', privilege, r.name, role) END
                FROM client, unnest(ARRAY['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
                    AS privilege, relation AS r
            UNION ALL
            SELECT CASE WHEN has_function_privilege(role, f.oid, 'EXECUTE')
                    THEN format('REVOKE EXECUTE ON FUNCTION %s FROM %s', f.name, role)
                    ELSE format('GRANT EXECUTE ON FUNCTION %s TO %s', f.name, role) END
                FROM client, routine AS f
            UNION ALL
            SELECT format('GRANT USAGE ON SCHEMA app TO %s', role) FROM client
                WHERE role <> 'hearth_api'
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        return scripts.map {
            Mutant(kind: .grant, name: $0, script: "\($0);", isForCatalogue: true)
        }
    }
}

extension String {
    /// The text with what stands in a range replaced.
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String
    {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
