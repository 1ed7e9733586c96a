import Identity
import Repositories
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// An examination of the database, with its findings so far.
struct DoctorRun {
    private(set) var findings: [Finding] = []
    /// Number of findings that were not repaired, by area, for metrics.
    private var results: [DoctorArea: Int] = [:]
    let session: OperatorSession
    private let progress: ProgressLine

    init(_ session: OperatorSession, _ progress: ProgressLine) {
        self.session = session
        self.progress = progress
    }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Runs one part of the examination. If the database refuses its statements, adds a finding
    /// with each reason once, and the other parts continue.
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
            guard let reason = DatabaseFailure.refusal(in: error) else { throw error }
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
    ///   then the earlier result stays.
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
    mutating func checkIssuers(_ values: Values, repairs: Bool) throws -> Bool {
        guard let wanted = try values.configuredIssuers() else { return false }
        let trusted = try session.trustedIssuers().map { ApplyIssuers.TrustedIssuer($0) }
        let comparable = trusted.filter { wanted.origins.contains($0.origin) }
        if Set(comparable) == Set(wanted.issuers) { return true }
        let isRepaired =
            try repairs
            && examine("issuers") { examination in
                let session = examination.session
                let apply = ApplyIssuers(session.connection, operatorName: session.operatorName)
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
    mutating func checkCodes(_ values: Values) throws {
        let (length, rate) = (
            HearthSettings.codeLength.orNone, HearthSettings.wrongCodesPerMinute.orNone
        )
        let wanted = try values.settings([length, rate])
        let state = try session.guessing()
        for (setting, found) in [(length, try session.codeLength()), (rate, state.rate)] {
            guard let wanted = wanted[setting], wanted != found else { continue }
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
    mutating func checkWebhooks(_ values: Values) throws {
        let setting = HearthSettings.secretKeys.orNone
        let secrets = try values.settings([setting])[setting]
        let keys = try secrets.flatMap { secrets in
            try WebhookKeys(secrets.map { Array($0.reveal().utf8) })
        }
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

    /// Finds faults in the data, and repairs them repeatedly until nothing more can be repaired.
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
                progress.show("repaired \(findings.count)")
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
            progress.show("families: \(check)")
            do {
                faults += try session.faults(check, limit: DoctorResults.limit)
            } catch {
                guard let reason = DatabaseFailure.refusal(in: error) else { throw error }
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

extension ApplyIssuers.TrustedIssuer {
    fileprivate init(_ found: FoundIssuer) {
        self.init(
            name: found.name, kind: found.kind, isPrimary: found.isPrimary,
            confirmsEmails: found.confirmsEmails, audiences: found.audiences,
            tokenUse: found.tokenUse, linksAddresses: found.linksAddresses)
    }
}
