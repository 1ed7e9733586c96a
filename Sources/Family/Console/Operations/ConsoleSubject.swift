import Basics
import Domain
import Policy
import Repositories
import UseCases

/// The object of an operation of the console.
enum ConsoleSubject: Sendable {
    case person(ConsolePerson)
    /// A passkey of a person.
    case passkey(ConsolePerson, AdminPasskey)
    /// A session of a person.
    case session(ConsolePerson, ListedSession)
    /// A family, with its members and the people who wait for approval.
    case family(AdminFamily, [ConsoleMember])
    /// A member, with all members of the family.
    case member(ConsoleMember, [ConsoleMember])
    /// An invitation, with the operators to whose address it goes.
    case invitation(AdminInvitation, to: [UserID])
    case job(AdminJob)
    case queue(AdminQueue)
    case schedule(AdminSchedule)
    /// Discarded jobs with the same error.
    case deadJobs(queue: String, kind: String, error: String)
    case webhook(ConsoleEndpoint)
    /// An event of a webhook.
    case webhookEvent(ConsoleEndpoint, ConsoleDelivery)
    /// E-mail to any address.
    case mail
    /// An address of the list of those that get no e-mail, or only some.
    case address(String)
    case doctor(isRunning: Bool)
    /// The issuers that the database trusts.
    case issuers

    /// Path of the subject, to which the names of operations are appended.
    var path: String {
        switch self {
        case .person(let person), .passkey(let person, _), .session(let person, _):
            "/people/\(person.user.id)"
        case .family(let family, _): "/families/\(family.id)"
        case .member(let member, _): "/members/\(member.member.id)"
        case .invitation(let invitation, _): "/invitations/\(invitation.id)"
        case .job(let job): "/jobs/\(job.id)"
        case .queue(let queue): "/queues/\(URLText.encoded(queue.name))"
        case .schedule(let schedule): "/schedules/\(URLText.encoded(schedule.name))"
        case .deadJobs: "/dead-jobs"
        case .webhook(let endpoint), .webhookEvent(let endpoint, _): "/webhooks/\(endpoint.id)"
        case .mail: "/mail"
        case .address: "/addresses"
        case .doctor: "/doctor"
        case .issuers: "/issuers"
        }
    }

    /// Page that shows the subject, and is shown again after an operation.
    var page: String {
        switch self {
        case .person, .passkey, .session, .family, .job, .webhook, .webhookEvent, .mail, .doctor:
            path
        case .member(let member, _): "/families/\(member.member.family)"
        case .invitation(let invitation, _): "/families/\(invitation.family)"
        case .queue, .schedule, .deadJobs: "/jobs"
        case .address: "/mail"
        case .issuers: "/system"
        }
    }

    /// Hidden form fields that identify the subject, in addition to its path.
    var hidden: [(name: String, value: String)] {
        switch self {
        case .deadJobs(let queue, let kind, let error):
            [("queue", queue), ("kind", kind), ("error", error)]
        case .passkey(_, let passkey): [("passkey", passkey.id.description)]
        case .session(_, let session): [("session", session.id.description)]
        case .webhookEvent(_, let delivery): [("event", delivery.event.description)]
        case .address(let email): [("email", email)]
        default: []
        }
    }

    var section: ConsoleLayout.Section {
        switch self {
        case .person, .passkey, .session: .people
        case .family, .member, .invitation: .families
        case .job, .queue, .schedule, .deadJobs: .jobs
        case .webhook, .webhookEvent: .webhooks
        case .mail, .address: .mail
        case .doctor: .doctor
        case .issuers: .system
        }
    }

    /// Name of the subject in the headings of its operations.
    var title: String {
        switch self {
        case .person(let person): person.title
        case .passkey(let person, let passkey): "\(passkey.label ?? "Passkey"), \(person.title)"
        case .session(let person, let session): "\(session.device ?? "Session"), \(person.title)"
        case .family(let family, _): family.name
        case .member(let member, _): "\(member.title), \(member.member.familyName)"
        case .invitation(let invitation, _):
            "Invitation \(invitation.email.map { "of \($0)" } ?? "by link"), "
                + invitation.familyName
        case .job(let job): "Job \(job.id), \(job.kind)"
        case .queue(let queue): "Queue \(queue.name)"
        case .schedule(let schedule): "Schedule \(schedule.name)"
        case .deadJobs(_, let kind, let error): "Dead jobs of \(kind): \(error)"
        case .webhook(let endpoint): endpoint.url
        case .webhookEvent(let endpoint, _): "An event to \(endpoint.url)"
        case .mail: "E-mail"
        case .address(let email): email
        case .doctor: "Doctor"
        case .issuers: "Issuers"
        }
    }

