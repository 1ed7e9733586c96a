import Postgres

/// All mutants of a migrated database, generated from its catalogue. `KeyAgreementTests` has those
/// of the views and policies that only API keys use.
enum Mutants {
    static func all(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        var mutants = try functions(connection)
        mutants += try views(connection)
        mutants.append(swappedCallers)
        mutants += try tables(connection)
        mutants += try policies(connection)
        mutants += try grants(connection)
        return mutants
    }

    private static let clients: Set<String> = ["anon", "authenticated", "hearth_api"]

    // MARK: Policies

    private static func policies(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT tablename::text, policyname::text, coalesce(qual, ''),
                coalesce(with_check, ''), array_to_string(roles, ',')
            FROM pg_policies WHERE schemaname = 'app'
                AND NOT roles <@ ARRAY['hearth_worker', 'hearth_admin', 'hearth_server', 'hearth_viewer']::name[]
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
        let named = roles.split(separator: ",").map(String.init)
        let isForClients = !clients.isDisjoint(with: named)
        // For a policy that serves functions and views alone, only its existence matters.
        let object = isForClients ? Reach.policies(of: "app.\(table)") : nil
        func mutant(_ what: String, _ change: String) -> Mutant {
            Mutant(
                kind: .policy, name: "\(name): \(what)",
                script: "ALTER POLICY \(name) ON app.\(table) \(change);", object: object)
        }
        var mutants = [
            Mutant(
                kind: .policy, name: "\(name): dropped",
                script: "DROP POLICY \(name) ON app.\(table);", object: object)
        ]
        for (clause, condition) in [("USING", using), ("WITH CHECK", check)]
        where !condition.isEmpty && condition != "true" {
            let whole = "(\(condition))"
            mutants += Conditions.variants(of: whole).map {
                mutant("\(clause) \($0.label)", "\(clause) \($0.text)")
            }
        }
        if !using.isEmpty, !check.isEmpty, check != "true" {
            mutants.append(mutant("USING and WITH CHECK true", "USING (true) WITH CHECK (true)"))
        }
        for role in (isForClients ? ["hearth_owner"] : []) + clients.sorted()
        where named != [role] {
            mutants.append(mutant("to \(role)", "TO \(role)"))
        }
        // The added role has no privilege to use it.
        mutants.append(
            Mutant(
                kind: .policy, name: "\(name): to PUBLIC",
                script: "ALTER POLICY \(name) ON app.\(table) TO PUBLIC;", object: nil))
        return mutants
    }

    // MARK: Views

