package import Domain
import Postgres
import Repositories

extension OperatorSession {
    /// Returns domains of stored addresses that the database can't compare, because it lacks their
    /// A-labels. Domains that nobody can register are left out.
    package func unknownDomains(limit: Int) throws -> [MailDomain] {
        try rows(MailDomains.unlabelled, Int32(limit)).compactMap { MailDomain($0.value) }
    }

    /// Stores the A-labels of domains.
    package func storeLabels(of domains: [MailDomain]) throws {
        try run(writes: true) { batch in
            for domain in domains { batch.storeLabel(of: domain) }
            return { _ in }
        }
    }
}
