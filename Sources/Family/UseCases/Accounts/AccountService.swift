package import Domain
import Jobs
import Policy
import Postgres
import Repositories

/// The use cases of an account as a whole: exporting the data stored about it, and erasing it.
package struct AccountService: Sendable {
    private let database: Database
    private let codes: DeletionCodes

    package init(_ database: Database, _ codes: DeletionCodes) {
        self.database = database
        self.codes = codes
    }

    /// Members who take over the roles of an account that is erased.
    package struct Successors: Sendable {
        /// New guardians of children who have no other, at most one for each family.
        package var guardians: [MemberID]
        /// New holders of the seats that the account holds, at most one for each family.
        package var admins: [MemberID]
        /// Whether children who get no new guardian are erased as well.
        package var erasesChildren: Bool

        package init(
            guardians: [MemberID] = [], admins: [MemberID] = [], erasesChildren: Bool = false
        ) {
            self.guardians = guardians
            self.admins = admins
            self.erasesChildren = erasesChildren
        }
    }

    /// Erases the caller's account: all data that identify the person, and every sign-in and
    /// membership.
    ///
    /// Repeating the request with the same token succeeds as well, because the account is already
    /// erased.
    ///
    /// - Parameters:
    ///   - code: The mailed code as typed; needed if the sign-in is older than ten minutes.
    ///   - now: Seconds since 1970.
    /// - Throws: ``Refusal``: `freshSignInRequired`, `codeWrong`, `tooManyAttempts`;
    ///   `codeMalformed`, which is not counted as an attempt; `operatorRoleStands`,
    ///   `erasureBlocked`; `memberNotFound`, `guardianNotAdult`, `adminNotAdult`.
    package func erase(
        by context: RequestContext, code: String? = nil, successors: Successors = Successors(),
        now: Int64
    ) throws {
        try context.caller.facts.require(.userErase)
        let code = try code.map { typed throws(Refusal) in try MailedCode(judging: typed) }
        do {
            if code != nil {
                try database.countAttempt(by: context) { $0.add(Accounts.reserveDeletionAttempt) }
            }
            try erase(context, code, successors, now)
        } catch let refusal as Refusal
            where refusal.code == .accountRequired || refusal.code == .sessionEnded
        {
            guard try wasErased(context) else { throw refusal }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
    }

    /// Returns the obstacles to the erasure of the caller's account, so that people learn of them
    /// before they confirm it. The erasure decides again.
    package static func erasureObstacles(
        by context: RequestContext
    ) throws -> Read<[ErasureObstacle]> {
        try context.caller.facts.require(.profileRead)
        return Read(by: context) { batch in
            let isOperator = batch.add(Accounts.isOperator)
            let members = batch.add(Rosters.ofMyFamilies)
            return { answers, subject in
                let role: [ErasureObstacle] =
                    try answers.row(isOperator).value ? [.operatorRole] : []
                let rows = try answers.rows(members)
                let tasks = rows.filter { $0.user == subject.user }.flatMap { me in
                    Roster(
                        action: .memberLeave, family: me.family,
                        rows: rows.filter { $0.family == me.family }, me: me, subject: subject
                    ).obstaclesToErasure
                }
                return role + tasks
            }
        }
    }

    private func erase(
        _ context: RequestContext, _ code: MailedCode?, _ successors: Successors, _ now: Int64
    ) throws {
        try database.transaction(
            by: context,
            reading: { batch in
                let own = batch.add(Accounts.address)
                return { results, _ in try results.first(own) }
            }
        ) { own, transaction in
            guard let own else { throw Refusal(.accountRequired) }
            let matches = try matches(code, own, now)
            var batch = Batch()
            let steps = batch.add(
                Accounts.erase, context.caller.tokenIssuedAt, matches,
                successors.guardians.map(\.rawValue),
                successors.admins.map(\.rawValue), successors.erasesChildren)
            let completed = try transaction.send(batch).rows(steps)
            let blockers = completed.compactMap { $0.blocker }
            if !blockers.isEmpty { throw Refusal(.erasureBlocked, .blockers(blockers)) }
            var ending = Batch()
            for mail in completed.compactMap(\.mail) { ending.enqueue(mail) }
            _ = try transaction.sendAndCommit(ending)
        }
    }

    private func wasErased(_ context: RequestContext) throws -> Bool {
        if let session = context.caller.session {
            return try database.query(Accounts.sessionWasErased, session.id).first?.value == true
        }
        return try database.query(
            Accounts.wasErased, context.caller.subject, context.caller.tokenIssuedAt
        ).first?.value == true
    }

    private func matches(
        _ code: MailedCode?, _ own: OwnAddress, _ now: Int64
    ) throws -> Bool {
        guard let code else { return false }
        guard let address = own.email, own.isVerified,
            try codes.matches(code, for: own.user, at: address, secondsSince1970: now)
        else { throw Refusal(.codeWrong) }
        return true
    }

    /// Mails the caller the code that confirms the erasure of the account.
    ///
    /// - Throws: ``Refusal``: `operatorRoleStands`, `noVerifiedAddress`; `tooManyAttempts` after
    ///   five in an hour.
    package func sendDeletionCode(by context: RequestContext, from client: ClientAddress) throws {
        try context.caller.facts.require(.userErase)
        try database.countAttempt(by: context) {
            $0.add(Accounts.reserveDeletionCode, client.network)
        }
        try database.transaction(
            by: context,
            reading: { batch in
                let own = batch.add(Accounts.address)
                return { results, _ in try results.first(own) }
            }
        ) { own, transaction in
            guard let own, own.isVerified else { throw Refusal(.noVerifiedAddress) }
            let mail = MailJob(.account(.deletionCode, recipient: own.user))
            // After that time, the code would be too old.
            let end = Timestamp(microseconds: (mail.date + DeletionCodes.validSeconds) * 1_000_000)
            var batch = Batch()
            batch.enqueue(mail.job(in: nil, notAfter: end))
            _ = try transaction.sendAndCommit(batch)
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
    }

    /// Exports all data stored about the caller and the children whose guardian the caller is, as
    /// one JSON document.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts` after three in a day.
    package func export(by context: RequestContext) throws -> [UInt8] {
        try context.caller.facts.require(.userExport)
        try database.countAttempt(by: context) { $0.add(Accounts.reserveExport) }
        return try database.transaction(by: context, reading: { _ in { _, _ in } }) {
            _, transaction in
            var batch = Batch()
            let document = batch.add(Accounts.export)
            return try transaction.sendAndCommit(batch).row(document).value.utf8
        }
    }
}

extension ErasureStep {
    fileprivate var blocker: ErasureBlocker? {
        guard let kind = ErasureBlocker.Kind(rawValue: outcome.rawValue), let family, let member
        else { return nil }
        return ErasureBlocker(kind: kind, family: family, member: member)
    }

    fileprivate var mail: NewJob? {
        switch (outcome, family, user, other) {
        case (.adminChanged, let family?, let recipient?, let admin?):
            MailJob(
                .change(
                    .adminChanged, family, recipient: recipient, other: UserID(rawValue: admin))
            ).job(in: family)
        case (.erased, _, _, let erasure?):
            MailJob(.accountErased(ErasureID(rawValue: erasure))).job(in: nil)
        default: nil
        }
    }
}

extension Roster {
    /// Obstacles in this family to the erasure of the caller's account.
    fileprivate var obstaclesToErasure: [ErasureObstacle] {
        let seat = ErasureBlocker(kind: .transferAdminFirst, family: family, member: me.id)
        let seats: [ErasureObstacle] = mustTransferSeat ? [.seat(seat)] : []
        let children = children(guardedOnlyBy: me).map { child in
            let blocker = ErasureBlocker(
                kind: .guardianHasManagedMembers, family: family, member: child.id)
            return ErasureObstacle.child(blocker, name: child.displayName)
        }
        return seats + children
    }
}

/// An obstacle to the erasure of an account, as people read of it.
package enum ErasureObstacle: Sendable {
    /// The account has the role of an operator of the service, which an admin has to remove.
    case operatorRole
    /// The caller holds a Parent Admin's seat that another adult could take.
    case seat(ErasureBlocker)
    /// The child with this name would be left without a guardian.
    case child(ErasureBlocker, name: String)

    /// The obstacle as the erasure's refusal names it; nil for the role of an operator, which has a
    /// refusal of its own.
    package var blocker: ErasureBlocker? {
        switch self {
        case .operatorRole: nil
        case .seat(let blocker), .child(let blocker, _): blocker
        }
    }
}

/// An obstacle in a family to the erasure of an account.
package struct ErasureBlocker: Sendable, Hashable {
    /// The kind of obstacle.
    package enum Kind: String, Sendable, CaseIterable {
        /// A child would be left without a guardian.
        case guardianHasManagedMembers = "guardian_has_managed_members"
        /// The caller holds the Parent Admin's seat, and another adult could take it.
        case transferAdminFirst = "transfer_admin_first"
    }

    package let kind: Kind
    /// The family in which the obstacle has to be removed.
    package let family: FamilyID
    /// The child, or the caller's own membership.
    package let member: MemberID

    package init(kind: Kind, family: FamilyID, member: MemberID) {
        self.kind = kind
        self.family = family
        self.member = member
    }
}
