package import Domain
import Policy
import Postgres
import Repositories

/// Joins the family that a code leads to.
package struct JoinFamilyByCode: Sendable {
    /// A family that the caller is in now, or will be when it is let in.
    package struct Joined: Sendable {
        package let family: FamilyID
        package let familyName: String
        /// The family approves who joins, and has not yet.
        package let isWaiting: Bool
        /// It waits only because approval is automatic: many wrong codes come in.
        package let isHeld: Bool
        /// The family in which the caller lived alone, and which it has left for this one.
        package let left: FamilyID?
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Joins the family, or throws the reason why not.
    ///
    /// A player who lives alone in another family leaves that one. Where the family approves who
    /// joins, by its own wish or because approval is automatic, it does so when it is let in. So
    /// does whoever was removed or turned down by others, unless that happened twice lately.
    /// - Throws: ``Refusal``, among them `playerHasFamily` with the family that stands in the way.
    package func callAsFunction(
        by context: RequestContext, typedCode: String, from client: ClientAddress
    ) throws -> Joined {
        try context.caller.facts.require(.codeJoin)
        let (attempt, terms) = try CodeAttempt(typedCode, from: client).join(
            by: context, in: database)
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
            // Those who may approve get an e-mail, and people who waited for the family that was
            // left.
            if success == .waiting || attempt.leftFamily != nil {
                database.wake(MailJob.queue, for: context)
            }
            return Joined(
                family: family, familyName: name, isWaiting: success == .waiting,
                isHeld: success == .waiting
                    && terms.map { !$0.isApprovalRequired && !$0.isBarred } == true,
                left: attempt.leftFamily)
        }
    }
}

/// An attempt at a family code: counted first, then made.
///
/// The attempt is counted in a transaction of its own before the code is looked up, and taken back
/// if the code was valid. No failure is therefore ever lost.
struct CodeAttempt {
    let code: FamilyCode
    let client: ClientAddress

    /// - Throws: ``Refusal``: `codeMalformed`, which doesn't count.
    init(_ typedCode: String, from client: ClientAddress) throws(Refusal) {
        guard let code = FamilyCode(typedCode) else { throw Refusal(.codeMalformed) }
        self.code = code
        self.client = client
    }

    /// Counts the attempt and looks up the family of the code, and its terms, which are nil for a
    /// code that leads to none.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`; then nothing was looked up.
    func preview(
        by context: RequestContext, in database: Database
    ) throws -> (found: CodePreview, terms: TermsOfCode?) {
        try count(by: context, in: database)
        let preview = try database.request(by: context, writes: true) { batch in
            let terms = batch.add(CodeAttempts.terms, code.text)
            let found = batch.add(
                FamilyCodes.preview, code.text, client.address, client.network)
            return { answers, _ in
                (found: try answers.row(found), terms: try answers.first(terms))
            }
        }
        // Whatever the result, the function has taken the count back or kept it.
        context.transaction?.commitRefusals()
        return preview
    }

    /// Counts the attempt and joins the family of the code, or waits for its approval: as the
    /// policy decides about the family's terms, which are nil for a code that leads to none.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`; then nothing was looked up.
    func join(
        by context: RequestContext, in database: Database
    ) throws -> (attempt: JoinAttempt, terms: TermsOfCode?) {
        try count(by: context, in: database)
        let joined = try database.transaction(
            by: context,
            reading: { batch in
                let terms = batch.add(CodeAttempts.terms, code.text)
                return { answers, _ in try answers.first(terms) }
            }
        ) { terms, transaction in
            let facts = terms.map { context.caller.facts.with($0) } ?? context.caller.facts
            let statement =
                decide(.codeEnter, facts) == .allowed ? CodeAttempts.join : CodeAttempts.askIn
            var batch = Batch()
            let row = batch.add(statement, code.text, client.address, client.network)
            return (attempt: try transaction.sendAndCommit(batch).row(row), terms: terms)
        }
        context.transaction?.commitRefusals()
        return joined
    }

    private func count(by context: RequestContext, in database: Database) throws {
        try database.count(by: context) {
            $0.add(CodeAttempts.reserve, code.text, client.address, client.network)
        }
    }
}

extension Facts {
    func with(_ terms: TermsOfCode) -> Facts {
        with(
            isApprovalRequired: terms.isApprovalRequired,
            isApprovalAutomatic: terms.isApprovalAutomatic, isInvited: terms.isInvited,
            isBarred: terms.isBarred)
    }
}

/// The operator's settings of family codes.
///
/// The database draws codes, also for direct clients and operators, so it has to know them.
package struct CodeSettings: Sendable {
    /// How many characters new codes have after their prefix.
    package let length: Int
    /// From how many wrong codes a minute on, above the usual, approval is automatic.
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