    /// Facts that tell a person or a member from others of the same name; empty for another
    /// subject.
    var facts: [(name: String, value: HTML)] {
        switch self {
        case .person(let person):
            [
                ("Id", ConsoleParts.code(person.user.id.description)),
                ("Address", HTML("\(person.user.email ?? "")")),
            ]
        case .member(let one, _):
            [
                ("Id", ConsoleParts.code(one.member.id.description)),
                ("Since (UTC)", ConsoleParts.time(one.member.addedAt)),
                ("Primary guardian", HTML("\(one.member.guardianName ?? "")")),
            ]
        default: []
        }
    }

    /// Returns the kind of account that an operation on the subject concerns.
    func target(of current: ConsoleOperator?) -> OperatorTarget {
        let account: (id: UserID, isOperator: Bool)? =
            switch self {
            case .person(let person), .passkey(let person, _), .session(let person, _):
                (person.user.id, person.isOperator)
            case .member(let member, _): (member.member.user, member.isOperator)
            case .invitation(_, let operators):
                (operators.first { $0 == current?.account } ?? operators.first).map { ($0, true) }
            default: nil
            }
        guard let account else { return .person }
        return OperatorTarget(account.id, isOperator: account.isOperator, of: current)
    }

    /// The person whose data the subject's pages show; nil for another object.
    var shownPerson: UserID? {
        switch self {
        case .person(let person), .passkey(let person, _), .session(let person, _): person.user.id
        case .member(let member, _): member.member.user
        default: nil
        }
    }

    /// The members of the subject's family.
    var members: [ConsoleMember] {
        switch self {
        case .family(_, let members), .member(_, let members): members
        default: []
        }
    }

    /// Returns the subject with those members of the family whom the operator may choose in the
    /// fields of an operation.
    func selectable(_ isSelectable: (ConsoleMember) -> Bool) -> ConsoleSubject {
        switch self {
        case .family(let family, let members): .family(family, members.filter(isSelectable))
        case .member(let member, let members): .member(member, members.filter(isSelectable))
        default: self
        }
    }

    var operations: [ConsoleOperation] {
        switch self {
        case .person: ConsoleOperation.ofPeople
        case .passkey: ConsoleOperation.ofPasskeys
        case .session: ConsoleOperation.ofSessions
        case .family: ConsoleOperation.ofFamilies
        case .member: ConsoleOperation.ofMembers
        case .invitation: ConsoleOperation.ofInvitations
        case .job: ConsoleOperation.ofJobs
        case .queue: ConsoleOperation.ofQueues
        case .schedule: ConsoleOperation.ofSchedules
        case .deadJobs: ConsoleOperation.ofDeadJobs
        case .webhook: ConsoleOperation.ofWebhooks
        case .webhookEvent: ConsoleOperation.ofWebhookEvents
        case .mail: ConsoleOperation.ofMail
        case .address: ConsoleOperation.ofAddresses
        case .doctor: ConsoleOperation.ofDoctor
        case .issuers: ConsoleOperation.ofIssuers
        }
    }
}

extension OperatorTarget {
    /// Creates the kind of account that an account is for an operator.
    init(_ account: UserID, isOperator: Bool, of current: ConsoleOperator?) {
        self = account == current?.account ? .oneself : isOperator ? .otherOperator : .person
    }
}

extension ConsolePerson {
    /// The person's name; the address or the id if there is no name, and words for an erased
    /// person.
    var title: String {
        if user.erasedAt != nil { return ConsoleParts.erasedName(user.id, user.kind) }
        return user.fullName ?? user.email ?? user.id.description
    }
}

extension ConsoleMember {
    /// The person's name; the address or the id if there is no name.
    var title: String { member.fullName ?? member.email ?? member.user.description }
}
