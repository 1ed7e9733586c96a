package import Domain
import JSON
package import Jobs
import Glibc
import Postgres

/// An e-mail to send, as its job stores it: ids, never an address, a name or a token.
///
/// Its content is read when it is sent. Its id and date are fixed now, so that a message that is
/// sent twice is the same message.
package struct MailJob: Sendable, Equatable {
    /// The queue of e-mails.
    package static let queue = "mail"

    /// How often one may fail until further failures cost no attempt; by then the delays have long
    /// reached an hour.
    package static let countedAttempts: Int16 = 20
    /// Seconds from its date after which a message that fails that often is given up; more than an
    /// invitation lasts.
    package static let patienceSeconds: Int64 = 8 * 86_400

    /// What an e-mail is about.
    package enum Subject: Sendable, Equatable {
        /// To whoever is invited: the generation is that of the link.
        case invitation(InvitationID, generation: Int32)
        /// To an adult: the seat of the Parent Admin was claimed or handed over.
        case adminChanged(FamilyID, recipient: UserID, admin: UserID)
        /// To the one who was removed.
        case memberRemoved(FamilyID, recipient: UserID)
        /// To one who may approve it: somebody asks to join by the family's code.
        case joinRequested(FamilyID, recipient: UserID, requester: UserID)
        /// To one who waited for the approval of a family, and is a member now.
        case requestApproved(FamilyID, recipient: UserID)
        /// To one who waited for the approval of a family that has turned the request down.
        case requestRejected(FamilyID, recipient: UserID)
        /// To one who waited for the approval of a family to which nobody belongs any more.
        case waitingEnded(FamilyID, recipient: UserID)
        /// To one who waits for the approval of a family in another role than the account has.
        case requestInOtherRole(FamilyID, recipient: UserID)
        /// To the one who was guardian.
        case guardianReplaced(FamilyID, recipient: UserID, guardian: UserID)
        /// To an adult who was made a guardian of a child besides others.
        case guardianNamed(FamilyID, recipient: UserID, child: UserID)
        /// To one who was a guardian of a child and is none any more.
        case guardianRemoved(FamilyID, recipient: UserID, child: UserID)
        /// To a guardian: another one has invited the child to have an account.
        case graduationStarted(FamilyID, recipient: UserID, child: UserID)
        /// To one who was a guardian of a child that has an account now.
        case graduated(FamilyID, recipient: UserID, child: UserID)
        /// To a guardian: the code that proves a consent, of the message's date.
        case consentCode(ConsentUse)
        /// To an account's owner: the code that confirms its erasure, of the message's date.
        case deletionCode(recipient: UserID)
        /// To the person whose account was erased.
        case accountErased(ErasureID)
        /// To the owner of an account: a session has ended because its refresh token was used
        /// again.
        case sessionReused(recipient: UserID)
        /// To the owner of an account: its password is another one now.
        case passwordChanged(recipient: UserID)
        /// To the owner of an account: it has its first password now.
        case passwordSet(recipient: UserID)
        /// To the owner of an account: it has a passkey more.
        case passkeyAdded(recipient: UserID)
        /// To the owner of an account: a sign-in at a provider was added to it by its address.
        case signInLinked(recipient: UserID)
        /// To the owner of an account: one of its passkeys may be on several devices from now on.
        case passkeySynced(recipient: UserID)
        /// To the owner of an account: another issuer's sign-in leads into it now.
        case identityAdded(recipient: UserID)
        /// To the owner of an account: a way to sign in was removed from it.
        case identityRemoved(recipient: UserID, IdentityKind)
        /// A code and a link, to an address.
        case ticket(TicketID)

        /// The kind of its job.
        var kind: Kind {
            switch self {
            case .invitation: .invitation
            case .adminChanged: .adminChanged
            case .memberRemoved: .memberRemoved
            case .joinRequested: .joinRequested
            case .requestApproved: .requestApproved
            case .requestRejected: .requestRejected
            case .waitingEnded: .waitingEnded
            case .requestInOtherRole: .requestInOtherRole
            case .guardianReplaced: .guardianReplaced
            case .guardianNamed: .guardianNamed
            case .guardianRemoved: .guardianRemoved
            case .graduationStarted: .graduationStarted
            case .graduated: .graduated
            case .consentCode: .consentCode
            case .deletionCode: .deletionCode
            case .accountErased: .accountErased
            case .sessionReused: .sessionReused
            case .passwordChanged: .passwordChanged
            case .passwordSet: .passwordSet
            case .passkeyAdded: .passkeyAdded
            case .signInLinked: .signInLinked
            case .passkeySynced: .passkeySynced
            case .identityAdded: .identityAdded
            case .identityRemoved: .identityRemoved
            case .ticket: .ticket
            }
        }
    }

    /// The kind of a job, by its name in the queue.
    enum Kind: String, CaseIterable {
        case invitation = "mail.invitation"
        case adminChanged = "mail.admin_changed"
        case memberRemoved = "mail.member_removed"
        case joinRequested = "mail.join_requested"
        case requestApproved = "mail.request_approved"
        case requestRejected = "mail.request_rejected"
        case waitingEnded = "mail.waiting_ended"
        case requestInOtherRole = "mail.request_in_other_role"
        case guardianReplaced = "mail.guardian_replaced"
        case guardianNamed = "mail.guardian_named"
        case guardianRemoved = "mail.guardian_removed"
        case graduationStarted = "mail.graduation_started"
        case graduated = "mail.graduated"
        case consentCode = "mail.consent_code"
        case deletionCode = "mail.deletion_code"
        case accountErased = "mail.account_erased"
        case sessionReused = "mail.session_reused"
        case passwordChanged = "mail.password_changed"
        case passwordSet = "mail.password_set"
        case passkeyAdded = "mail.passkey_added"
        case signInLinked = "mail.sign_in_linked"
        case passkeySynced = "mail.passkey_synced"
        case identityAdded = "mail.identity_added"
        case identityRemoved = "mail.identity_removed"
        case ticket = "mail.ticket"
    }

    /// The kinds of all jobs of this queue.
    package static let kinds = Kind.allCases.map(\.rawValue)

    package let subject: Subject
    /// The part of the message's id before the at sign: 32 hexadecimal digits.
    package let messageID: String
    /// Seconds since 1970.
    package let date: Int64

    /// A message that is made now.
    package init(_ subject: Subject) {
        self.subject = subject
        let digits = String(UInt128.random(in: 0 ... .max), radix: 16)
        messageID = String(repeating: "0", count: 32 - digits.utf8.count) + digits
        date = Int64(time(nil))
    }

    /// The job of the queue that sends it.
    ///
    /// - Parameter notAfter: The time after which it need not be sent.
    package func job(in family: FamilyID?, notAfter: Timestamp? = nil) -> NewJob {
        var job = NewJob(
            queue: Self.queue, kind: subject.kind.rawValue, payload: PostgresJSON(utf8: payload),
            group: family?.rawValue)
        job.maxAttempts = Self.countedAttempts
        job.notAfter = notAfter.map(\.wireForm)
        return job
    }

    /// The payload of a message about an account whose id only the database knows: it puts the
    /// recipient in.
    static func payload(of subject: (_ recipient: UserID) -> Subject) -> PostgresJSON {
        MailJob(subject(UserID(rawValue: 0))).job(in: nil).payload
    }

    private var payload: [UInt8] {
        var json = JSONWriter()
        json.object {
            switch subject {
            case .invitation(let id, let generation):
                $0.member("invitation", id.description)
                $0.member("generation", Int(generation))
            case .adminChanged(let family, let recipient, let other),
                .joinRequested(let family, let recipient, let other),
                .guardianReplaced(let family, let recipient, let other),
                .guardianNamed(let family, let recipient, let other),
                .guardianRemoved(let family, let recipient, let other),
                .graduationStarted(let family, let recipient, let other),
                .graduated(let family, let recipient, let other):
                $0.member("family", family.description)
                $0.member("recipient", recipient.description)
                $0.member("other", other.description)
            case .memberRemoved(let family, let recipient),
                .requestApproved(let family, let recipient),
                .requestRejected(let family, let recipient),
                .waitingEnded(let family, let recipient),
                .requestInOtherRole(let family, let recipient):
                $0.member("family", family.description)
                $0.member("recipient", recipient.description)
            case .consentCode(let use):
                $0.member("recipient", use.guardian.description)
                $0.member("child", use.child.description)
                $0.member("purpose", use.purpose)
                $0.member("version", use.version)
                $0.member("generation", use.generation)
            case .deletionCode(let recipient), .sessionReused(let recipient),
                .passwordChanged(let recipient), .passwordSet(let recipient),
                .passkeyAdded(let recipient), .signInLinked(let recipient),
                .passkeySynced(let recipient),
                .identityAdded(let recipient):
                $0.member("recipient", recipient.description)
            case .identityRemoved(let recipient, let kind):
                $0.member("recipient", recipient.description)
                $0.member("identity", kind.rawValue)
            case .accountErased(let erasure):
                $0.member("erasure", erasure.description)
            case .ticket(let id): $0.member("ticket", id.description)
            }
            $0.member("messageId", messageID)
            $0.member("date", Int(date))
        }
        return json.bytes
    }

    /// Reads a job's payload; nil if it is not an e-mail's.
    package init?(kind: String, payload: [UInt8]) {
        guard let kind = Kind(rawValue: kind), let value = try? JSONValue(parsing: payload) else {
            return nil
        }
        do throws(JSONError) {
            let field = JSONField(value)
            messageID = try field["messageId"].string()
            // It becomes a header's value: nothing but what it is made of when enqueued.
            guard messageID.utf8.count == 32, messageID.utf8.allSatisfy(Self.isHexadecimal) else {
                return nil
            }
            date = try field["date"].integer()
            if kind == .invitation {
                guard let id = InvitationID(try field["invitation"].string()),
                    let generation = Int32(exactly: try field["generation"].integer())
                else { return nil }
                subject = .invitation(id, generation: generation)
                return
            }
            if let account = try Self.ofAccount(kind, field) {
                subject = account
                return
            }
            guard let family = FamilyID(try field["family"].string()),
                let recipient = UserID(try field["recipient"].string())
            else { return nil }
            let other = try field["other"].ifPresent?.string()
            switch (kind, other.flatMap { UserID($0) }) {
            case (.memberRemoved, _):
                subject = .memberRemoved(family, recipient: recipient)
            case (.requestApproved, _):
                subject = .requestApproved(family, recipient: recipient)
            case (.requestRejected, _):
                subject = .requestRejected(family, recipient: recipient)
            case (.joinRequested, let other?):
                subject = .joinRequested(family, recipient: recipient, requester: other)
            case (.waitingEnded, _):
                subject = .waitingEnded(family, recipient: recipient)
            case (.requestInOtherRole, _):
                subject = .requestInOtherRole(family, recipient: recipient)
            case (.adminChanged, let other?):
                subject = .adminChanged(family, recipient: recipient, admin: other)
            case (.guardianReplaced, let other?):
                subject = .guardianReplaced(family, recipient: recipient, guardian: other)
            case (.guardianNamed, let other?):
                subject = .guardianNamed(family, recipient: recipient, child: other)
            case (.guardianRemoved, let other?):
                subject = .guardianRemoved(family, recipient: recipient, child: other)
            case (.graduationStarted, let other?):
                subject = .graduationStarted(family, recipient: recipient, child: other)
            case (.graduated, let other?):
                subject = .graduated(family, recipient: recipient, child: other)
            default: return nil
            }
        } catch {
            return nil
        }
    }
}

