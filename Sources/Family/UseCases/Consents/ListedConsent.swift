import Domain
package import Repositories

/// A purpose, and what the guardians of a child have consented to about it.
package struct ListedConsent: Sendable {
    /// The purpose's name, known also where the purpose is not.
    package let name: String
    /// Nil for a purpose that nobody is asked for any more.
    package let purpose: ConsentPurposes.Purpose?
    /// Nil if none stands.
    package let consent: StandingConsent?

    /// Whether it stands. A required one stands only for the present version of its text.
    package var isGiven: Bool {
        guard let consent else { return false }
        guard let purpose, purpose.isRequired else { return true }
        return consent.version == purpose.version
    }
}

extension ConsentPurposes {
    /// All purposes, and then those that only have a consent.
    func listed(with consents: [StandingConsent]) -> [ListedConsent] {
        all.map { purpose in
            ListedConsent(
                name: purpose.name, purpose: purpose,
                consent: consents.first { $0.purpose == purpose.name })
        }
            + consents.filter { self[$0.purpose] == nil }.map {
                ListedConsent(name: $0.purpose, purpose: nil, consent: $0)
            }
    }

    /// One of them.
    ///
    /// - Throws: ``Refusal`` with `purposeNotFound`.
    func listed(_ name: String, with consents: [StandingConsent]) throws(Refusal) -> ListedConsent {
        guard let found = listed(with: consents).first(where: { $0.name == name }) else {
            throw Refusal(.purposeNotFound)
        }
        return found
    }
}
