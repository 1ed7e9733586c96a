import Glibc
import Postgres
import Repositories

extension BatchPacing {
    /// Calls `change` until it finds less than its maximum, with pauses between the calls.
    ///
    /// - Parameters:
    ///   - size: Maximum number of items for each call; nil: as many as fit the pace.
    ///   - shouldStop: Called before each call.
    ///   - change: Gets the maximum number of items, and the time that the previous call has
    ///     reached.
    /// - Returns: False if `shouldStop` returned true.
    @discardableResult
    static func inBatches<Failure: Error>(
        of size: Int32? = nil, shouldStop: () -> Bool = { false },
        _ change: (_ size: Int32, _ reached: PostgresTimestamp?) throws(Failure) -> UpkeepBatch
    ) throws(Failure) -> Bool {
        var pace = BatchPacing()
        var reached: PostgresTimestamp?
        while true {
            if shouldStop() { return false }
            let size = size ?? pace.size
            let batch = try change(size, reached)
            if batch.count < size { return true }
            reached = batch.reached
            // A pause by the clock; there is no event to wait for.
            usleep(UInt32(pace.pause(after: UInt64(max(0, batch.microseconds)))))
        }
    }
}
