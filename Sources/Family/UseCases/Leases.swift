import Glibc
import Postgres
import Synchronization

/// Which threads have borrowed a connection of which pool, for assertions.
enum Leases {
    private struct Lease: Hashable {
        let pool: ObjectIdentifier
        let thread: pthread_t
    }

    private static let present = Mutex<Set<Lease>>([])

    /// Notes that this thread borrows; false if it has a connection of the pool already.
    static func begin(_ pool: Pool) -> Bool {
        let lease = Lease(pool: ObjectIdentifier(pool), thread: pthread_self())
        return present.withLock { $0.insert(lease).inserted }
    }

    /// Notes that this thread has given it back.
    static func end(_ pool: Pool) -> Bool {
        let lease = Lease(pool: ObjectIdentifier(pool), thread: pthread_self())
        return present.withLock { $0.remove(lease) != nil }
    }
}
