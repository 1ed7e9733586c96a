import FamilySettings
import Repositories
package import UseCases

/// Expected values that the database is compared with. A value that is nil is not examined.
package struct DoctorExpectations: Sendable {
    /// Path of the release's list of roles and rights, `sql/rights.txt`.
    package let rightsFile: String
    package let issuers: ConfiguredIssuers?
    package let codeLength: Int?
    package let wrongCodesPerMinute: Int?
    /// The keys of HEARTH_SECRET_KEY, from which secrets of webhooks are derived.
    package let webhookKeys: WebhookKeys?

    package init(
        rightsFile: String, issuers: ConfiguredIssuers?, codeLength: Int?,
        wrongCodesPerMinute: Int?, webhookKeys: WebhookKeys?
    ) {
        self.rightsFile = rightsFile
        self.issuers = issuers
        self.codeLength = codeLength
        self.wrongCodesPerMinute = wrongCodesPerMinute
        self.webhookKeys = webhookKeys
    }
}

/// An examination of the database, with its findings so far.
package struct DoctorRun {
    /// The parts of an examination that a program shows while it runs.
    package enum Progress: Sendable {
        /// A part begins.
        case begins(String)
        case found(Finding)
    }

    package private(set) var findings: [Finding] = []
    /// Number of findings that were not repaired, by area, for metrics.
    private var results: [DoctorArea: Int] = [:]
    let session: OperatorSession
    private let report: (Progress) -> Void

    /// - Parameter report: Called as each part begins, and for each finding.
    package init(_ session: OperatorSession, report: @escaping (Progress) -> Void) {
        self.session = session
        self.report = report
    }

    /// Examines everything, and stores the number of findings in each area.
    ///
    /// - Parameter repairs: Whether to repair what can be repaired.
    package mutating func examineAll(_ expected: DoctorExpectations, repairs: Bool) throws {
        report(.begins("schema and rights"))
        try count(.rights) { try $0.checkRights(expected.rightsFile) }
        try examine("schema", .schema) { try $0.checkSchema() }
        report(.begins("issuers"))
        try count(.issuers) {
            try $0.examine("issuers") { try $0.checkIssuers(expected.issuers, repairs: repairs) }
        }
        try examine("codes") { try $0.checkCodes(expected) }
        report(.begins("jobs"))
        try examine("jobs") { try $0.checkJobs() }
        try examine("webhooks") { try $0.checkWebhooks(expected.webhookKeys) }
        try examine("standbys") { try $0.checkStandbys() }
        try examine("connections") { try $0.checkConnections() }
        try examine("audit log", .auditLog) { try $0.checkAuditLog(repairs: repairs) }
        report(.begins("addresses"))
        try examine("addresses", .addresses) { try $0.checkDomains(repairs: repairs) }
        report(.begins("timestamps"))
        try examine("timestamps", .timestamps) { try $0.checkTimestamps(repairs: repairs) }
        report(.begins("families"))
        try examine("data", .data) { try $0.checkData(repairs: repairs) }
        try examine("results") { try $0.storeResults() }
    }

    mutating func add(_ finding: Finding) {
        findings.append(finding)
        report(.found(finding))
    }

    /// Runs one part of the examination. If the database refuses its statements, adds one finding
    /// for each reason, and the other parts continue.
    ///
    /// - Returns: Nil if the database refused.
    /// - Throws: An error that ends every part, such as a lost connection.
    @discardableResult
    mutating func examine<Value>(
        _ area: String, _ body: (inout DoctorRun) throws -> Value
    ) throws -> Value? {
        do {
            return try body(&self)
        } catch {
            guard let reason = RefusedExamination.reason(in: error) else { throw error }
            let isKnown = findings.contains {
                $0.kind == Finding.unchecked && $0.message == "\(area): \(reason)"
            }
            if !isKnown { add(.unchecked(area, reason)) }
            return nil
        }
    }

    /// Runs one part of the examination like ``examine(_:_:)``, and counts its findings for
    /// metrics.
    mutating func examine(
        _ name: String, _ area: DoctorArea, _ body: (inout DoctorRun) throws -> Void
    ) throws {
        try count(area) {
            try $0.examine(name) { try body(&$0) }
            return true
        }
    }

    /// Runs the examination of an area, and counts its findings for metrics.
    ///
    /// - Parameter body: Returns false if the area was not examined, for lack of a setting or file;
    ///   then the stored result of the previous run stays.
    mutating func count(
        _ area: DoctorArea, _ body: (inout DoctorRun) throws -> Bool?
    ) rethrows {
        let before = findings.count
        if try body(&self) == false { return }
        results[area] = findings[before...].count { !$0.isRepaired }
    }

    /// Stores the results, which metrics show.
    func storeResults() throws { try session.record(results) }

    /// Checks whether every statement of the API fits the schema.
    mutating func checkSchema() throws {
        if let encoding = session.foreignEncoding { add(.foreign(encoding: encoding)) }
        if try !session.schemaFits() { add(.schemaUnfit) }
    }

    /// Checks whether the database trusts the same issuers as the API, as far as the settings show.
    ///
    /// - Returns: Whether the settings name issuers.
    mutating func checkIssuers(_ wanted: ConfiguredIssuers?, repairs: Bool) throws -> Bool {
        guard let wanted else { return false }
        if wanted.isApplied(among: try session.trustedIssuers()) { return true }
        let isRepaired =
            try repairs
            && examine("issuers") { examination in
                let session = examination.session
                let apply = ApplyIssuers(session.connection, as: session.identity)
                _ = try apply(wanted.issuers, replacing: wanted.origins)
                return true
            } == true
        add(
            Finding(
                kind: "issuers_not_applied",
                message: "the database trusts other issuers than those in the settings",
                remedy: "hearth-admin issuers apply", isRepaired: isRepaired))
        return true
    }

    /// Checks whether the database has the current settings for codes, where they are set, and
    /// whether somebody is guessing codes.
    mutating func checkCodes(_ expected: DoctorExpectations) throws {
        let state = try session.guessing()
        for (setting, wanted, found) in [
            (HearthSettings.codeLength, expected.codeLength, try session.codeLength()),
            (HearthSettings.wrongCodesPerMinute, expected.wrongCodesPerMinute, state.rate),
        ] {
            guard let wanted, wanted != found else { continue }
            add(.notApplied(setting.declaration.name, wanted: wanted, found: found))
        }
        if state.isApprovalAutomatic { add(.automaticApproval(state)) }
    }

    /// Finds dead or stuck jobs, and missing workers.
    mutating func checkJobs() throws {
        for fault in try session.queueFaults() { add(Finding(fault)) }
    }

    /// Finds months of the audit log for which the worker should have created a partition.
    mutating func checkAuditLog(repairs: Bool) throws {
        let missing = try session.missingAuditMonths()
        if missing.isEmpty { return }
        let made =
            try repairs
            ? examine("audit log") { try $0.session.makeMissingAuditMonths() } ?? [] : []
        for month in missing { add(.missing(auditMonth: month, isRepaired: made.contains(month))) }
    }

    /// Finds timestamps in the future that a fast clock has stored.
    mutating func checkTimestamps(repairs: Bool) throws {
        for future in try session.futureTimestamps() {
            let isRepaired =
                try repairs && examine("timestamps") { try $0.session.mend(future) } == true
            add(Finding(future, isRepaired: isRepaired))
        }
    }

    /// Finds webhook endpoints that receive no events, or not all.
    mutating func checkWebhooks(_ keys: WebhookKeys?) throws {
        for webhook in try session.webhooks() {
            for finding in try Finding.all(of: webhook, keys) { add(finding) }
        }
    }

    /// Finds domains of stored addresses that can't be compared with others.
    mutating func checkDomains(repairs: Bool) throws {
        let domains = try session.unknownDomains(limit: DoctorResults.limit)
        if domains.isEmpty { return }
        let isRepaired =
            try repairs
            && examine("addresses") { examination in
                try examination.session.storeLabels(of: domains)
                return true
            } == true
        add(.unknown(domains: domains.map(\.spelling), isRepaired: isRepaired))
    }

    /// Finds faults in the data. If `repairs` is true, tries to repair each fault once, and
    /// searches again until it finds no new one that can be repaired.
    mutating func checkData(repairs: Bool) throws {
        let checks = try session.faultChecks()
        var tried: Set<[String]> = []
        var (faults, refusals) = try self.faults(checks)
        while repairs {
            let due = faults.filter { $0.isMendable && !tried.contains($0.identity) }
            if due.isEmpty { break }
            for fault in due {
                tried.insert(fault.identity)
                if try examine("data", { try $0.session.repair(fault) }) == true {
                    add(Finding(fault, isRepaired: true))
                }
                report(.begins("repaired \(findings.count)"))
            }
            (faults, refusals) = try self.faults(checks)
        }
        for fault in faults { add(Finding(fault, isRepaired: false)) }
        for (reason, checks) in refusals {
            add(.unchecked("data (\(checks.joined(separator: ", ")))", reason))
        }
    }

    /// Returns the faults that the checks find, and each reason for which the database refuses
    /// checks.
    private func faults(
        _ checks: [String]
    ) throws -> (faults: [FoundFault], refusals: [(reason: String, checks: [String])]) {
        var faults: [FoundFault] = []
        var refusals: [(reason: String, checks: [String])] = []
        for check in checks {
            report(.begins("families: \(check)"))
            do {
                faults += try session.faults(check, limit: DoctorResults.limit)
            } catch {
                guard let reason = RefusedExamination.reason(in: error) else { throw error }
                if let index = refusals.firstIndex(where: { $0.reason == reason }) {
                    refusals[index].checks.append(check)
                } else {
                    refusals.append((reason, [check]))
                }
            }
        }
        return (faults, refusals)
    }
}
