package import Domain
import Jobs
import Policy
import Postgres
package import Repositories

/// The use cases of consents: those that guardians give for children, and those of accounts.
package struct ConsentService: Sendable {
    private let database: Database
    package let register: ConsentRegister
    private let codes: ConsentCodes

    package init(_ database: Database, _ register: ConsentRegister, _ codes: ConsentCodes) {
        self.database = database
        self.register = register
        self.codes = codes
    }

    /// Lists the consents that a child's guardians are asked for, and those that they gave.
    ///
    /// - Throws: ``Refusal`` with `memberNotFound`.
    package func list(
        by context: RequestContext, member: MemberID
    ) throws -> [ListedConsent<StandingConsent>] {
        try database.change(.consentRead, in: .familyOf(member), by: context) { roster, batch in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            let consents = batch.add(Consents.ofChild, member)
            return { listed(try $0.rows(consents)) }
        }
    }

    /// Reads the consent that a child's guardians are asked for about one purpose.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`.
    package func read(
        by context: RequestContext, member: MemberID, purpose: String
    ) throws -> ListedConsent<StandingConsent> {
        try list(by: context, member: member).of(purpose)
    }

    /// A consent to give: its purpose, the text's version, and the method of proof.
    package struct Consent: Sendable {
        /// The purpose's name.
        package let purpose: String
        /// Version of the text that the guardian has seen; any but the current one is refused.
        package let version: String
        package let method: ConsentMethod
        /// The mailed code as typed. If it is nil, a consent by code is not given; instead, a code
        /// is mailed.
        package let code: String?

        package init(purpose: String, version: String, method: ConsentMethod, code: String?) {
            self.purpose = purpose
            self.version = version
            self.method = method
            self.code = code
        }

        fileprivate var asksForCode: Bool { method == .emailCode && code == nil }
    }

    /// Gives a guardian's consent for a child.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The consent in force; nil if a code was mailed instead.
    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`, `consentOutdated`;
    ///   `noVerifiedAddress`, `codeWrong`, `tooManyAttempts`; `codeMalformed`, which is not counted
    ///   as an attempt.
    package func give(
        by context: RequestContext, member: MemberID, _ consent: Consent,
        from client: ClientAddress, now: Int64
    ) throws -> ListedConsent<StandingConsent>? {
        try register.apply(to: database)
        var code: MailedCode?
        if consent.method == .emailCode, let typed = consent.code {
            code = try MailedCode(judging: typed)
        }
        if consent.asksForCode {
            try database.countAttempt(by: context) {
                $0.add(Accounts.reserveMailedCode, client.network)
            }
        } else if consent.method == .emailCode {
            try database.countAttempt(by: context) { $0.add(Consents.reserveAttempt) }
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
            let use = ConsentUse(
                guardian: own.user, child: child.user, purpose: consent.purpose,
                version: consent.version, generation: known.generation)
            if consent.asksForCode {
                try mailCode(for: use, own, transaction)
                return ListedConsent<StandingConsent>?.none
            }
            var batch = Batch()
            batch.add(
                Consents.give, member, consent.purpose, consent.version, consent.method,
                try matches(code, for: use, own, now) ? use.generation : nil)
            let consents = batch.add(Consents.ofChild, member)
            return try listed(try transaction.sendAndCommit(batch).rows(consents))
                .of(consent.purpose)
        }
        if consent.asksForCode { database.notifyWorkers(of: MailJob.queue, for: context) }
        return given
    }

    private func mailCode(
        for use: ConsentUse, _ own: OwnAddress, _ transaction: Transaction
    ) throws {
        guard own.isVerified else { throw Refusal(.noVerifiedAddress) }
        let mail = MailJob(.consentCode(use))
        // After that time, the code would be too old.
        let end = Timestamp(microseconds: (mail.date + ConsentCodes.validSeconds) * 1_000_000)
        var batch = Batch()
        batch.enqueue(mail.job(in: nil, notAfter: end))
        _ = try transaction.sendAndCommit(batch)
    }

    private func matches(
        _ code: MailedCode?, for use: ConsentUse, _ own: OwnAddress, _ now: Int64
    ) throws -> Bool {
        guard let code, let address = own.email, own.isVerified else { return false }
        return try codes.matches(code, for: use, at: address, secondsSince1970: now)
    }

    /// Withdraws a guardian's consent for a child, from the next request on. If no consent is in
    /// force, nothing changes.
    ///
    /// - Throws: ``Refusal``: `memberNotFound`, `purposeNotFound`.
    package func withdraw(
        by context: RequestContext, member: MemberID, purpose: String
    ) throws -> ListedConsent<StandingConsent> {
        try database.change(.consentWithdraw, in: .familyOf(member), by: context) { roster, batch in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            let before = batch.add(Consents.ofChild, member)
            batch.add(Consents.withdraw, member, purpose)
            let after = batch.add(Consents.ofChild, member)
            return { results in
                _ = try listed(try results.rows(before)).of(purpose)
                return ListedConsent(
                    name: purpose, purpose: register.ofChildren[purpose],
                    consent: try results.rows(after).first { $0.purpose == purpose })
            }
        }
    }

    /// Lists all purposes for accounts, followed by former purposes for which the account still has
    /// a consent.
    package func listOwn(by context: RequestContext) throws -> [ListedConsent<OwnConsent>] {
        try context.caller.facts.require(.accountManage)
        return try database.request(by: context) { batch in
            let own = batch.add(Consents.own)
            return { results, _ in listed(try results.rows(own)) }
        }
    }

    /// Gives a consent of the account for itself.
    ///
    /// - Throws: ``Refusal``: `purposeNotFound`, `consentOutdated`.
    package func giveOwn(
        _ purpose: String, version: String, by context: RequestContext
    ) throws -> ListedConsent<OwnConsent> {
        try context.caller.facts.require(.accountManage)
        try register.apply(to: database)
        return try changeOwn(purpose, by: context) { $0.add(Consents.giveOwn, purpose, version) }
    }

    /// Withdraws a consent of the account for itself. If no consent is in force, nothing changes.
    ///
    /// - Throws: ``Refusal``: `purposeNotFound`.
    package func withdrawOwn(
        _ purpose: String, by context: RequestContext
    ) throws -> ListedConsent<OwnConsent> {
        try context.caller.facts.require(.accountManage)
        return try changeOwn(purpose, by: context) { $0.add(Consents.withdrawOwn, purpose) }
    }

    private func changeOwn(
        _ purpose: String, by context: RequestContext, _ add: (inout Batch) -> Void
    ) throws -> ListedConsent<OwnConsent> {
        try database.request(by: context, writes: true) { batch in
            let before = batch.add(Consents.own)
            add(&batch)
            let after = batch.add(Consents.own)
            return { results, _ in
                let own = try results.rows(before) + results.rows(after)
                _ = try listed(own).of(purpose)
                return ListedConsent(
                    name: purpose, purpose: register.ofAccounts[purpose],
                    consent: try results.rows(after).first { $0.purpose == purpose })
            }
        }
    }

    private func listed(_ consents: [StandingConsent]) -> [ListedConsent<StandingConsent>] {
        register.ofChildren.listed(with: consents) { $0.purpose }
    }

    private func listed(_ consents: [OwnConsent]) -> [ListedConsent<OwnConsent>] {
        register.ofAccounts.listed(with: consents) { $0.purpose }
    }

    /// Allows a service to act for a child only while the child lacks no required consent.
    ///
    /// - Parameter context: The context of a request on behalf of the child.
    /// - Throws: ``Refusal``: `actingRefused`, `consentRequired`.
    package func requireConsents(by context: RequestContext) throws {
        try register.apply(to: database)
        let lacking = try database.request(by: context) { batch in
            let children = batch.add(Consents.childrenWithoutConsent)
            return { results, _ in try results.rows(children).map(\.value) }
        }
        if let child = context.caller.actingAs, lacking.contains(child) {
            throw Refusal(.consentRequired)
        }
    }
}

/// A purpose and the consent given to it: by the guardians of a child, or by an account for itself.
package struct ListedConsent<Consent: Sendable>: Sendable {
    /// Name of the purpose, even if ``purpose`` is nil.
    package let name: String
    /// The purpose; nil if nobody is asked for it any more.
    package let purpose: ConsentPurposes.Purpose?
    /// The consent in force; nil if there is none.
    package let consent: Consent?
}

extension ListedConsent<StandingConsent> {
    /// Whether the consent is in force. A required consent is valid only for the current version of
    /// its text.
    package var isGiven: Bool {
        guard let consent else { return false }
        guard let purpose, purpose.isRequired else { return true }
        return consent.version == purpose.version
    }
}

extension ListedConsent<OwnConsent> {
    /// Whether the consent is in force. If the purpose still exists, the consent must be for the
    /// current version of its text.
    package var isGiven: Bool {
        consent != nil && (purpose == nil || consent?.version == purpose?.version)
    }
}

extension ConsentPurposes {
    /// Returns all purposes, followed by former purposes that still have a consent.
    ///
    /// - Parameter purpose: The name of a consent's purpose.
    fileprivate func listed<Consent>(
        with consents: [Consent], of purpose: (Consent) -> String
    ) -> [ListedConsent<Consent>] {
        all.map { listed in
            ListedConsent(
                name: listed.name, purpose: listed,
                consent: consents.first { purpose($0) == listed.name })
        }
            + consents.filter { self[purpose($0)] == nil }.map {
                ListedConsent(name: purpose($0), purpose: nil, consent: $0)
            }
    }
}

extension Sequence {
    /// Returns the entry of a purpose.
    ///
    /// - Throws: ``Refusal`` with `purposeNotFound`.
    fileprivate func of<Consent>(
        _ purpose: String
    ) throws(Refusal) -> ListedConsent<Consent> where Element == ListedConsent<Consent> {
        guard let found = first(where: { $0.name == purpose }) else {
            throw Refusal(.purposeNotFound)
        }
        return found
    }
}
