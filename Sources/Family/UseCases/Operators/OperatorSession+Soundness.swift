package import Definitions
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns the names of all checks of the data, in the order in which faults are best repaired.
    package func faultChecks() throws -> [String] { try rows(Faults.checks).map(\.value) }

    /// Returns faults in the data that a check finds, at most `limit` of each kind.
    ///
    /// Each check runs in a separate transaction, so that none holds up vacuum for longer than one
    /// check takes.
    package func faults(_ check: String, limit: Int) throws -> [FoundFault] {
        try rows(Faults.find, check, Int32(limit))
    }

    /// Repairs a fault, with an audit row. Returns false if only a person can repair it.
    package func repair(_ fault: FoundFault) throws -> Bool {
        guard fault.isMendable, let family = fault.family else { return false }
        waitsForStandbys = false
        defer { waitsForStandbys = true }
        return try change(Faults.repair, fault.kind, family, fault.subject)
    }

    /// Returns stored times in the future, which only a fast clock can have written.
    ///
    /// Each table is checked in a separate transaction, so that none holds up vacuum for longer
    /// than one check takes.
    package func futureTimestamps() throws -> [FutureTimestamps] {
        try rows(Faults.timestampTables).flatMap { try rows(Faults.futureTimestamps, $0.value) }
    }

    /// Repairs the times of a column that are in the future, with an audit row. Returns false if
    /// there are none any more.
    package func mend(_ future: FutureTimestamps) throws -> Bool {
        try run(writes: true) { batch in
            let count = batch.add(Faults.repairTimestamps, future.table, future.column)
            return { try $0.row(count).value > 0 }
        }
    }

    /// Returns the number of API processes that read from standbys, the number of standbys that any
    /// of them reads from, and the number of processes that don't read from all of these standbys.
    package func readsFromStandbys() throws -> (readers: Int, standbys: Int, apart: Int) {
        guard let inUse = try rows(StandbyReaders.inUse).first else { return (0, 0, 0) }
        let apart = try rows(StandbyReaders.missingStandbys).first?.value ?? 0
        return (Int(inUse.readers), inUse.standbys.count, Int(apart))
    }

    /// Returns how many connections of the database are open, and how many it may have.
    package func connections() throws -> (used: Int, limit: Int) {
        guard let found = try rows(DatabaseStatistics.connections).first else { return (0, .max) }
        return (Int(found.used), Int(found.limit))
    }

    /// Stores the number of findings in each area, for metrics. Stores nothing on a standby. Does
    /// not wait until the commit is durable, so that no synchronous standby is needed.
    package func record(_ results: [DoctorArea: Int]) throws {
        var batch = Batch()
        batch.add(Upkeep.commitAsynchronously)
        for area in DoctorArea.allCases {
            guard let count = results[area] else { continue }
            batch.add(DoctorResults.record, area.rawValue, Int32(clamping: count))
        }
        _ = try connection.send(batch)
    }

    /// The encoding of the database; nil if it is UTF8.
    package var foreignEncoding: String? { connection.foreignEncoding }

    /// Whether every statement of the API fits the schema.
    package func schemaFits() throws -> Bool {
        try CheckReadiness.fits(connection, .after(seconds: 60))
    }

    /// Returns the issuers that the database trusts for direct clients.
    package func trustedIssuers() throws -> [FoundIssuer] { try rows(Faults.issuers) }

    /// Returns the number of characters of new codes, without their prefix.
    package func codeLength() throws -> Int {
        try rows(FamilyCodes.length).first.map { Int($0.value) } ?? 0
    }

    /// Returns the rate of wrong codes, and whether approval is required because of them.
    package func guessing() throws -> GuessingState {
        try run(writes: false) { batch in
            let state = batch.add(FamilyCodes.guessingState)
            return { try $0.row(state) }
        }
    }

    /// Returns the database's name for use in statements, quoted if necessary.
    package func databaseName() throws -> String {
        try rows(Rights.database).first?.value ?? ""
    }

    /// Compares the database's definitions with the recorded ones.
    package func definitions() throws -> DefinitionsFound {
        // Owners are compared with rights.txt, together with the rights.
        let recorded = try rows(Faults.definitions).filter {
            $0.kind != Definition.Kind.owner.rawValue
        }
        if recorded.isEmpty { return .unrecorded }
        if try rows(Faults.isRecordingUnfinished).first?.value == true { return .unfinished }
        let expected = try recorded.map { row in
            guard let kind = Definition.Kind(rawValue: row.kind) else {
                throw PostgresError(.decoding, "a recorded definition is of the kind \(row.kind)")
            }
            return Definition(kind, row.name, parent: row.place, statement: row.statement)
        }
        let schemas = expected.filter { $0.kind == .schema }.map(\.unquotedName)
        let differences = [DefinitionDifference](
            expected: expected,
            found: try Definition.all(in: schemas, of: connection).filter { $0.kind != .owner })
        let version = Int32(connection.serverVersion)
        let older = Dictionary(
            zip(expected.map(\.object), recorded.map(\.serverVersion))
        ) { first, _ in first }.filter { $0.value != version }
        return .differences(
            differences.filter { older[$0.subject.object] == nil },
            reworded: differences.filter { older[$0.subject.object] != nil })
    }

    /// Returns the database's migrations, one per line.
    package func migrations() throws -> [String] {
        try rows(Faults.migrations).map { "migration \($0.value)" }
    }

    /// Returns the database's roles and rights, one per line.
    package func rights() throws -> [String] { try rows(Rights.list).map(\.value) }

    /// Returns the partitions of Hearth's tables.
    package func partitions() throws -> [FoundPartition] { try rows(Partitions.all) }

    /// Returns owners, row-level security and grants of partitions, in lines like those of
    /// ``rights()``.
    package func rightsOfPartitions() throws -> [FoundPartitionRight] {
        try rows(Partitions.rights)
    }

    /// Returns the definitions that partitions should have, and those that they have.
    package func definitions(
        ofPartitions names: [String]
    ) throws -> (expected: [Definition], found: [Definition]) {
        try Definition.ofPartitions(names, of: connection)
    }
}

extension FoundFault {
    /// Identity of a fault, equal for the same fault found at different times.
    package var identity: [String] { [kind, "\(family, default: "")", "\(subject, default: "")"] }
}

/// The result of comparing the database with the recorded definitions.
package enum DefinitionsFound: Sendable, Equatable {
    /// The database has no recorded definitions.
    case unrecorded
    /// A run of hearth-migrate was interrupted before it recorded its changes.
    case unfinished
    /// The differences. Those that another version of the server recorded are separate, because the
    /// two versions may only print the same definition differently.
    case differences([DefinitionDifference], reworded: [DefinitionDifference])
}
