import Basics
import Configuration
import FamilySettings

/// The number of threads and of database connections, from the settings or from the number of
/// processors.
struct Capacity: Sendable {
    /// Number of connections to the database.
    let connections: Int
    /// Number of further connections to the database, for sign-ins.
    let signInConnections: Int
    /// Maximum number of threads that handle requests.
    let threads: Int

    init(_ settings: Settings, processors: Int = Processors.usable) {
        // Even for two processors eight connections are best: each waits for the network, for locks
        // and for the disk. Above 32, several processes would use up PostgreSQL's default of 100
        // connections.
        connections = settings[HearthSettings.databasePool] ?? min(max(processors, 8), 32)
        signInConnections = max(1, connections / 4)
        threads = settings[HearthSettings.httpThreads] ?? connections + 2
    }
}
