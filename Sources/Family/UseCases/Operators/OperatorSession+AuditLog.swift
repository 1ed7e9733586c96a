import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Maximum number of entries that are held in memory at once, and that one transaction deletes.
    private static let part: Int32 = 1_000

    /// Exports all entries of the audit log from before the month, oldest first, in parts.
    ///
    /// The audit row about the export is committed before any entry is returned. Each part is read
    /// in a separate transaction: entries of past months never change, so no long snapshot is
    /// needed.
    ///
    /// - Throws: ``OperatorRefusal`` while entries from before the month may still be added.
    package func exportAuditLog(
        before month: AuditLogMonth, _ take: ([AdminAuditEntry]) throws -> Void
    ) throws {
        try change(AuditMonths.beginExport, month.firstDay)
        var last: AuditEntry?
        while true {
            let entries = try rows(
                AuditMonths.entries, month.firstDay, last?.at, last?.id, Self.part)
            try take(entries)
            guard entries.count == Self.part else { return }
            last = entries.last?.entry
        }
    }

    /// Returns the months whose partition of the audit log should exist by now and doesn't, such as
    /// `2026-03`.
    package func missingAuditMonths() throws -> [String] {
        try rows(AuditMonths.missingMonths).map(\.value)
    }

    /// Creates the missing partitions.
    ///
    /// - Returns: The months that have one now. A month is left out if something uses the whole
    ///   audit log for longer than half a second.
    package func makeMissingAuditMonths() throws -> [String] {
        try run(writes: true) { batch in
            let key = batch.add(AuditMonths.makeMonths)
            return { try $0.rows(key).map(\.value) }
        }
    }

    /// Records that the entries before the month are in a file, so that they may be dropped.
    package func recordAuditExport(before month: AuditLogMonth, entries: Int) throws {
        try change(AuditMonths.recordExport, month.firstDay, Int64(entries))
    }

    /// The dropped part of the audit log.
    package struct DroppedAuditMonth: Sendable {
        /// Number of partitions that were dropped: months, and the one for older entries.
        package var parts = 0
        /// Number of entries that were deleted one by one.
        package var entries = 0
        /// Names of partitions that were not dropped, because something else used them.
        package var partitionsInUse: [String] = []
    }

    /// Drops entries from before the month. May be interrupted at any point and run again.
    ///
    /// - Parameters:
    ///   - exportedOnly: Whether to refuse unless all of these entries have been exported.
    ///   - report: Called with the entries deleted so far.
    /// - Throws: ``OperatorRefusal``.
    package func dropAuditLog(
        before month: AuditLogMonth, exportedOnly: Bool, report: (Int) -> Void
    ) throws -> DroppedAuditMonth {
        // Each batch is small. The response waits for standbys once, after all batches are
        // committed.
        waitsForStandbys = false
        defer { waitsForStandbys = true }
        var dropped = DroppedAuditMonth()
        try BatchPacing.inBatches(of: 1) { _, reached in
            let batch = try drop(AuditMonths.dropPartition, month.firstDay, exportedOnly, reached)
            dropped.parts += Int(batch.count)
            return batch
        }
        dropped.partitionsInUse = try rows(AuditMonths.remainingPartitions, month.firstDay).map(
            \.value)
        if dropped.partitionsInUse.isEmpty {
            try BatchPacing.inBatches(of: Self.part) { size, reached in
                let batch = try drop(
                    AuditMonths.deleteEntries, month.firstDay, exportedOnly, size, reached)
                dropped.entries += Int(batch.count)
                report(dropped.entries)
                return batch
            }
        }
        awaitReplication()
        return dropped
    }

    private func drop<each Parameter>(
        _ statement: Statement<UpkeepBatch, repeat each Parameter>,
        _ values: repeat each Parameter
    ) throws -> UpkeepBatch {
        try run(writes: true) { batch in
            let key = batch.add(statement, repeat each values)
            return { try $0.row(key) }
        }
    }
}
