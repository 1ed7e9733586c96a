import Glibc
import Postgres
import Repositories

extension Pace {
    /// Calls `change` until it finds less than it may take, with pauses between the calls.
    ///
    /// - Parameters:
    ///   - size: How many things each call may take; nil: as many as fit the pace.
    ///   - shouldStop: Asked before each call.
    ///   - change: Gets how many things it may take, and the moment that the call before has
    ///     reached.
    /// - Returns: False where it was told to stop.
    @discardableResult
    static func inBatches<Failure: Error>(
        of size: Int32? = nil, shouldStop: () -> Bool = { false },
        _ change: (_ size: Int32, _ reached: PostgresTimestamp?) throws(Failure) -> UpkeepBatch
    ) throws(Failure) -> Bool {
        var pace = Pace()
        var reached: PostgresTimestamp?
        while true {
            if shouldStop() { return false }
            let size = size ?? pace.size
            let batch = try change(size, reached)
            if batch.count < size { return true }
            reached = batch.reached
            // A pause by the clock; there is no event to wait for.
            usleep(UInt32(pace.rest(after: UInt64(max(0, batch.microseconds)))))
        }
    }
}
