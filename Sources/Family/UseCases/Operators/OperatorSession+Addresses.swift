package import Domain
import Postgres
import Repositories

extension OperatorSession {
    /// Returns domains of stored addresses that can't be matched, because the database lacks their
    /// A-labels; without those that nobody can register.
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