extension MailJob {
    /// What an e-mail about an account is about; nil for the other kinds.
    private static func ofAccount(
        _ kind: Kind, _ field: JSONField
    ) throws(JSONError) -> Subject? {
        switch kind {
        case .deletionCode:
            return UserID(try field["recipient"].string()).map { .deletionCode(recipient: $0) }
        case .accountErased:
            return ErasureID(try field["erasure"].string()).map { .accountErased($0) }
        case .consentCode:
            guard let guardian = UserID(try field["recipient"].string()),
                let child = UserID(try field["child"].string())
            else { return nil }
            return .consentCode(
                ConsentUse(
                    guardian: guardian, child: child, purpose: try field["purpose"].string(),
                    version: try field["version"].string(),
                    generation: Int(try field["generation"].ifPresent?.integer() ?? 0)))
        case .sessionReused:
            return UserID(try field["recipient"].string()).map { .sessionReused(recipient: $0) }
        case .passwordChanged:
            return UserID(try field["recipient"].string()).map { .passwordChanged(recipient: $0) }
        case .passwordSet:
            return UserID(try field["recipient"].string()).map { .passwordSet(recipient: $0) }
        case .passkeyAdded:
            return UserID(try field["recipient"].string()).map { .passkeyAdded(recipient: $0) }
        case .signInLinked:
            return UserID(try field["recipient"].string()).map { .signInLinked(recipient: $0) }
        case .passkeySynced:
            return UserID(try field["recipient"].string()).map { .passkeySynced(recipient: $0) }
        case .identityAdded:
            return UserID(try field["recipient"].string()).map { .identityAdded(recipient: $0) }
        case .identityRemoved:
            guard let recipient = UserID(try field["recipient"].string()),
                let kind = IdentityKind(rawValue: try field["identity"].string())
            else { return nil }
            return .identityRemoved(recipient: recipient, kind)
        case .ticket:
            return TicketID(try field["ticket"].string()).map { .ticket($0) }
        default: return nil
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
