import Crypto
package import Domain
import Jobs
import Postgres
import Repositories

/// A ticket that was opened for an address: with the mailed code it signs in.
package struct OpenedTicket: Sendable {
    /// For the client alone.
    package let ticket: String
    package let expiresInSeconds: Int

    /// How long a code counts.
    package static let codeSeconds = 600
}

/// What a ticket remembers of where it was asked for.
package struct TicketOrigin: Sendable {
    /// The language of page or app; nil where none is known.
    package var language: LanguageTag?
    /// Where the mailed link leads after signing in; nil: to the account.
    package var returnPath: ReturnPath?

    package init(language: LanguageTag? = nil, returnPath: ReturnPath? = nil) {
        self.language = language
        self.returnPath = returnPath
    }
}

/// Opens tickets for addresses, and has their e-mails sent.
///
/// It does the same for every address, so nobody learns from it who has an account.
struct OpenTicket {
    enum Purpose {
        case signIn
        case signUp(passwordHash: String, fullName: String?, role: MemberRole?)
        case reset

        fileprivate var word: String {
            switch self {
            case .signIn: "sign_in"
            case .signUp: "sign_up"
            case .reset: "reset"
            }
        }
    }

    let database: Database
    let keys: SignInKeys

    /// - Throws: ``Refusal``: `tooManyAttempts`.
    func callAsFunction(
        _ purpose: Purpose, for email: EmailAddress, from client: ClientAddress,
        _ origin: TicketOrigin
    ) throws -> OpenedTicket {
        let id = TicketID.random()
        let secrets = try keys.secrets(of: id)
        let ticket = Base64URL.text(try .random(count: 32))
        var (password, name, role): (String?, String?, MemberRole?) = (nil, nil, nil)
        if case .signUp(let hash, let fullName, let side) = purpose {
            (password, name, role) = (hash, fullName, side)
        }
        var ticketHash: PostgresBytes? = PostgresBytes(SHA256Digest(of: ticket).bytes)
        if case .reset = purpose { ticketHash = nil }
        let path = try origin.returnPath.map { try keys.seal($0, of: id) }
        let mail = MailJob(.ticket(id)).job(in: nil).payload
        // In a transaction, so that an address beyond a limit leaves nothing of its domain.
        try database.leased { connection in
            try connection.transaction { transaction in
                var batch = Batch()
                batch.know(email)
                let place = batch.add(
                    MailedTickets.open, id, purpose.word, email.text, ticketHash,
                    PostgresBytes(secrets.linkHash.bytes), password, name, role, client.network,
                    mail, origin.language?.text, path.map { PostgresBytes($0) })
                let limit = try transaction.send(batch).first(place)
                if let limit { throw limit.refusal }
            }
        }
        database.wakeUps.wake(MailJob.queue)
        return OpenedTicket(ticket: ticket, expiresInSeconds: OpenedTicket.codeSeconds)
    }
}

/// Has a code and a link mailed to an address, to sign in with.
package struct SendSignInCode: Sendable {
    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func callAsFunction(
        _ email: EmailAddress, from client: ClientAddress, _ origin: TicketOrigin = .init()
    ) throws -> OpenedTicket {
        try OpenTicket(database: database, keys: keys)(.signIn, for: email, from: client, origin)
    }
}
