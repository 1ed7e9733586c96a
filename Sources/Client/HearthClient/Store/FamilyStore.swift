public import Foundation

/// A local copy of a person's families, as Hearth last sent them: readable at once, with or without
/// a network.
///
/// ```swift
/// let file = folder.appendingPathComponent("families.sqlite")
/// let store = try FamilyStore(at: file, of: profile.id)
/// let engine = SyncEngine(hearth, store)
/// let running = Task { await engine.run() }
///
/// try store.members(of: family)                                  // at once
/// try store.enqueue(.setHouseholdRole(.kid, of: member))         // shows at once, is sent soon
/// ```
///
/// **Reads** return what Hearth last sent, with the queued changes applied. `SyncEngine` keeps the
/// store up to date.
///
/// **Queued changes** are on disk when `enqueue` returns. They survive the end of the app, even a
/// crash, and are sent in the order in which they were made.
///
/// Reads and `enqueue` may be called from any thread; they wait only for the disk, and for at most
/// one writer. A store belongs to one person: opening it with another person's id empties it. All
/// methods throw if the disk fails.
public final class FamilyStore: Sendable {
    private struct State {
        var file: SQLiteConnection
    }

    private let state: Locked<State>
    private let watchers = Watchers<Set<EntityKind>>()
    private let conflictWatchers = Watchers<Conflict>()

    /// Opens a person's store, and creates it if necessary.
    ///
    /// - Parameters:
    ///   - file: Path in an existing folder. SQLite creates two more files beside it.
    ///   - account: Owner of the store. Another person's store is emptied, including its queue.
    public init(at file: URL, of account: UserID) throws {
        do {
            let connection = try SQLiteConnection(file.path)
            try StoreSchema.prepare(connection)
            state = Locked(State(file: connection))
            if try fact("account")?.text != account.rawValue {
                try erase()
                try write { try $0.set("account", .text(account.rawValue)) }
            }
        } catch {
            throw HearthError.storage(reason: "\(error)")
        }
    }

    /// Empties the store, including its queue. Call it when the person signs out.
    public func erase() throws {
        try write { file in
            for table in ["facts", "things", "queue", "conflicts"] {
                try file.run("DELETE FROM \(table)")
            }
        }
        changed(Self.all)
    }

    /// Emits the kinds of entities that each change of the store affects. A slow consumer gets the
    /// latest 64 elements.
    public var changes: AsyncStream<Set<EntityKind>> { watchers.stream(.bufferingNewest(64)) }

    /// Emits the conflicts that are not dismissed yet, then each new one.
    public var conflicts: AsyncStream<Conflict> {
        // One lock covers reading and registering, so no conflict is missed or emitted twice.
        state.withLock { state in
            conflictWatchers.stream(.unbounded, first: (try? state.file.conflicts()) ?? [])
        }
    }

    /// Deletes a conflict that was shown, so that it is not emitted again.
    public func dismiss(_ conflict: Conflict) throws {
        try write { try $0.run("DELETE FROM conflicts WHERE number = ?", .integer(conflict.id)) }
    }

    // MARK: Details

    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try Self.translatingErrors { try state.withLock { try body($0.file) } }
    }

    /// Runs `body` in a transaction, then emits the conflicts that it stored.
    @discardableResult
    func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try Self.translatingErrors {
            try state.withLock { state in
                let file = state.file
                let last = try file.lastConflict()
                let result = try file.transaction { try body(file) }
                if !conflictWatchers.isEmpty {
                    for conflict in try file.conflicts(after: last) {
                        conflictWatchers.send(conflict)
                    }
                }
                return result
            }
        }
    }

    /// Emits the kinds of entities that changed.
    func changed(_ kinds: Set<EntityKind>) {
        if !kinds.isEmpty { watchers.send(kinds) }
    }

    func fact(_ name: String) throws -> SQLiteValue? {
        try read { try $0.run("SELECT value FROM facts WHERE name = ?", .text(name)).first?.first }
    }

    private static func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw HearthError.storage(reason: "\(error)")
        }
    }
}

extension SQLiteConnection {
    func set(_ fact: String, _ value: SQLiteValue) throws {
        try run("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", .text(fact), value)
    }
}

/// The tables of a store's file.
enum StoreSchema {
    /// Schema version; increment it with each change of the tables. When a file of another version
    /// is opened, its owner, queue and conflicts are carried over, because Hearth can't send them
    /// again. Only columns that both versions have are carried over, so new columns of these tables
    /// need a default. The next sync restores all other data.
    static let version: Int64 = 2

