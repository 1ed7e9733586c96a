package import Domain
import Jobs
import Policy
import Postgres
import Repositories

/// Gives a guardian's consent for a child.
package struct GiveConsent: Sendable {
    /// What is consented to, and how that is proved.
    package struct Consent: Sendable {
        /// The purpose's name.
        package let purpose: String
        /// Of the text that the guardian has seen; any but the present one is refused.
        package let version: String
        package let method: ConsentMethod
        /// The mailed code as typed; without one a consent by code is not given, but the code is
        /// mailed.
        package let code: String?

        package init(purpose: String, version: String, method: ConsentMethod, code: String?) {
            self.purpose = purpose
            self.version = version
            self.method = method
            self.code = code
        }

        fileprivate var asksForCode: Bool { method == .emailCode && code == nil }
    }

    private let database: Database
    private let register: ConsentRegister
    private let codes: ConsentCodes

    package init(_ database: Database, _ register: ConsentRegister, _ codes: ConsentCodes) {
        self.database = database
        self.register = register
        self.codes = codes
    }

    /// - Parameter now: Seconds since 1970.
    /// - Returns: The consent as it stands; nil if a code was mailed instead.
    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`, `consentOutdated`;
    ///   `noVerifiedAddress`, `codeWrong`, `tooManyAttempts`; `codeMalformed`, which doesn't
    ///   count.
    package func callAsFunction(
        by context: RequestContext, member: MemberID, _ consent: Consent,
        from client: ClientAddress,
        now: Int64
    ) throws -> ListedConsent? {
        try register.apply(to: database)
        var code: MailedCode?
        if consent.method == .emailCode, let typed = consent.code {
            code = try MailedCode(judging: typed)
        }
        if consent.asksForCode {
            try database.count(by: context) { $0.add(Accounts.reserveMailedCode, client.network) }
        } else if consent.method == .emailCode {
            try database.count(by: context) { $0.add(Consents.reserveAttempt) }
        }
        let given = try database.transaction(
            by: context, for: .consentGive, in: .familyOf(member),
            reading: { batch in
                let own = batch.add(Accounts.address)
                let generation = batch.add(Consents.generation, member, consent.purpose)
                return { (own: try $0.first(own), generation: try $0.row(generation).value) }
            }
        ) { roster, known, transaction in
            let child = try roster.managedMember(member)
            try roster.require(roster.facts(about: child))
            guard let purpose = register.ofChildren[consent.purpose] else {
                throw Refusal(.purposeNotFound)
            }
            guard purpose.version == consent.version else { throw Refusal(.consentOutdated) }
            guard let own = known.own else { throw Refusal(.accountRequired) }
            let use = ConsentCodes.Use(
                guardian: own.user, child: child.user, purpose: consent.purpose,
                version: consent.version, generation: known.generation)
            if consent.asksForCode {
                try mailCode(for: use, own, transaction)
                return ListedConsent?.none
            }
            var batch = Batch()
            batch.add(
                Consents.give, member, consent.purpose, consent.version, consent.method,
                try isRight(code, for: use, own, now) ? use.generation : nil)
            let consents = batch.add(Consents.ofChild, member)
            return try register.ofChildren.listed(
                consent.purpose, with: try transaction.sendAndCommit(batch).rows(consents))
        }
        if consent.asksForCode { database.wake(MailJob.queue, for: context) }
        return given
    }

    private func mailCode(
        for use: ConsentCodes.Use, _ own: OwnAddress, _ transaction: Transaction
    ) throws {
        guard own.isVerified else { throw Refusal(.noVerifiedAddress) }
        let mail = MailJob(.consentCode(use))
        // Later the code would be too old.
        let end = Timestamp(microseconds: (mail.date + ConsentCodes.validSeconds) * 1_000_000)
        var batch = Batch()
        batch.enqueue(mail.job(in: nil, notAfter: end))
        _ = try transaction.sendAndCommit(batch)
    }

    private func isRight(
        _ code: MailedCode?, for use: ConsentCodes.Use, _ own: OwnAddress, _ now: Int64
    ) throws -> Bool {
        guard let code, let address = own.email, own.isVerified else { return false }
        return try codes.isRight(code, for: use, at: address, secondsSince1970: now)
    }
}
