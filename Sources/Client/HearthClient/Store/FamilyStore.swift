public import Foundation

/// What a person's families looked like when Hearth was last reached, on this device: read at once,
/// with or without a network.
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
/// **What is read** is what Hearth last sent, changed by what is queued. `SyncEngine` keeps it up
/// to date.
///
/// **What is queued** is on disk when `enqueue` returns. It survives the end of the app, however
/// that comes, and is sent in the order in which it was made.
///
/// Reads and `enqueue` may be called from any thread; they wait for the disk only, and for at most
/// one writer. A store is one person's: with another person's id it is emptied. All methods throw
/// if the disk does not do what is asked.
public final class FamilyStore: Sendable {
    private struct State {
        var file: SQLiteConnection
    }

    private let state: Locked<State>
    private let watchers = Watchers<Set<ThingKind>>()
    private let conflictWatchers = Watchers<Conflict>()

    /// Opens the store of a person, or makes it.
    ///
    /// - Parameters:
    ///   - file: In a folder that exists. SQLite makes two more files beside it.
    ///   - account: Whose it is. A store of somebody else is emptied, with what is queued in it.
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

    /// Empties the store, with what is queued. To be called when the person signs out.
    public func erase() throws {
        try write { file in
            for table in ["facts", "things", "queue", "conflicts"] {
                try file.run("DELETE FROM \(table)")
            }
        }
        changed([.family, .member, .invitation, .receivedInvitation, .profile, .preferences])
    }

    /// Which kinds of things changed, each time that something did, for as long as it is iterated.
    /// A slow watcher gets the latest 64.
    public var changes: AsyncStream<Set<ThingKind>> { watchers.stream(.bufferingNewest(64)) }

    /// The conflicts that were not dismissed yet, then each that becomes known, for as long as it
    /// is iterated.
    public var conflicts: AsyncStream<Conflict> {
        // Those of the disk and the registration under one lock: none is sent twice or missed.
        state.withLock { state in
            conflictWatchers.stream(.unbounded, first: (try? state.file.conflicts()) ?? [])
        }
    }

    /// A conflict was shown: it is not sent again.
    public func dismiss(_ conflict: Conflict) throws {
        try write { try $0.run("DELETE FROM conflicts WHERE number = ?", .integer(conflict.id)) }
    }

    // MARK: Details

    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try Self.told { try state.withLock { try body($0.file) } }
    }

    /// All of it counts or nothing.
    @discardableResult
    func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try Self.told {
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

    /// Tells those who watch.
    func changed(_ kinds: Set<ThingKind>) {
        if !kinds.isEmpty { watchers.send(kinds) }
    }

    func fact(_ name: String) throws -> SQLiteValue? {
        try read { try $0.run("SELECT value FROM facts WHERE name = ?", .text(name)).first?.first }
    }

    private static func told<Result>(_ body: () throws -> Result) throws -> Result {
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
    /// Raised with each change of the tables. A file of another version is emptied, and
    /// filled again by the next sync. A release that raises it carries over what is queued.
    static let version: Int64 = 1

    static let script = """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE things (
            kind TEXT NOT NULL, family TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
            value BLOB NOT NULL, generation INTEGER NOT NULL,
            PRIMARY KEY (kind, family, id)
        ) WITHOUT ROWID;
        CREATE TABLE queue (
            number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            mutation BLOB NOT NULL, acting_as TEXT, changed_at TEXT NOT NULL, base_version INTEGER
        );
        CREATE TABLE conflicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, cause TEXT NOT NULL UNIQUE,
            value BLOB NOT NULL
        );
        """

    /// Makes the tables in a file that is new or of another version.
    static func prepare(_ file: SQLiteConnection) throws {
        // A reader and a writer do not wait for each other, and what was queued survives also a
        // device whose battery dies.
        try file.execute(script: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        let found = try file.run("PRAGMA user_version").first?.first?.integer ?? 0
        if found == version { return }
        try file.transaction {
            for table in ["facts", "things", "queue", "conflicts"] {
                try file.execute(script: "DROP TABLE IF EXISTS \(table)")
            }
            try file.execute(script: script)
            try file.execute(script: "PRAGMA user_version = \(version)")
        }
    }
}

extension FamilyStore {
    /// Where the next sync goes on; nil before the first.
    func cursor() throws -> String? { try fact("cursor")?.text }

    /// Takes a page of changes and the cursor behind it, both or neither.
    ///
    /// A page that is a reset begins a new generation: everything comes again, and what has not
    /// come until the last page is removed then. Until then what was known stays to be read.
    func take(_ page: SyncPage) throws {
        var kinds = Set<ThingKind>()
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
                    // A child that has an account now is the same member by its id without a
                    // prefix.
                    if change.key.kind == .member, !change.key.id.hasPrefix("managed_") {
                        try file.remove(
                            ThingKey(
                                .member, family: change.key.family,
                                id: "managed_" + change.key.id))
                    }
                    if let conflict = value["conflict"], conflict != .null {
                        try file.note(
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
                // From now on changes come one by one: things without a change stay.
                try file.run("UPDATE things SET generation = 0")
                try file.set("generation", .integer(0))
            }
            try file.set("cursor", .text(page.cursor))
        }
        changed(kinds)
    }

    private static let ofFamilies: Set<ThingKind> = [
        .member, .invitation, .preferences, .playerDetails, .attributes,
    ]
    private static let all = ofFamilies.union([.family, .receivedInvitation, .profile])
}
