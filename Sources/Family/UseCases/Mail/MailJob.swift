package import Domain
import JSON
package import Jobs
import Glibc
import Postgres

/// An e-mail to send, as its job stores it: ids, never an address, a name or a token.
///
/// The content is read when the e-mail is sent. The message id and the date are set when it is
/// enqueued, so that a repeated message has the same id.
package struct MailJob: Sendable, Equatable {
    /// The queue of e-mails.
    package static let queue = "mail"

    /// Maximum number of counted attempts. Later failures are not counted; by then the delay
    /// between attempts has reached an hour.
    package static let countedAttempts: Int16 = 20
    /// Seconds from a message's date until the message is discarded if it still fails; longer than
    /// an invitation is valid.
    package static let retrySeconds: Int64 = 8 * 86_400

    /// The subject of an e-mail. ``MailKind`` says who receives each kind.
    package enum Topic: Sendable, Equatable {
        /// An invitation, with the generation of its link. Whether the invitation is for a child's
        /// graduation is read when the e-mail is sent.
        case invitation(InvitationID, generation: Int32)
        /// A change in a family, and the other person whom the e-mail is about.
        case change(MailKind, FamilyID, recipient: UserID, other: UserID? = nil)
        /// A change of the recipient's account.
        case account(MailKind, recipient: UserID)
        /// A provider's sign-in was added to the recipient's account.
        ///
        /// - Parameter issuer: Nil in jobs of earlier releases.
        case signInAdded(MailKind, recipient: UserID, issuer: String?)
        /// A sign-in method was removed from the recipient's account.
        case identityRemoved(recipient: UserID, IdentityKind)
        /// A code that proves a guardian's consent, made for the message's date.
        case consentCode(ConsentUse)
        case accountErased(ErasureID)
        /// A code and a link for an address.
        case emailToken(EmailTokenID)
        /// A notice to the current address of an account whose address is about to change.
        case addressChanging(EmailTokenID)

        /// The kind of the e-mail's job.
        var jobKind: String {
            switch self {
            case .invitation: MailKind.invitation.jobKind
            case .change(let kind, _, _, _), .account(let kind, _), .signInAdded(let kind, _, _):
                kind.jobKind
            case .identityRemoved: MailKind.identityRemoved.jobKind
            case .consentCode: MailKind.consentCode.jobKind
            case .accountErased: MailKind.accountErased.jobKind
            case .emailToken: MailKind.signIn.jobKind
            case .addressChanging: MailKind.addressChanging.jobKind
            }
        }
    }

    /// The kinds of all jobs of this queue.
    package static let kinds = MailKind.allCases.map(\.jobKind).reduce(into: [String]()) {
        kinds, kind in
        if !kinds.contains(kind) { kinds.append(kind) }
    }

    package let topic: Topic
    /// The part of the message's id before the at sign: 32 hexadecimal digits.
    package let messageID: String
    /// Date of the message, in seconds since 1970.
    package let date: Int64

    /// Creates a message with a new id and the current date.
    package init(_ topic: Topic) {
        self.topic = topic
        let digits = String(UInt128.random(in: 0 ... .max), radix: 16)
        messageID = String(repeating: "0", count: 32 - digits.utf8.count) + digits
        date = Int64(time(nil))
    }

    /// Returns the job that sends the message.
    ///
    /// - Parameter notAfter: The time after which it need not be sent.
    package func job(in family: FamilyID?, notAfter: Timestamp? = nil) -> NewJob {
        var job = NewJob(
            queue: Self.queue, kind: topic.jobKind, payload: PostgresJSON(utf8: payload),
            group: family?.rawValue)
        job.maxAttempts = Self.countedAttempts
        job.notAfter = notAfter.map(\.wireForm)
        return job
    }

    /// Returns the payload of a message about an account whose id only the database knows. The
    /// database adds the recipient.
    static func payload(of topic: (_ recipient: UserID) -> Topic) -> PostgresJSON {
        MailJob(topic(UserID(rawValue: 0))).job(in: nil).payload
    }

    private var payload: [UInt8] {
        var json = JSONWriter()
        json.object {
            switch topic {
            case .invitation(let id, let generation):
                $0.member("invitation", id.description)
                $0.member("generation", Int(generation))
            case .change(_, let family, let recipient, let other):
                $0.member("family", family.description)
                $0.member("recipient", recipient.description)
                if let other { $0.member("other", other.description) }
            case .account(_, let recipient):
                $0.member("recipient", recipient.description)
            case .signInAdded(_, let recipient, let issuer):
                $0.member("recipient", recipient.description)
                if let issuer { $0.member("issuer", issuer) }
            case .identityRemoved(let recipient, let kind):
                $0.member("recipient", recipient.description)
                $0.member("identity", kind.rawValue)
            case .consentCode(let use):
                $0.member("recipient", use.guardian.description)
                $0.member("child", use.child.description)
                $0.member("purpose", use.purpose)
                $0.member("version", use.version)
                $0.member("generation", use.generation)
            case .accountErased(let erasure):
                $0.member("erasure", erasure.description)
            case .emailToken(let id), .addressChanging(let id):
                $0.member("ticket", id.description)
            }
            $0.member("messageId", messageID)
            $0.member("date", Int(date))
        }
        return json.bytes
    }

    /// Reads a job's payload; nil if it does not describe an e-mail.
    package init?(kind jobKind: String, payload: [UInt8]) {
        guard let kind = MailKind.allCases.first(where: { $0.jobKind == jobKind }),
            let value = try? JSONValue(parsing: payload),
            let message = try? Message(kind, JSONField(value))
        else { return nil }
        topic = message.topic
        messageID = message.id
        date = message.date
    }
}

