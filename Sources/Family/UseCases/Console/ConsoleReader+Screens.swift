package import Domain
import Postgres
package import Repositories

extension ConsoleReader {
    // MARK: Webhooks

    /// Maximum number of endpoints that are listed.
    package static let endpointLimit = 200

    /// Returns the webhook endpoints, the oldest first.
    package func endpoints() throws -> [ConsoleEndpoint] {
        try rows(ConsoleReads.endpoints, Int32(Self.endpointLimit))
    }

    /// Returns an endpoint; nil if there is none with this id.
    package func endpoint(_ id: WebhookID) throws -> ConsoleEndpoint? {
        try rows(ConsoleReads.oneEndpoint, id).first
    }

    /// Returns the events of an endpoint, the newest first.
    ///
    /// - Parameters:
    ///   - state: `pending` or `failed`; nil for all.
    ///   - before: Number of the last event on the previous page.
    package func deliveries(
        to endpoint: WebhookID, in state: String?, before: Int64?, limit: Int
    ) throws -> (events: [ConsoleDelivery], hasMore: Bool) {
        let statement =
            switch state {
            case "failed": ConsoleReads.failedDeliveries
            case "pending": ConsoleReads.pendingDeliveries
            default: ConsoleReads.deliveries
            }
        let rows = try rows(statement, endpoint, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// Returns an event of an endpoint; nil if there is none with this id.
    package func delivery(
        to endpoint: WebhookID, of event: WebhookEventID
    ) throws -> ConsoleDelivery? {
        try rows(ConsoleReads.oneDelivery, endpoint, event).first
    }

    /// Returns attempts at an endpoint, the newest first.
    ///
    /// - Parameter before: Id of the last attempt on the previous page; nil for the newest.
    package func attempts(
        at endpoint: WebhookID, before: Int64? = nil, limit: Int
    ) throws -> (attempts: [WebhookAttempt], hasMore: Bool) {
        let rows = try rows(
            ConsoleReads.webhookAttempts, endpoint, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// Returns the id of the last attempt at any endpoint; 0 if there was none.
    package func lastWebhookAttempt() throws -> Int64 {
        try rows(ConsoleReads.lastWebhookAttempt).first?.value ?? 0
    }

    /// Returns the results of the last examinations of the database.
    package func findings() throws -> [DoctorResult] { try rows(DoctorResults.latest) }

    // MARK: E-mail

    /// Returns the numbers of e-mails by kind and outcome since a time.
    package func mailOutcomes(since: Timestamp) throws -> [MailOutcome] {
        try rows(ConsoleReads.mailOutcomes, since)
    }

    /// Returns addresses that get no e-mail, or only some, the newest first.
    ///
    /// - Parameter after: Time and number of the last row on the previous page.
    package func heldOff(
        after: (since: Timestamp, number: Int64)?, limit: Int
    ) throws -> (addresses: [ConsoleHeldOff], hasMore: Bool) {
        let rows = try rows(ConsoleReads.heldOff, after?.since, after?.number, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    // MARK: The system

    /// Maximum number of issuers that are listed.
    package static let issuerLimit = 1_000

    /// The state of the system that the database knows of.
    package struct SystemState: Sendable {
        package let processes: [AdminProcess]
        package let migrations: [String]
        package let issuers: [FoundIssuer]
        /// Public keys of the API's own tokens.
        package let signingKeys: [ReportedSigningKey]
        /// Number of processes that should read from standbys, and of standbys that serve reads.
        package let readers, standbys: Int
        /// Number of processes that fail to read from at least one standby that another process
        /// reads from.
        package let apart: Int
    }

    /// Returns the state of the system, in one round trip.
    package func systemState() throws -> SystemState {
        var batch = Batch()
        let processes = batch.add(Processes.all)
        let migrations = batch.add(Faults.migrations)
        let issuers = batch.add(ConsoleReads.issuers, Int32(Self.issuerLimit))
        let keys = batch.add(Processes.signingKeys)
        let inUse = batch.add(StandbyReaders.inUse)
        let apart = batch.add(StandbyReaders.missingStandbys)
        let results = try connection.send(batch)
        let standbys = try results.row(inUse)
        return SystemState(
            processes: try results.rows(processes),
            migrations: try results.rows(migrations).map(\.value),
            issuers: try results.rows(issuers), signingKeys: try results.rows(keys),
            readers: Int(standbys.readers),
            standbys: standbys.standbys.count, apart: Int(try results.row(apart).value))
    }

    /// Returns the public keys of the API's own tokens, as its running processes have them.
    package func signingKeys() throws -> [ReportedSigningKey] { try rows(Processes.signingKeys) }
}
