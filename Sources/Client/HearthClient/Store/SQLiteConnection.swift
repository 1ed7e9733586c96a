import CSQLite
import Foundation

/// A connection to an SQLite file. Use it from one thread at a time.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// Opens the file, and creates it if necessary.
    init(_ path: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, message: message, statement: "open")
        }
        self.handle = handle
        // Another process of the same app, such as an extension, may be writing.
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters.
    func execute(script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, String(script.prefix(80))) }
    }

    /// Runs a statement and returns its rows.
    @discardableResult
    func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> [[SQLiteValue]] {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try bind(value, Int32(index + 1), statement, sql)
        }
        var rows: [[SQLiteValue]] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw error(code, sql) }
            rows.append((0..<sqlite3_column_count(statement)).map { Self.column($0, statement) })
        }
    }

    /// Number of rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Runs `body` in a transaction, which is rolled back if `body` throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Throw the original error: after some errors SQLite has already rolled back by itself.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, sql) }
        statements[sql] = statement
        return statement
    }

    private func bind(
        _ value: SQLiteValue, _ index: Int32, _ statement: OpaquePointer, _ sql: String
    ) throws(SQLiteError) {
        // SQLite copies the bytes before the call returns.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text):
                sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copied)
            case .blob(let data):
                data.withUnsafeBytes {
                    sqlite3_bind_blob(
                        statement, index, $0.baseAddress ?? UnsafeRawPointer(statement),
                        Int32($0.count), copied)
                }
            }
        if code != SQLITE_OK { throw error(code, sql) }
    }

    private static func column(_ index: Int32, _ statement: OpaquePointer) -> SQLiteValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, index) else { return .null }
            let count = Int(sqlite3_column_bytes(statement, index))
            return .text(
                String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, index))
            guard count > 0, let bytes = sqlite3_column_blob(statement, index) else {
                return .blob(Data())
            }
            return .blob(Data(bytes: bytes, count: count))
        default: return .null
        }
    }

    private func error(_ code: Int32, _ statement: String) -> SQLiteError {
        SQLiteError(
            code: code, message: String(cString: sqlite3_errmsg(handle)), statement: statement)
    }
}

/// A value of a column or parameter.
enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var blob: Data? { if case .blob(let data) = self { data } else { nil } }

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    init(_ data: Data?) { self = data.map { .blob($0) } ?? .null }
}

/// An error of SQLite, such as a full disk or a file that is not a database.
struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// Result code of SQLite.
    let code: Int32
    let message: String
    /// The statement, without its values.
    let statement: String

    var description: String { "SQLite \(code): \(message) (\(statement))" }
}
