import CPostgres
import Glibc
import Synchronization
import Threads

/// Asks the server to stop what a connection is running.
///
/// Safe to use from any thread, also while the connection waits and after it has ended.
package final class Canceller: @unchecked Sendable {
    // PGcancel is written once, by PQgetCancel, and only read afterwards; libpq documents
    // PQcancel as safe to call from any thread. Freed when the last reference is gone.
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { PQfreeCancel(handle) }

    /// Sends the request and waits until the server has taken it. The statement's own result shows
    /// whether something was running and whether it stopped.
    ///
    /// - Throws: `PostgresError` with code `connectionFailed` when the server can't be reached.
    package func cancel() throws(PostgresError) {
        var buffer = [CChar](repeating: 0, count: 256)
        guard PQcancel(handle, &buffer, Int32(buffer.count)) == 1 else {
            let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw PostgresError(
                .connectionFailed, String(decoding: bytes, as: UTF8.self).trimmingNewlines)
        }
    }

    /// Sends the request from a thread of its own, for a caller that has no time left: libpq 15
    /// opens a connection without a deadline for it. A failure does not matter to the caller,
    /// because the connection is being given up in any case.
    ///
    /// At most ``maximumInBackground`` run at a time. A server that accepts no connections gets no
    /// more requests; it ends the statement when it notices that the client is gone.
    func cancelInBackground() {
        guard
            Self.inBackground.wrappingAdd(1, ordering: .relaxed).newValue
                <= Self.maximumInBackground
        else {
            Self.inBackground.wrappingSubtract(1, ordering: .relaxed)
            return
        }
        let hasStarted = SystemThread.startDetached {
            try? self.cancel()
            Self.inBackground.wrappingSubtract(1, ordering: .relaxed)
        }
        if !hasStarted { Self.inBackground.wrappingSubtract(1, ordering: .relaxed) }
    }

    private static let maximumInBackground = 16
    private static let inBackground = Atomic<Int>(0)
}
