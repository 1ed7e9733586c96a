package import Domain
package import Postgres
package import Repositories

/// Reads of the console, and of the audit log at the command line, on one connection. Confined to
/// one thread, like its connection.
///
/// The views mask data according to the connection's database role: `hearth_viewer` sees no
/// payload, no full address and no child's name.
package struct ConsoleReader: ~Copyable {
    let connection: Connection

    package init(on connection: Connection) { self.connection = connection }

    /// Maximum number of rows that a search finds.
    package static let searchLimit = 50
    /// Maximum numbers of memberships, guardianships and reasons that stop e-mail, on the page of a
    /// person.
    package static let (membershipLimit, guardianshipLimit, mailStateLimit) = (200, 200, 50)
    /// Maximum number of a family's members that are read. Present and waiting members are fewer,
    /// so that only former members are left out.
    package static let memberLimit = 500

    // MARK: People

    /// Returns people, newest first.
    package func people(_ page: OperatorPageRequest) throws -> OperatorPage<ConsolePerson> {
        let rows = try rows(
            ConsoleReads.people, page.start?.at, page.id(User.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.user.createdAt, $0.user.id) }
    }

    /// Returns the operators who have an address, or sign in with it. Requires `hearth_admin`.
    package func operators(with email: EmailAddress) throws -> [UserID] {
        try rows(ConsoleReads.operatorsOfAddress, email.text).map(\.value)
    }

    /// Returns people with this address; if there are none, people whose name or address begins
    /// with the text.
    package func people(called text: String) throws -> [ConsolePerson] {
        try rows(ConsoleReads.peopleFound, text, Int32(Self.searchLimit))
    }

    /// Returns a person; nil if there is none with this id.
    package func person(_ id: UserID) throws -> ConsolePerson? {
        try rows(ConsoleReads.onePerson, id).first
    }

    /// The data on the page of a person.
    package struct PersonDetails: Sendable {
        /// The memberships, former ones last, at most ``membershipLimit``.
        package let memberships: [ConsoleMember]
        package let sessions: [ListedSession]
        /// The latest events of the log of sign-ins.
        package let signIns: [SignInEvent]
        /// The addresses to which a code is mailed that signs the person in, at most
        /// ``mailStateLimit``.
        package let signInAddresses: [String]
        package let limits: [AdminLimit]
        package let passkeys: [AdminPasskey]
        /// Reasons why the address gets no e-mail, or only some, at most ``mailStateLimit``.
        package let mailState: [HeldOffAddress]
        /// The latest e-mails to the account.
        package let mails: [ConsoleMail]
        /// The latest consents that the person has given, and those given for the person.
        package let consents: [ConsoleConsent]
        /// The children whose guardian the person is, at most ``guardianshipLimit``; a child's own
        /// guardians, the primary one first.
        package let guardianships: [ConsoleGuardianship]
        /// The latest open invitations to the person's address, or to a child to have an account.
        package let invitations: [AdminInvitation]
    }

    /// Returns the data for the page of a person, in one round trip.
    ///
    /// - Parameters:
    ///   - signIns: Maximum number of events of the log of sign-ins.
    ///   - mails: Maximum number of e-mails.
    ///   - consents: Maximum number of consents.
    ///   - invitations: Maximum number of invitations.
    package func details(
        of id: UserID, signIns: Int, mails: Int, consents: Int, invitations: Int
    ) throws -> PersonDetails {
        var batch = Batch()
        let memberships = batch.add(ConsoleReads.memberships, id, Int32(Self.membershipLimit))
        let sessions = batch.add(ConsoleReads.sessions, id)
        let events = batch.add(ConsoleReads.signIns, id, nil, nil, Int32(signIns))
        let addresses = batch.add(
            ConsoleReads.signInAddresses, id, Int32(Self.mailStateLimit))
        let limits = batch.add(AdminLimits.ofUser, id)
        let passkeys = batch.add(ConsoleReads.passkeys, id)
        let mailState = batch.add(ConsoleReads.mailState, id, Int32(Self.mailStateLimit))
        let sent = batch.add(ConsoleReads.mails, id, Int32(mails))
        let given = batch.add(ConsoleReads.consents, id, Int32(consents))
        let guardianships = batch.add(
            ConsoleReads.guardianships, id, Int32(Self.guardianshipLimit))
        let invited = batch.add(ConsoleReads.invitationsOfPerson, id, Int32(invitations))
        let results = try connection.send(batch)
        return PersonDetails(
            memberships: try results.rows(memberships), sessions: try results.rows(sessions),
            signIns: try results.rows(events),
            signInAddresses: try results.rows(addresses).map(\.value),
            limits: try results.rows(limits),
            passkeys: try results.rows(passkeys), mailState: try results.rows(mailState),
            mails: try results.rows(sent), consents: try results.rows(given),
            guardianships: try results.rows(guardianships),
            invitations: try results.rows(invited))
    }

    /// Returns children who would have no guardian without an account, for whose sake its erasure
    /// is refused. Only admins may read them.
    package func soleGuardianships(
        of id: UserID, limit: Int
    ) throws -> [ConsoleSoleGuardianship] {
        try rows(ConsoleReads.soleGuardianships, id, Int32(limit))
    }

    /// Returns a person's log of sign-ins, newest first.
    package func signIns(
        of id: UserID, _ page: OperatorPageRequest
    ) throws -> OperatorPage<SignInEvent> {
        let rows = try rows(
            ConsoleReads.signIns, id, page.start?.at, page.id(SignInOccurrence.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.at, $0.id) }
    }

    /// Returns an account's passkeys, oldest first.
    package func passkeys(of id: UserID) throws -> [AdminPasskey] {
        try rows(ConsoleReads.passkeys, id)
    }

    /// Returns a person's sessions that have not ended.
    package func sessions(of id: UserID) throws -> [ListedSession] {
        try rows(ConsoleReads.sessions, id)
    }

    /// Returns the kinds of those among some people whose data was erased, in one round trip.
    package func erased(among people: Set<UserID>) throws -> [UserID: UserKind] {
        if people.isEmpty { return [:] }
        var batch = Batch()
        let keys = people.map { batch.add(ConsoleReads.onePerson, $0) }
        let results = try connection.send(batch)
        var kinds: [UserID: UserKind] = [:]
        for key in keys {
            for person in try results.rows(key) where person.user.erasedAt != nil {
                kinds[person.user.id] = person.user.kind
            }
        }
        return kinds
    }

    // MARK: Families

    /// A list of families.
    package enum FamilyList: String, Sendable, CaseIterable {
        case newest, oldest, name
        /// Families in which somebody waits for approval.
        case waiting
    }

    /// Returns a page of a list of families.
    ///
    /// - Parameter cursor: The previous page's cursor; nil for the beginning.
    package func families(
        _ list: FamilyList, after cursor: String?, limit: Int
    ) throws -> OperatorPage<AdminFamily> {
        if list == .name { return try familiesByName(after: cursor, limit: limit) }
        let page = try OperatorPageRequest(cursor: cursor, limit: limit)
        let (at, id) = (page.start?.at, page.id(Family.self))
        let families =
            switch list {
            case .oldest: try rows(ConsoleReads.familiesOldest, at, id, page.count)
            case .waiting: try rows(ConsoleReads.familiesWaiting, id, page.count)
            case .newest, .name: try rows(ConsoleReads.families, at, id, page.count)
            }
        return OperatorPage(families, limit: limit) { PageCursor($0.createdAt, $0.id) }
    }

    private func familiesByName(
        after cursor: String?, limit: Int
    ) throws -> OperatorPage<AdminFamily> {
        let start = try cursor.map { (text: String) throws -> FamilyNameCursor in
            guard let start = FamilyNameCursor(text) else { throw OperatorRefusal.invalidCursor }
            return start
        }
        let families = try rows(
            ConsoleReads.familiesByName, start?.name, start?.id, Int32(limit + 1))
        return OperatorPage(rows: families, limit: limit) {
            FamilyNameCursor(name: $0.name, id: $0.id).text
        }
    }

    /// Returns the approximate numbers of people, children included, and of families; 0 if they are
    /// unknown.
    package func estimates() throws -> (people: Int64, families: Int64) {
        let counts = try rows(ConsoleReads.estimates).first?.values
        return (counts?.0 ?? 0, counts?.1 ?? 0)
    }

    /// Returns the family with this code, and families whose name begins with the text.
    package func families(called text: String) throws -> [AdminFamily] {
        try rows(
            ConsoleReads.familiesFound, text, FamilyCode(text)?.text, Int32(Self.searchLimit))
    }

    /// Returns a family; nil if there is none with this id.
    package func family(_ id: FamilyID) throws -> AdminFamily? {
        try rows(ConsoleReads.oneFamily, id).first
    }

    /// The data on the page of a family.
    package struct FamilyDetails: Sendable {
        /// Active, waiting and former members, at most ``memberLimit``.
        package let members: [ConsoleMember]
        /// The latest invitations.
        package let invitations: [AdminInvitation]
        package let guardians: [ConsoleGuardians]
    }

    /// Returns the data for the page of a family, in one round trip.
    package func details(of family: FamilyID, invitations: Int) throws -> FamilyDetails {
        var batch = Batch()
        let members = batch.add(ConsoleReads.members, family, Int32(Self.memberLimit))
        let sent = batch.add(ConsoleReads.invitations, family, nil, nil, Int32(invitations))
        let guardians = batch.add(ConsoleReads.guardians, family)
        let results = try connection.send(batch)
        return FamilyDetails(
            members: try results.rows(members), invitations: try results.rows(sent),
            guardians: try results.rows(guardians))
    }

    /// Returns a family's invitations, newest first.
    package func invitations(
        of family: FamilyID, _ page: OperatorPageRequest
    ) throws -> OperatorPage<AdminInvitation> {
        let rows = try rows(
            ConsoleReads.invitations, family, page.start?.at, page.id(Invitation.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.createdAt, $0.id) }
    }

    /// Returns a membership; nil if there is none with this id.
    package func member(_ id: MemberID) throws -> ConsoleMember? {
        try rows(ConsoleReads.oneMember, id).first
    }

    /// Returns the guardians of a child, the primary one first. Viewers may not read them.
    package func guardians(of child: MemberID) throws -> [AdminMember] {
        try rows(AdminMembers.guardians, child)
    }

    /// Returns an invitation; nil if there is none with this id.
    package func invitation(_ id: InvitationID) throws -> AdminInvitation? {
        try rows(ConsoleReads.oneInvitation, id).first
    }

    /// Returns the operators to whose address invitations go, by invitation.
    package func operators(
        invitedBy invitations: [AdminInvitation]
    ) throws -> [InvitationID: [UserID]] {
        let found = try rows(ConsoleReads.invitedOperators, invitations.map(\.id.rawValue))
        return Dictionary(grouping: found, by: \.invitation).mapValues { $0.map(\.account) }
    }

    /// Returns the open invitations to an address, newest first.
    package func invitations(to address: String) throws -> [AdminInvitation] {
        try rows(ConsoleReads.invitationsFound, address, Int32(Self.searchLimit))
    }

    /// The data about e-mail to an address.
    package struct AddressMail: Sendable {
        /// Reasons why the address gets no e-mail, or only some, at most ``mailStateLimit``.
        package let state: [HeldOffAddress]
        /// The latest codes and links that were mailed to it while it belonged to no account.
        package let mails: [ConsoleMail]
    }

    /// Returns the data about e-mail to an address, in one round trip.
    ///
    /// - Parameter limit: Maximum number of e-mails.
    package func mail(to address: EmailAddress, limit: Int) throws -> AddressMail {
        var batch = Batch()
        let state = batch.add(
            ConsoleReads.mailStateOfAddress, address.text, Int32(Self.mailStateLimit))
        let mails = batch.add(ConsoleReads.mailsToAddress, address.text, Int32(limit))
        let results = try connection.send(batch)
        return AddressMail(state: try results.rows(state), mails: try results.rows(mails))
    }

    // MARK: The audit log

    /// Filter of the audit log. A field that is nil matches every entry.
    package struct AuditFilter: Sendable {
        package var family: FamilyID?
        package var user: UserID?
        /// Label of the actor, such as `operator:jo`.
        package var label: String?
        package var action: String?
        package var from, until: Timestamp?
        /// Id of the request that made the change.
        package var request: String?

        package init() {}
    }

    /// Returns entries of the audit log, newest first.
    package func audit(
        _ filter: AuditFilter, _ page: OperatorPageRequest
    ) throws -> OperatorPage<NamedAuditEntry> {
        let statement =
            if filter.request != nil || filter.family != nil {
                ConsoleReads.audit
            } else if filter.user != nil {
                ConsoleReads.auditOfPerson
            } else if filter.label != nil {
                ConsoleReads.auditOfLabel
            } else {
                ConsoleReads.audit
            }
        let rows = try rows(
            statement, filter.family, filter.user, filter.label, filter.action,
            page.start?.at, page.id(AuditRecord.self), page.count, filter.from, filter.until,
            filter.request)
        return OperatorPage(rows, limit: page.limit) {
            PageCursor($0.entry.entry.at, $0.entry.entry.id)
        }
    }

    /// Returns whether the audit log has entries of the request with this id.
    package func isRequest(_ id: String) throws -> Bool {
        try rows(ConsoleReads.isRequest, id).contains { $0.value }
    }

    // MARK: Jobs

    /// Filter of a list of jobs. A field that is nil matches every job.
    package struct JobFilter: Sendable {
        package var queue, state, kind: String?
        package var family: FamilyID?
        /// The beginning of the last error.
        package var error: String?

        package init() {}
    }

    /// Returns jobs, the newest first.
    ///
    /// - Parameter before: Id of the last job on the previous page.
    package func jobs(
        _ filter: JobFilter, before: Int64?, limit: Int
    ) throws -> (jobs: [AdminJob], hasMore: Bool) {
        let rows = try rows(
            ConsoleReads.jobs, filter.queue, filter.state, filter.kind, filter.family,
            filter.error, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// A job with its failed attempts. The payload of a finished job is no longer stored.
    package enum FoundJob: Sendable {
        case live(AdminJob, [JobAttempt])
        case finished(FinishedJob, [JobAttempt])
    }

    /// Returns a job in any state; nil if there is none.
    package func job(_ id: Int64, attempts: Int) throws -> FoundJob? {
        let failures = try rows(AdminJobs.attempts, id, Int32(attempts))
        if let job = try rows(ConsoleReads.oneJob, id).first { return .live(job, failures) }
        return try rows(AdminJobs.finished, id).first.map { .finished($0, failures) }
    }

    /// The data on the page of all jobs.
    package struct JobOverview: Sendable {
        package let queues: [AdminQueue]
        package let deadGroups: [DeadJobGroup]
        package let schedules: [AdminSchedule]
        package let workers: [AdminWorker]

        /// The number of jobs in each state, added over the queues.
        package var states: [(state: String, count: Int)] {
            [
                ("ready", queues.reduce(0) { $0 + $1.ready }),
                ("running", queues.reduce(0) { $0 + $1.running }),
                ("dead", queues.reduce(0) { $0 + $1.dead }),
            ]
        }
    }

    /// Returns the data for the page of all jobs, in one round trip.
    package func jobOverview(groups limit: Int) throws -> JobOverview {
        var batch = Batch()
        let queues = batch.add(AdminJobs.queues)
        let groups = batch.add(AdminJobs.deadGroups, Int32(limit))
        let schedules = batch.add(AdminJobs.schedules)
        let workers = batch.add(ConsoleReads.workers)
        let results = try connection.send(batch)
        return JobOverview(
            queues: try results.rows(queues), deadGroups: try results.rows(groups),
            schedules: try results.rows(schedules),
            workers: try results.rows(workers))
    }

    /// Returns a queue that is paused or in which no job succeeds; nil if it works. Of its numbers,
    /// only that of the jobs that wait in a paused queue is counted.
    package func troubledQueue(_ name: String) throws -> AdminQueue? {
        try rows(ConsoleReads.troubledQueue, name).first
    }

    // MARK: Overview

    /// Data for the processes and the problems on the first page, except problems with jobs.
    package struct Troubles: Sendable {
        package let findings: [DoctorResult]
        package let webhooks: [ConsoleWebhookFault]
        package let processes: [AdminProcess]
        /// Number of processes that should read from standbys, and of standbys that serve reads.
        package let readers, standbys: Int
        /// Number of processes that don't read from every standby that others read from.
        package let apart: Int
    }

    /// Returns the data for current problems, in one round trip.
    package func troubles(limit: Int) throws -> Troubles {
        var batch = Batch()
        let findings = batch.add(DoctorResults.latest)
        let webhooks = batch.add(ConsoleReads.webhookFaults, Int32(limit))
        let processes = batch.add(Processes.all)
        let inUse = batch.add(StandbyReaders.inUse)
        let apart = batch.add(StandbyReaders.missingStandbys)
        let results = try connection.send(batch)
        let standbys = try results.row(inUse)
        return Troubles(
            findings: try results.rows(findings), webhooks: try results.rows(webhooks),
            processes: try results.rows(processes), readers: Int(standbys.readers),
            standbys: standbys.standbys.count, apart: Int(try results.row(apart).value))
    }

    /// Returns the points of all plots since a time, in steps such as `1 hour`.
    package func points(since: Timestamp, step: String) throws -> [ConsolePoint] {
        var batch = Batch()
        let growth = batch.add(ConsoleReads.growth, since, step)
        let counters = batch.add(ConsoleReads.counters, since, step)
        let results = try connection.send(batch)
        return try results.rows(growth) + results.rows(counters)
    }

    func rows<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws -> [Row] {
        var batch = Batch()
        let key = batch.add(statement, repeat each values)
        return try connection.send(batch).rows(key)
    }
}
