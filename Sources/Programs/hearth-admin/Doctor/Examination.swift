import Definitions
import Identity
import Repositories
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// The findings so far.
struct Examination {
    private(set) var findings: [Finding] = []
    private let session: OperatorSession
    private let progress: ProgressLine

    /// Faults of each kind that are looked at in one go.
    private static let portion = 500

    init(_ session: OperatorSession, _ progress: ProgressLine) {
        self.session = session
        self.progress = progress
    }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Roles, owners, grants and what objects are made of; migrations first.
    mutating func lookAtRights(_ path: String) throws {
        let expected: String
        do {
            expected = try TextFile.read(path, limitBytes: 4 << 20)
        } catch {
            add(.rightsUnchecked("\(path): \(error)"))
            return
        }
        let found = try session.rights()
        let migrations = MigrationsComparison(expected: expected, found: found)
        guard migrations.isList else {
            add(.rightsUnchecked("\(path) names no migrations, so it is not a list of rights"))
            return
        }
        for name in migrations.missing { add(.missing(migration: name)) }
        for name in migrations.unknown { add(.unknown(migration: name)) }
        guard migrations.isSame else { return }
        let definitions = try session.definitions()
        try compare(expected, found, definitions)
    }

    private mutating func compare(
        _ expected: String, _ found: [String], _ definitions: DefinitionsFound
    ) throws {
        let remedies = RightsRemedies(found: found, database: try session.databaseName())
        let comparison = RightsComparison(expected: expected, found: found)
        // REVOKE statements come before GRANT statements, because REVOKE on a whole table also
        // removes the grants on its columns.
        for change in comparison.changes {
            add(.changed(change, remedy: remedies.remedy(change)))
        }
        var differences: [DefinitionDifference] = []
        switch definitions {
        case .unrecorded: add(.definitionsUnrecorded)
        case .unfinished: add(.recordingUnfinished)
        case .differences(let told, let reworded):
            differences = told
            if !reworded.isEmpty { add(.reworded(reworded.map(\.subject.object))) }
        }
        let anew = DefinitionRemedies(
            remedies, expected: RightsComparison.lines(of: expected), found: found)
        for difference in differences { add(anew.finding(difference)) }
        let implied = DefinitionRemedies.lines(
            comparison.surplus + comparison.missing, impliedBy: differences)
        for line in comparison.surplus where !implied.contains(line) {
            let lost = comparison.columnGrantLost(byRevoking: line)
            let remedy = remedies.remedy(surplus: line, restoring: lost)
            add(Finding(kind: "right_surplus", message: line, remedy: remedy))
        }
        for line in comparison.missing where !implied.contains(line) {
            let remedy = remedies.remedy(missing: line)
            add(Finding(kind: "right_missing", message: line, remedy: remedy))
        }
    }

    /// Whether the database trusts the same issuers as the API, as far as the settings tell.
    mutating func lookAtIssuers(_ values: Values, mends: Bool) throws {
        guard let wanted = try values.wantedIssuers() else { return }
        let trusted = try session.trustedIssuers().map { ApplyIssuers.TrustedIssuer($0) }
        let comparable = trusted.filter { wanted.origins.contains($0.origin) }
        if Set(comparable) == Set(wanted.issuers) { return }
        if mends {
            let apply = ApplyIssuers(session.connection, operatorName: session.operatorName)
            _ = try apply(wanted.issuers, replacing: wanted.origins)
        }
        add(
            Finding(
                kind: "issuers_not_applied",
                message: "the database trusts other issuers than the settings name",
                remedy: "hearth-admin issuers apply", isMended: mends))
    }

    /// Whether the database knows the settings about codes, as far as they are given, and whether
    /// somebody is guessing codes.
    mutating func lookAtCodes(_ values: Values) throws {
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

    /// Dead or stuck jobs, and missing workers.
    mutating func lookAtJobs() throws {
        for fault in try session.queueFaults() { add(Finding(fault)) }
    }

    /// Months of the audit trail that the worker should have made a part for.
    mutating func lookAtTrail(mends: Bool) throws {
        let missing = try session.missingTrailMonths()
        if missing.isEmpty { return }
        let made = mends ? try session.makeMissingTrailMonths() : []
        for month in missing { add(.missing(trailMonth: month, isMended: made.contains(month))) }
    }

    /// Standbys that reads should go to, and don't.
    mutating func lookAtStandbys() throws {
        let (readers, standbys, apart) = try session.readsFromStandbys()
        if readers > 0, standbys == 0 { add(.standbysAway(readers)) }
        if apart > 0 { add(.standbysApart(apart, of: readers)) }
    }

    /// Endpoints of webhooks that get nothing, or not everything.
    mutating func lookAtWebhooks(_ values: Values) throws {
        let setting = HearthSettings.secretKeys.orNone
        let secrets = try values.settings([setting])[setting]
        let keys = try secrets.flatMap { secrets in
            try WebhookKeys(secrets.map { Array($0.reveal().utf8) })
        }
        for webhook in try session.webhooks() {
            for finding in try Finding.all(of: webhook, keys) { add(finding) }
        }
    }

    /// Faults in the data, repaired repeatedly until nothing more can be repaired.
    mutating func lookAtData(mends: Bool) throws {
        var tried: Set<[String]> = []
        var faults = try faults()
        while mends {
            let due = faults.filter { $0.isMendable && !tried.contains($0.identity) }
            if due.isEmpty { break }
            for fault in due {
                tried.insert(fault.identity)
                let isMended = try session.repair(fault)
                if isMended { add(Finding(fault, isMended: true)) }
                progress.show("mended \(findings.count)")
            }
            faults = try self.faults()
        }
        for fault in faults { add(Finding(fault, isMended: false)) }
    }

    private func faults() throws -> [FoundFault] {
        try session.faults(limit: Self.portion) { progress.show("families: \($0)") }
    }
}

extension ApplyIssuers.TrustedIssuer {
    fileprivate init(_ found: FoundIssuer) {
        self.init(
            name: found.name, kind: found.kind, isPrimary: found.isPrimary,
            confirmsEmails: found.confirmsEmails, audiences: found.audiences,
            tokenUse: found.tokenUse)
    }
}
