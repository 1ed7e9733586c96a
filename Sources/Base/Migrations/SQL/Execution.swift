/// How a statement of a no-transaction file runs, which decides how an interrupted run continues
/// there.
package enum Execution: Sendable, Equatable {
    /// In one transaction with its line in the journal: it took exactly if the journal says so.
    case atomic
    /// Sets up the session (SET, RESET, PREPARE, ...): run again in every run, since the session is
    /// another one.
    case session
    /// By itself. Whether it took must be found out by looking.
    case alone(Recovery)

    /// The recovery of an interrupted statement that runs outside a transaction.
    package enum Recovery: Sendable, Equatable {
        /// Took if the index is there and valid; an invalid one is dropped, then it runs again.
        case createIndex(IndexCreation)
        /// Took if the index is gone, else it runs again.
        case dropIndex(QualifiedName)
        /// Half-made indexes (`_ccnew`, `_ccold`) are dropped, then it runs again.
        case reindex(isConcurrent: Bool)
        /// Took if the partition is on its own; a pending detachment is finished.
        case detachPartition(table: QualifiedName, partition: QualifiedName)
        /// Took if there is such a database, tablespace or subscription.
        case create(Kind, String)
        /// It took effect if the object is gone.
        case drop(Kind, String)
        /// Runs again: a second run does no harm, or its author was told that it might run twice.
        case again
    }

    /// The index of CREATE INDEX CONCURRENTLY; the name is nil if PostgreSQL chooses it.
    package struct IndexCreation: Sendable, Equatable {
        /// The index's name, without a schema: it is the table's.
        package let name: String?
        /// The table that is indexed.
        package let table: QualifiedName
    }

    /// Objects outside the tables of one database, whose catalogues are searched by name.
    package enum Kind: String, Sendable {
        case database = "DATABASE"
        case tablespace = "TABLESPACE"
        case subscription = "SUBSCRIPTION"
    }

    /// How this statement runs.
    package init(of statement: SQLStatement) {
        if statement.isSessionStatement {
            self = .session
        } else if statement.begins(with: "CALL") {
            self = .alone(.again)
        } else if statement.cannotRunInTransaction == nil {
            self = .atomic
        } else {
            self = .alone(Recovery(of: statement))
        }
    }
}

extension Execution.Recovery {
    fileprivate init(of statement: SQLStatement) {
        var words = TermReader(statement.terms)
        let verb = words.next()?.text
        switch (verb, words.next()?.text) {
        case ("CREATE", "INDEX"), ("CREATE", "UNIQUE"):
            self = .createIndex(words.indexCreation())
        case ("DROP", "INDEX"):
            words.skip("CONCURRENTLY", "IF", "EXISTS")
            self = words.name().map { .dropIndex($0) } ?? .again
        case ("REINDEX", _):
            self = .reindex(isConcurrent: statement.mentions("CONCURRENTLY"))
        case ("ALTER", "TABLE"):
            words.skip("IF", "EXISTS", "ONLY")
            let table = words.name()
            words.skip("*", "DETACH", "PARTITION")
            if let table, let partition = words.name() {
                self = .detachPartition(table: table, partition: partition)
            } else {
                self = .again
            }
        case (let verb?, let object?):
            words.skip("IF", "EXISTS")
            guard let kind = Execution.Kind(rawValue: object), let name = words.name() else {
                self = .again
                return
            }
            self = verb == "DROP" ? .drop(kind, name.name) : .create(kind, name.name)
        default: self = .again
        }
    }
}

extension SQLStatement {
    /// Whether it changes nothing but the session.
    fileprivate var isSessionStatement: Bool {
        guard let first = terms.first, first.kind == .word else { return false }
        switch first.text {
        case "SET", "RESET", "LOAD", "PREPARE", "DEALLOCATE", "LISTEN", "UNLISTEN": return true
        case "SELECT": return isSetConfig
        default: return false
        }
    }

    /// `SELECT set_config(...)`, as pg_dump writes it.
    private var isSetConfig: Bool {
        let qualified = begins(with: "SELECT", "PG_CATALOG") && terms.count > 3
        return begins(with: "SELECT", "SET_CONFIG")
            || (qualified && terms[3].isKeyword("SET_CONFIG"))
    }
}
