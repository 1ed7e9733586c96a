package import Domain
package import Postgres

/// The domains of e-mail addresses, whose A-labels only the programs compute.
package enum MailDomains {
    /// Stores a domain's A-labels by its spelling.
    package static let know = Statement<NoRow, String, String>(
        "SELECT FROM app.know_domain($1, $2)")

    /// So many domains of stored addresses whose A-labels are not stored.
    package static let unknown = Statement<Scalar<String>, Int32>(
        "SELECT spelling FROM app.unknown_domains($1)")
}

extension Batch {
    /// Has the database know the A-labels of an address's domain, before statements that store the
    /// address. Adds nothing where the domain is its own.
    package mutating func know(_ address: EmailAddress?) {
        if let domain = address?.labelledDomain { know(domain) }
    }

    /// Has the database know the A-labels of a domain.
    package mutating func know(_ domain: MailDomain) {
        add(MailDomains.know, domain.spelling, domain.aLabels)
    }
}