/// The contents of a payload.
private struct Message {
    let topic: MailJob.Topic
    let id: String
    let date: Int64

    init?(_ kind: MailKind, _ field: JSONField) throws(JSONError) {
        id = try field["messageId"].string()
        // The id becomes the value of a header, so it must consist only of the characters that
        // enqueuing uses.
        guard id.utf8.count == 32, id.utf8.allSatisfy(Self.isHexadecimal),
            let topic = try Self.topic(kind, field)
        else { return nil }
        date = try field["date"].integer()
        self.topic = topic
    }

    private static func topic(
        _ kind: MailKind, _ field: JSONField
    ) throws(JSONError) -> MailJob.Topic? {
        switch kind.payload {
        case .invitation:
            guard let id = InvitationID(try field["invitation"].string()),
                let generation = Int32(exactly: try field["generation"].integer())
            else { return nil }
            return .invitation(id, generation: generation)
        case .change(let about):
            guard let family = FamilyID(try field["family"].string()),
                let recipient = UserID(try field["recipient"].string())
            else { return nil }
            if about == nil { return .change(kind, family, recipient: recipient) }
            guard let other = UserID(try field["other"].string()) else { return nil }
            return .change(kind, family, recipient: recipient, other: other)
        case .account:
            guard let recipient = UserID(try field["recipient"].string()) else { return nil }
            return switch kind {
            case .consentCode: try consentCode(for: recipient, field)
            case .identityRemoved:
                IdentityKind(rawValue: try field["identity"].string()).map {
                    .identityRemoved(recipient: recipient, $0)
                }
            case .signInLinked, .identityAdded:
                .signInAdded(
                    kind, recipient: recipient, issuer: try field["issuer"].ifPresent?.string())
            default: .account(kind, recipient: recipient)
            }
        case .erasure:
            return ErasureID(try field["erasure"].string()).map { .accountErased($0) }
        case .emailToken: return EmailTokenID(try field["ticket"].string()).map { .emailToken($0) }
        case .addressChange:
            return EmailTokenID(try field["ticket"].string()).map { .addressChanging($0) }
        }
    }

    private static func consentCode(
        for guardian: UserID, _ field: JSONField
    ) throws(JSONError) -> MailJob.Topic? {
        guard let child = UserID(try field["child"].string()) else { return nil }
        return .consentCode(
            ConsentUse(
                guardian: guardian, child: child, purpose: try field["purpose"].string(),
                version: try field["version"].string(),
                generation: Int(try field["generation"].ifPresent?.integer() ?? 0)))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
