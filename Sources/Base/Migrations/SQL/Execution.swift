/// Way of running a statement of a no-transaction file, which decides how an interrupted run
/// resumes there.
package enum Execution: Sendable, Equatable {
    /// Runs in one transaction with its journal entry, which therefore shows whether it took
    /// effect.
    case atomic
    /// Runs again in every run, because it sets up the session (SET, RESET, PREPARE, ...).
    case session
    /// Runs outside a transaction. Whether it took effect must be found out from the catalogues.
    case alone(Recovery)

    /// The recovery of an interrupted statement that runs outside a transaction.
    package enum Recovery: Sendable, Equatable {
        /// The statement took effect if the index exists and is valid. An invalid index is dropped,
        /// and the statement runs again.
        case createIndex(IndexCreation)
        /// The statement took effect if the index is gone; otherwise it runs again.
        case dropIndex(QualifiedName)
        /// Half-made indexes (`_ccnew`, `_ccold`) are dropped, and the statement runs again.
        case reindex(isConcurrent: Bool)
        /// The statement took effect if the partition is detached. A pending detachment is
        /// finished.
        case detachPartition(table: QualifiedName, partition: QualifiedName)
        /// The statement took effect if the database, tablespace or subscription exists.
        case create(Kind, String)
        /// The statement took effect if the object is gone.
        case drop(Kind, String)
        /// The statement runs again, because a second run does no harm, or because its author was
        /// warned that it might run twice.
        case again
    }

    /// The index of CREATE INDEX CONCURRENTLY; the name is nil if PostgreSQL chooses it.
    package struct IndexCreation: Sendable, Equatable {
        /// The index's name without a schema, which is always the table's.
        package let name: String?
        /// The table that is indexed.
        package let table: QualifiedName
    }

    /// Objects outside the tables of one database, found by name in their catalogues.
    package enum Kind: String, Sendable {
        case database = "DATABASE"
        case tablespace = "TABLESPACE"
        case subscription = "SUBSCRIPTION"
    }

    /// Determines how a statement runs.
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
    /// Whether the statement only changes the session.
    fileprivate var isSessionStatement: Bool {
        guard let first = terms.first, first.kind == .word else { return false }
        switch first.text {
        case "SET", "RESET", "LOAD", "PREPARE", "DEALLOCATE", "LISTEN", "UNLISTEN": return true
        case "SELECT": return isSetConfig
        default: return false
        }
    }

    /// Whether the statement is `SELECT set_config(...)`, as written by pg_dump.
    private var isSetConfig: Bool {
        let qualified = begins(with: "SELECT", "PG_CATALOG") && terms.count > 3
        return begins(with: "SELECT", "SET_CONFIG")
            || (qualified && terms[3].isKeyword("SET_CONFIG"))
    }
}
