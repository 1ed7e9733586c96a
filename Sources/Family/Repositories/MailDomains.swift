package import Domain
package import Postgres

/// The domains of e-mail addresses. Their A-labels are computed by the programs, not by the
/// database.
package enum MailDomains {
    /// Stores the A-labels of a domain. Parameters: its spelling, its A-labels.
    package static let storeLabel = Statement<NoRow, String, String>(
        "SELECT FROM app.store_domain_label($1, $2)")

    /// Returns domains of stored addresses whose A-labels are not stored. Parameter: maximum
    /// number.
    package static let unlabelled = Statement<Scalar<String>, Int32>(
        "SELECT spelling FROM app.unlabelled_domains($1)")
}

extension Batch {
    /// Adds a statement that stores the A-labels of an address's domain; it must precede the
    /// statements that store the address. Adds none if the domain consists of A-labels already.
    package mutating func storeLabel(of address: EmailAddress?) {
        if let domain = address?.labelledDomain { storeLabel(of: domain) }
    }

    /// Stores the A-labels of a domain.
    package mutating func storeLabel(of domain: MailDomain) {
        add(MailDomains.storeLabel, domain.spelling, domain.aLabels)
    }
}
