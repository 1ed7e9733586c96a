extension LintRule {
    static let dataAndCompatibility: [LintRule] = [
        LintRule(
            name: "rename", subject: .compatibility,
            detects: "a table or column is renamed",
            risk: "Running programs still use the old name.",
            advice: "Add the new one, switch programs and data over, and drop the old one later."
        ) { fact, context in
            guard case .renames(let table, let column) = fact, !context.isNew(table) else {
                return nil
            }
            return column.map { "\(table).\($0)" } ?? "\(table)"
        },
        LintRule(
            name: "drop-column", subject: .data,
            detects: "a column is dropped",
            risk: "Its data is lost, and running programs may still use it.",
            advice: "First deploy programs that don't use it, then drop the column."
        ) { fact, context in
            guard case .dropsColumn(let table, let column) = fact else { return nil }
            return context.isNew(table) ? nil : "\(table).\(column)"
        },
        LintRule(
            name: "drop-table", subject: .data,
            detects: "a table is dropped",
            risk: "Its data is lost, and running programs may still use it.",
            advice: "Rename it first, and drop it when nothing has failed without it."
        ) { fact, context in
            guard case .dropsTables(let tables) = fact else { return nil }
            let names = tables.filter { !context.isNew($0) }.map(\.description)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        },
        LintRule(
            name: "drop-schema", subject: .data,
            detects: "a schema is dropped with everything in it",
            risk: "Its data is lost, and running programs may still use it.",
            advice: "Drop its objects by name, and then the schema without CASCADE."
        ) { fact, context in
            guard case .dropsSchemas(let schemas, cascades: true) = fact else { return nil }
            let names = schemas.filter { !context.newNames.containSchema($0) }
            return names.isEmpty ? nil : names.joined(separator: ", ")
        },
        LintRule(
            name: "drop-owned", subject: .data,
            detects: "everything that a role owns is dropped",
            risk: "All its tables with their data, and its privileges, are lost.",
            advice: "REASSIGN OWNED to another role, or drop the objects by name."
        ) { fact, _ in
            guard case .dropsOwned(let roles) = fact else { return nil }
            return roles.joined(separator: ", ")
        },
        LintRule(
            name: "not-null-column", subject: .compatibility,
            detects: "a new NOT NULL column without a default",
            risk: "It fails if the table has rows, and so do inserts of running programs.",
            advice: "Give it a default, or add it without NOT NULL and fill it first."
        ) { fact, context in
            guard case .addsColumnWithoutValue(let table, let column) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), column \(column)" }
        },
        LintRule(
            name: "truncate", subject: .data,
            detects: "TRUNCATE",
            risk: "All rows are lost; row-level security and most triggers are bypassed.",
            advice: "DELETE in batches, unless all rows shall be lost."
        ) { fact, context in
            guard case .truncates(let tables) = fact else { return nil }
            let names = tables.compactMap(context.nonEmptyTable)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        },
        LintRule(
            name: "every-row", subject: .locks,
            detects: "UPDATE or DELETE without WHERE",
            risk: "Every row stays locked until the whole file is done, and leaves a dead tuple.",
            advice: "Change it in batches, in a no-transaction file."
        ) { fact, context in
            guard case .writesEveryRow(let table, let verb) = fact else { return nil }
            return context.nonEmptyTable(table).map { "\($0), \(verb)" }
        },
        LintRule(
            name: "enum-value", subject: .compatibility,
            detects: "a new value of an enum in a transaction",
            risk: "No statement of the same file can use it, since it isn't committed yet.",
            advice: "Use it in the next file."
        ) { fact, context in
            guard case .addsEnumValue(let type) = fact, context.isTransactional else { return nil }
            return "\(type)"
        },
    ]

    static let security: [LintRule] = [
        LintRule(
            name: "row-security-off", subject: .security,
            detects: "row-level security is removed from a tenant table",
            risk: "Every role with a grant can read every tenant's rows.",
            advice: "Keep it, and write a policy for roles that need more."
        ) { fact, context in
            guard case .setsRowSecurity(let table, let setting) = fact,
                setting == .disabled || setting == .notForced
            else { return nil }
            let tenants = context.configuration.tenantSchemas
            if context.isTenantSchema(table.schema) { return "\(table)" }
            let isOld = !context.isNew(table)
            return isOld && context.mayBeGuarded(table.schema, in: tenants) ? "\(table)" : nil
        },
        LintRule(
            name: "grant-public", subject: .security,
            detects: "a privilege is granted to PUBLIC",
            risk: "Every role that can connect has it, including roles created later.",
            advice: "Grant it to the roles that need it."
        ) { fact, context in
            guard case .grantsToPublic(let object, let schema) = fact else { return nil }
            let schemas = context.configuration.tenantSchemas + context.configuration.privateSchemas
            return context.mayBeGuarded(schema, in: schemas) ? object : nil
        },
        LintRule(
            name: "policy-public", subject: .security,
            detects: "a policy for PUBLIC",
            risk: "It applies to every role, including roles created later.",
            advice: "Name the roles: CREATE POLICY ... TO role."
        ) { fact, context in
            guard case .createsPolicyForPublic(let table, let policy) = fact,
                context.isTenantSchema(table.schema)
            else { return nil }
            return "\(policy) on \(table)"
        },
        LintRule(
            name: "definer-search-path", subject: .security,
            detects: "a SECURITY DEFINER function without a search path of its own",
            risk: "The caller decides which tables and operators it uses.",
            advice: "Use SET search_path = '' and qualified names."
        ) { fact, _ in
            guard case .createsDefinerFunction(let name, false) = fact else { return nil }
            return "\(name)"
        },
    ]
}
