import Policy
import Postgres
package import Repositories

/// What the caller's account is asked to consent to for itself: listed, given, withdrawn.
package struct OwnConsents: Sendable {
    /// A purpose, and what the account has consented to about it.
    package struct Listed: Sendable {
        /// The purpose's name, known also where the purpose is not.
        package let name: String
        /// Nil for a purpose that nobody is asked for any more.
        package let purpose: ConsentPurposes.Purpose?
        /// Nil if none stands.
        package let consent: OwnConsent?

        /// Whether it stands for the present version of the text.
        package var isGiven: Bool {
            consent != nil && (purpose == nil || consent?.version == purpose?.version)
        }
    }

    private let database: Database
    private let register: ConsentRegister

    package init(_ database: Database, _ register: ConsentRegister) {
        self.database = database
        self.register = register
    }

    /// Lists all purposes for accounts, and then those that only have a consent.
    package func list(by context: RequestContext) throws -> [Listed] {
        try context.caller.facts.require(.accountManage)
        return try database.request(by: context) { batch in
            let own = batch.add(Consents.own)
            return { answers, _ in listed(with: try answers.rows(own)) }
        }
    }

    /// Gives a consent.
    ///
    /// - Throws: ``Refusal``: `purposeNotFound`, `consentOutdated`.
    package func give(_ purpose: String, version: String, by context: RequestContext) throws
        -> Listed
    {
        try context.caller.facts.require(.accountManage)
        try register.apply(to: database)
        return try change(purpose, by: context) { $0.add(Consents.giveOwn, purpose, version) }
    }

    /// Withdraws a consent. Withdrawing what does not stand changes nothing.
    ///
    /// - Throws: ``Refusal``: `purposeNotFound`.
    package func withdraw(_ purpose: String, by context: RequestContext) throws -> Listed {
        try context.caller.facts.require(.accountManage)
        return try change(purpose, by: context) { $0.add(Consents.withdrawOwn, purpose) }
    }

    private func change(
        _ purpose: String, by context: RequestContext, _ add: (inout Batch) -> Void
    ) throws -> Listed {
        try database.request(by: context, writes: true) { batch in
            let before = batch.add(Consents.own)
            add(&batch)
            let after = batch.add(Consents.own)
            return { answers, _ in
                let own = try answers.rows(before) + answers.rows(after)
                guard listed(with: own).contains(where: { $0.name == purpose }) else {
                    throw Refusal(.purposeNotFound)
                }
                return Listed(
                    name: purpose, purpose: register.ofAccounts[purpose],
                    consent: try answers.rows(after).first { $0.purpose == purpose })
            }
        }
    }

    private func listed(with consents: [OwnConsent]) -> [Listed] {
        let purposes = register.ofAccounts
        return purposes.all.map { purpose in
            Listed(
                name: purpose.name, purpose: purpose,
                consent: consents.first { $0.purpose == purpose.name })
        }
            + consents.filter { purposes[$0.purpose] == nil }.map {
                Listed(name: $0.purpose, purpose: nil, consent: $0)
            }
    }
}