    static let script = """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE things (
            kind TEXT NOT NULL, family TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
            value BLOB NOT NULL, generation INTEGER NOT NULL,
            PRIMARY KEY (kind, family, id)
        ) WITHOUT ROWID;
        CREATE TABLE queue (
            number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            mutation BLOB NOT NULL, acting_as TEXT, changed_at TEXT NOT NULL, base_version INTEGER,
            sent_at TEXT
        );
        CREATE TABLE conflicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, cause TEXT NOT NULL UNIQUE,
            value BLOB NOT NULL
        );
        """

    /// Tables whose rows are carried over to another version.
    private static let carriedTables = ["queue", "conflicts"]

    /// Creates the tables in a file that is new or of another version.
    static func prepare(_ file: SQLiteConnection) throws {
        // In WAL mode a reader and a writer don't block each other; FULL lets queued changes
        // survive a loss of power.
        try file.execute(script: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        let stored = try file.run("PRAGMA user_version").first?.first?.integer ?? 0
        if stored == version { return }
        try file.transaction {
            let former = try carriedTables.filter { try !columns(of: $0, in: file).isEmpty }
            let account =
                try columns(of: "facts", in: file).isEmpty
                ? nil : file.run("SELECT value FROM facts WHERE name = 'account'").first?.first
            for table in former {
                try file.execute(script: "ALTER TABLE \(table) RENAME TO former_\(table)")
            }
            try file.execute(script: "DROP TABLE IF EXISTS facts; DROP TABLE IF EXISTS things")
            try file.execute(script: script)
            for table in former { try carryOver(table, in: file) }
            if let account { try file.set("account", account) }
            try file.execute(script: "PRAGMA user_version = \(version)")
        }
    }

    /// Moves the rows of a renamed table to the new one.
    private static func carryOver(_ table: String, in file: SQLiteConnection) throws {
        let current = try columns(of: table, in: file)
        let shared = try columns(of: "former_\(table)", in: file)
            .filter(current.contains).joined(separator: ", ")
        try file.execute(
            script: """
                INSERT INTO \(table) (\(shared)) SELECT \(shared) FROM former_\(table);
                DROP TABLE former_\(table);
                """)
    }

    /// Returns the columns of a table; none if it does not exist.
    private static func columns(of table: String, in file: SQLiteConnection) throws -> [String] {
        try file.run("SELECT name FROM pragma_table_info(?)", .text(table))
            .compactMap { $0.first?.text }
    }
}

extension FamilyStore {
    /// Cursor from which the next sync continues; nil before the first.
    func cursor() throws -> String? { try fact("cursor")?.text }

    /// Stores a page of changes and its cursor in one transaction.
    ///
    /// A page that is a reset begins a new generation: Hearth sends everything again, and the last
    /// page removes what was not sent. Until then the old entities stay readable.
    func apply(_ page: SyncPage) throws {
        var kinds = Set<EntityKind>()
        try write { file in
            var generation =
                try file.run("SELECT value FROM facts WHERE name = 'generation'")
                .first?.first?.integer ?? 0
            if page.isReset {
                generation += 1
                try file.set("generation", .integer(generation))
            }
            for change in page.changes {
                kinds.insert(change.key.kind)
                if let value = change.value {
                    try file.put(change.key, value, version: change.version)
                    // A child that has an account now is the same member, with its id without the
                    // prefix.
                    if change.key.kind == .member, !change.key.id.hasPrefix("managed_") {
                        try file.remove(
                            EntityKey(
                                .member, family: change.key.family,
                                id: "managed_" + change.key.id))
                    }
                    if let conflict = value["conflict"], conflict != .null {
                        try file.insertConflict(
                            conflict, about: change.key,
                            cause: "\(change.key.id) \(change.version)")
                    }
                } else {
                    try file.remove(change.key)
                    if change.key.kind == .family { kinds.formUnion(Self.ofFamilies) }
                }
            }
            if !page.hasMore, generation > 0 {
                try file.run("DELETE FROM things WHERE generation < ?", .integer(generation))
                if file.changedRows > 0 { kinds.formUnion(Self.all) }
                // From now on changes are incremental: entities without a change stay.
                try file.run("UPDATE things SET generation = 0")
                try file.set("generation", .integer(0))
            }
            try file.set("cursor", .text(page.cursor))
        }
        changed(kinds)
    }

    private static let ofFamilies: Set<EntityKind> = [
        .member, .invitation, .preferences, .playerDetails, .attributes,
    ]
    private static let all = ofFamilies.union([.family, .receivedInvitation, .profile])
}
