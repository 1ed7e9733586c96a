package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of family codes: joining with them, reading and replacing them.
package struct CodeService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The data about a family that holders of its code may see.
    package struct Preview: Sendable, Hashable {
        package let familyName: String
        /// Number of active members, with and without an account; people waiting for approval are
        /// not counted.
        package let memberCount: Int
        /// Whether the caller would wait for approval: the family must approve everybody who joins
        /// by its code, by its own setting or because of wrong codes.
        package let isApprovalRequired: Bool
    }

    /// Returns the family of a code, before joining. Counts like an attempt to join.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, `codeUnknown`, `codeExpired`, `tooManyAttempts`.
    package func preview(
        by context: RequestContext, typedCode: String, from client: ClientAddress
    ) throws -> Preview {
        try context.caller.facts.require(.codePreview)
        let code = try counted(typedCode, by: context, from: client)
        let (preview, terms) = try database.request(by: context, writes: true) { batch in
            let terms = batch.add(CodeAttempts.approvalTerms, code.text)
            let preview = batch.add(
                FamilyCodes.preview, code.text, client.address, client.network)
            return { results, _ in (try results.row(preview), try results.first(terms)) }
        }
        // Even a refusal must be committed: the function has already undone or kept the count.
        context.transaction?.commitRefusals()
        switch preview.outcome {
        case .refused(let code): throw Refusal(code)
        case .success(.found):
            return Preview(
                familyName: preview.familyName ?? "", memberCount: preview.memberCount ?? 0,
                isApprovalRequired: !mayEnter(by: context, terms))
        }
    }

    /// Returns the caller's membership in the family of a code, or the pending request to join.
    ///
    /// - Returns: Nil if the caller has neither, or if no family has the code.
    package func ownMembership(
        by context: RequestContext, typedCode: String
    ) throws -> MembershipAtCode? {
        try context.caller.facts.require(.profileRead)
        return try database.request(by: context) { batch in
            let key = batch.add(FamilyCodes.ownStatus, typedCode)
            return { results, _ in try results.first(key) }
        }
    }

    /// Returns what joining by a code would do to the caller now. Changes nothing.
    ///
    /// Counts no attempt, so it is only for a code that ``preview(by:typedCode:from:)`` has found.
    ///
    /// - Returns: Nil if no family has the code.
    package func prospect(by context: RequestContext, typedCode: String) throws -> EntryProspect? {
        try context.caller.facts.require(.codePreview)
        return try database.request(by: context, writes: true) { batch in
            let prospect = batch.add(FamilyCodes.prospect, typedCode)
            return { answers, _ in try answers.first(prospect) }
        }
    }

    /// A family that the caller has joined, or will join once it is approved.
    package struct Joined: Sendable {
        package let family: FamilyID
        package let familyName: String
        /// Whether the caller is not a member yet and waits for the family's approval.
        package let isWaiting: Bool
        /// Whether the caller waits only because many wrong codes are being entered, which makes
        /// approval required.
        package let isHeld: Bool
        /// The family in which the caller lived alone, and which it has left for this one.
        package let leftFamily: FamilyID?
    }

    /// Joins the family of a code, or throws the reason for the refusal.
    ///
    /// A player who lives alone in another family leaves that one. If the family must approve
    /// people who join, by its own setting or because of wrong codes, the player leaves the other
    /// family on approval. A caller whom others removed or rejected also waits for approval,
    /// or is refused if that happened twice within 30 days.
    ///
    /// - Throws: ``Refusal``, among them `playerHasFamily` with the family that is the obstacle.
    package func join(
        by context: RequestContext, typedCode: String, from client: ClientAddress
    ) throws -> Joined {
        try context.caller.facts.require(.codeJoin)
        let code = try counted(typedCode, by: context, from: client)
        let (attempt, terms) = try attemptToJoin(by: context, code, from: client)
        context.transaction?.commitRefusals()
        switch attempt.outcome {
        case .refused(.familyFull):
            throw Refusal(.familyFull, attempt.memberLimit.map { .memberLimit($0) })
        case .refused(.playerHasFamily):
            throw Refusal(.playerHasFamily, .family(attempt.family, name: attempt.familyName))
        case .refused(let code): throw Refusal(code)
        case .success(let success):
            guard let family = attempt.family, let name = attempt.familyName else {
                throw Refusal(.codeUnknown)
            }
            // People who may approve get an e-mail, and so do people who were waiting for approval
            // to join the family that the caller has left.
            if success == .waiting || attempt.leftFamily != nil {
                database.notifyWorkers(of: MailJob.queue, for: context)
            }
            return Joined(
                family: family, familyName: name, isWaiting: success == .waiting,
                isHeld: success == .waiting
                    && terms.map { !$0.isApprovalRequired && !$0.isBarred } == true,
                leftFamily: attempt.leftFamily)
        }
    }

    /// Counts an attempt at a code in a separate transaction, before the code is looked up. The
    /// count is undone if the code was valid, so every failure stays counted.
    ///
    /// - Throws: ``Refusal``: `codeMalformed`, which is not counted as an attempt;
    ///   `tooManyAttempts`, after which the code must not be looked up.
    private func counted(
        _ typedCode: String, by context: RequestContext, from client: ClientAddress
    ) throws -> FamilyCode {
        guard let code = FamilyCode(typedCode) else { throw Refusal(.codeMalformed) }
        try database.countAttempt(by: context) {
            $0.add(CodeAttempts.reserve, code.text, client.address, client.network)
        }
        return code
    }

    /// Joins the family of the code or waits for its approval, as the policy decides. `terms` is
    /// nil for an unknown code.
    private func attemptToJoin(
        by context: RequestContext, _ code: FamilyCode, from client: ClientAddress
    ) throws -> (attempt: JoinAttempt, terms: ApprovalTerms?) {
        try database.transaction(
            by: context,
            reading: { batch in
                let terms = batch.add(CodeAttempts.approvalTerms, code.text)
                return { results, _ in try results.first(terms) }
            }
        ) { terms, transaction in
            let statement =
                mayEnter(by: context, terms) ? CodeAttempts.join : CodeAttempts.requestToJoin
            var batch = Batch()
            let row = batch.add(statement, code.text, client.address, client.network)
            return (attempt: try transaction.sendAndCommit(batch).row(row), terms: terms)
        }
    }

    /// Whether the caller joins the family of a code at once, given the family's setting and
    /// whether wrong codes make approval required.
    private func mayEnter(by context: RequestContext, _ terms: ApprovalTerms?) -> Bool {
        var facts = context.caller.facts
        if let terms {
            facts = facts.with(
                isApprovalRequired: terms.isApprovalRequired,
                isApprovalAutomatic: terms.isApprovalAutomatic, isInvited: terms.isInvited,
                isBarred: terms.isBarred)
        }
        return decide(.codeEnter, facts) == .allowed
    }

    /// Reads a family with its current code, which people who want to join need.
    ///
    /// - Throws: ``Refusal``: `codeExpired`; `familyNotFound`.
    package func read(by context: RequestContext, family: FamilyID) throws -> ListedFamily {
        try database.request(by: context) { batch in
            let row = batch.add(Families.one, family)
            return { results, subject in
                let family = try FamilyService.require(
                    .codeRead, of: try results.first(row), subject)
                if family.code.isEmpty { throw Refusal(.codeExpired, .noCode) }
                return family
            }
        }
    }

    /// Allowed validity of a code, in days.
    package static let allowedDays = 1...365

    /// Assigns a family a new code. The old one stops working at once.
    ///
    /// - Parameter expiresInDays: Validity of the new code in days; nil if it does not expire.
    /// - Throws: ``Refusal``: `familyNotFound`, the policy's refusal, or `invalidField` for days
    ///   out of range.
    package func regenerate(
        by context: RequestContext, family: FamilyID, expiresInDays: Int? = nil
    ) throws -> RegeneratedCode {
        if let expiresInDays, !Self.allowedDays.contains(expiresInDays) {
            let expected = "from 1 to \(Self.allowedDays.upperBound)"
            throw Refusal(.invalidField, .field("expiresInDays", expected: expected))
        }
        return try database.change(.codeRegenerate, in: .family(family), by: context) {
            roster, batch in
            try roster.require(roster.facts)
            let code = batch.add(FamilyCodes.regenerate, family, expiresInDays.map { Int32($0) })
            return { try $0.row(code) }
        }
    }
}

/// The operator's settings of family codes.
///
/// The database draws all codes, those of direct clients and operators included, so it has to know
/// these settings.
package struct CodeSettings: Sendable {
    /// Number of characters of new codes, without their prefix.
    package let length: Int
    /// Number of wrong codes per minute, in addition to the usual number, above which approval is
    /// required.
    package let wrongPerMinute: Int

    package init(length: Int = 6, wrongPerMinute: Int = 60) {
        self.length = length
        self.wrongPerMinute = wrongPerMinute
    }

    /// Stores the settings.
    package func store(in database: Database) throws {
        _ = try database.query(
            FamilyCodes.applySettings, Int32(length), Int32(wrongPerMinute))
    }
}