    private static func views(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT format('%s.%s', n.nspname, c.relname), pg_get_viewdef(c.oid),
                coalesce(array_to_string(c.reloptions, ', '), ''), pg_get_userbyid(c.relowner)::text
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('app', 'api') AND c.relkind = 'v'
                AND NOT has_table_privilege('hearth_server', c.oid, 'SELECT')
                AND NOT has_table_privilege('hearth_viewer', c.oid, 'SELECT')
            ORDER BY 1
            """)
        return try rows.map { (row) throws(PostgresError) in
            view(
                name: try row.read(), text: try row.read(), options: try row.read(),
                owner: try row.read())
        }.flatMap { $0 }
    }

    private static func view(name: String, text: String, options: String, owner present: String)
        -> [Mutant]
    {
        let head =
            "CREATE OR REPLACE VIEW \(name) " + (options.isEmpty ? "" : "WITH (\(options)) ")
            + "AS "
        var mutants = Conditions.variants(of: text).map {
            Mutant(
                kind: .view, name: "\(name): \($0.label)", script: head + $0.text, object: name)
        }
        let isInvoker = options.contains("security_invoker")
        // Views without an option are read by other views alone.
        if !options.isEmpty {
            mutants.append(
                Mutant(
                    kind: .view, name: "\(name): \(isInvoker ? "runs as its owner" : "no barrier")",
                    script: "ALTER VIEW \(name) RESET "
                        + (isInvoker ? "(security_invoker);" : "(security_barrier);"),
                    object: isInvoker ? name : nil))
        }
        for owner in ["hearth_owner", "hearth_authz"] where owner != present {
            mutants.append(
                Mutant(
                    kind: .view, name: "\(name): owned by \(owner)",
                    script: "ALTER VIEW \(name) OWNER TO \(owner);", object: nil))
        }
        return mutants
    }

    /// A batch with the indexes of two callers swapped.
    private static let swappedCallers = Mutant(
        kind: .view, name: "app.callers: places the other way round",
        script: """
            CREATE OR REPLACE VIEW app.callers AS
            SELECT (cardinality(a.ids) + 1 - c.caller_index)::integer AS caller_index, c.user_id
            FROM (SELECT nullif(current_setting('hearth.callers', true), '')::uuid[]) AS a (ids),
                unnest(a.ids) WITH ORDINALITY AS c (user_id, caller_index);
            """, object: "app.callers")

    // MARK: Functions

    /// Mutants of all functions. Only tests can detect mutants of functions that no client's
    /// statement reaches.
    private static func functions(_ connection: Connection) throws(PostgresError) -> [Mutant] {
        let rows = try connection.query(
            """
            SELECT format('%s.%s', n.nspname, p.proname), pg_get_functiondef(p.oid),
                l.lanname = 'plpgsql'
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            JOIN pg_language AS l ON l.oid = p.prolang
            WHERE n.nspname IN ('app', 'gateway', 'jobs') AND p.prokind = 'f'
            ORDER BY 1
            """)
        return try rows.map { (row) throws(PostgresError) in
            function(name: try row.read(), text: try row.read(), isProcedural: try row.read())
        }.flatMap { $0 }
    }

    private static func function(name: String, text: String, isProcedural: Bool) -> [Mutant] {
        func mutants(
            _ kind: Mutant.Kind, _ variants: [(label: String, text: String)]
        ) -> [Mutant] {
            variants.map {
                Mutant(kind: kind, name: "\(name): \($0.label)", script: $0.text, object: name)
            }
        }
        // A function that is no procedure is a rule: one expression.
        if !isProcedural { return mutants(.guarding, Conditions.variants(of: text)) }
        return mutants(.guarding, withoutGuards(text)) + mutants(.guarding, withoutStanding(text))
            + mutants(.function, withoutComparisons(text))
    }

    /// Variants with one refusal removed.
    private static func withoutGuards(_ text: String) -> [(label: String, text: String)] {
        text.ranges(of: /PERFORM app\.(refuse|require|member_in)[a-z_]*\([^;]*;/).map { range in
            (
                "without \(text[range].prefix(80))".oneLine,
                text.replacingCharacters(in: range, with: "NULL;")
            )
        }
    }

    /// Variants with one call of a function about the caller's membership replaced by a constant.
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

    /// Variants with one condition replaced by a constant: a comparison, a Boolean value, or a
    /// question whether rows exist.
    private static func withoutComparisons(_ text: String) -> [(label: String, text: String)] {
        let comparison =
            /((?:\bAND|\bOR|\bWHERE|\bWHEN|\bIF|\bELSIF|\bRETURN) |\( ?)((?:NOT )?(?:\([a-z_]+\)\.)?[a-z_.]+(?: (?:=|<>|<=|>=|>|IS NOT DISTINCT FROM|IS DISTINCT FROM|IS NOT|IS) (?:ANY \([^()]*(?:\([^()]*\))?[^()]*\)|(?:\([a-z_]+\)\.)?[a-zA-Z_.']+(?:\(\))?)|(?=\s+(?:AND|OR|THEN)\b)))/
        let compared = text.matches(of: comparison).map { match in
            (String(match.output.1), match.output.2.startIndex..<match.output.2.endIndex)
        }
        let asked = text.ranges(of: /\bEXISTS \(/).compactMap { start in
            closing(of: text, from: start.upperBound).map { ("", start.lowerBound..<$0) }
        }
        return (compared + asked).flatMap { prefix, range in
            ["true", "false"].map { constant in
                (
                    "\(constant) for \(prefix)\(text[range])".oneLine,
                    text.replacingCharacters(in: range, with: constant)
                )
            }
        }
    }

    /// The end of the parentheses that were opened before a position.
    private static func closing(of text: String, from start: String.Index) -> String.Index? {
        var depth = 1
        for index in text[start...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text.index(after: index) }
        }
        return nil
    }
}

extension String {
    /// The text with a range replaced.
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String
    {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
