package import Postgres
import Repositories

/// The daily examination: counts the faults in the data, so that metrics show them even if no
/// operator runs `hearth-admin doctor`.
///
/// Each part runs in a separate transaction, so that vacuum is not delayed. The results are stored
/// at the end. An examination that stops early stores none, and the earlier results stay.
package struct ExamineDatabase: Sendable {
    private let pool: Pool

    /// - Parameter pool: Connections as the role hearth_worker.
    package init(_ pool: Pool) { self.pool = pool }

    /// Examines all parts and stores the number of findings in each area.
    ///
    /// - Parameter shouldStop: Called between parts.
    /// - Returns: The number of findings; nil after a stop.
    package func callAsFunction(shouldStop: () -> Bool) throws -> Int? {
        var counts: [String: Int32] = [:]
        for part in try parts() {
            if shouldStop() { return nil }
            counts[part.area, default: 0] += try count(part)
        }
        try record(counts)
        return counts.values.reduce(0) { $0 + Int($1) }
    }

    private func parts() throws -> [ExaminationPart] {
        try pool.withConnection { connection in
            var batch = Batch()
            let parts = batch.add(DoctorResults.parts)
            return try connection.send(batch).rows(parts)
        }
    }

    private func count(_ part: ExaminationPart) throws -> Int32 {
        try pool.withConnection { connection in
            var batch = Batch()
            let count = batch.add(
                DoctorResults.count, part.area, part.part, Int32(DoctorResults.limit))
            return try connection.send(batch).row(count).value
        }
    }

    private func record(_ counts: [String: Int32]) throws {
        try pool.withConnection { connection in
            var batch = Batch()
            batch.add(Upkeep.commitAsynchronously)
            for (area, count) in counts.sorted(by: { $0.key < $1.key }) {
                batch.add(DoctorResults.record, area, count)
            }
            _ = try connection.send(batch, writes: true)
        }
    }
}
