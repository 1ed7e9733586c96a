import Crypto
package import Postgres
import Repositories
package import Threads

/// Finds out whether the keys of this process are those that links are made with.
///
/// A process with another `HEARTH_SECRET_KEY` would send e-mails without links that work, and could
/// tell nobody the link of an invitation again.
package struct CheckLinkKeys: Sendable {
    private let keys: InvitationKeys

    package init(_ keys: InvitationKeys) { self.keys = keys }

    /// Whether one of the keys has made the newest link; nil if there is no link.
    package func callAsFunction(
        on connection: Connection, deadline: Deadline? = nil
    ) throws -> Bool? {
        guard let link = try connection.run(LinkKeys.newest, deadline: deadline).first else {
            return nil
        }
        return try connection.run(
            LinkKeys.isKnown, link.invitation, link.generation, hashes(of: link),
            deadline: deadline
        ).first?.value
    }

    /// The same within a transaction.
    func callAsFunction(in transaction: Transaction) throws -> Bool? {
        var newest = Batch()
        let place = newest.add(LinkKeys.newest)
        guard let link = try transaction.send(newest).rows(place).first else { return nil }
        var question = Batch()
        let answer = try question.add(
            LinkKeys.isKnown, link.invitation, link.generation, hashes(of: link))
        return try transaction.send(question).row(answer).value
    }

    private func hashes(of link: LinkToCheck) throws -> [PostgresBytes] {
        try keys.tokens(of: link.invitation, generation: link.generation)
            .map { PostgresBytes($0.hash.bytes) }
    }
}

/// No key of `HEARTH_SECRET_KEY` has made a link that is to be told again.
package struct LinkKeyMissing: Error, CustomStringConvertible {
    package let description = "no key of HEARTH_SECRET_KEY fits the link"

    package init() {}
}
