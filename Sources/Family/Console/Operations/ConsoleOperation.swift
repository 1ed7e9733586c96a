import Basics
import Domain
import Policy
import Repositories
import UseCases

/// A change that operators make in the console: its confirmation page with fields, and its effect.
///
/// It calls the use cases of `hearth-admin`, so invariants and entries in the audit log are the
/// same as those of the command line.
struct ConsoleOperation: Sendable {
    /// An input field of the confirmation page.
    struct Field: Sendable {
        enum Kind: Sendable {
            case text(longest: Int)
            case email
            case number(ClosedRange<Int>)
            case choice([(value: String, label: String)], none: String?)
            case check
            /// A value that the page was made with, which is sent back unchanged and not shown.
            case hidden
        }

        let name: String
        let label: String
        let kind: Kind
        var hint = ""
        var isRequired = true
        var value = ""
        /// Sentence shown in place of the form if a value is required and there is none to choose.
        var withoutChoices = "There is nothing to choose from."

        /// Whether a value is required, and there is none to choose.
        var lacksChoices: Bool {
            if case .choice(let choices, _) = kind { isRequired && choices.isEmpty } else { false }
        }
    }

    /// Name in addresses, unique among all operations.
    let name: String
    /// Text of the button that starts the operation.
    let label: String
    let action: OperatorAction
    /// Description of the effect, shown before the operator confirms.
    let explanation: String
    /// Message shown after the operation succeeded.
    let done: String
    /// Returns the message in place of `done` for a number of changed objects; nil to show the
    /// number after `done`.
    var counted: (@Sendable (Int) -> String)?
    /// Returns the message in place of `done` for a changed queue, or address, with this name.
    var doneNamed: (@Sendable (String) -> String)?
    var isDangerous = false
    /// If true, the button performs the operation at once, without a confirmation page.
    var isDirect = false
    /// Page shown after the operation; nil for the page of its object.
    var next: String?
    /// Whether the operation is offered for the object.
    var isOffered: @Sendable (ConsoleSubject) -> Bool = { _ in true }
    var fields: @Sendable (ConsoleSubject) -> [Field] = { _ in [] }
    /// Sentence shown if the operation is refused because a child would have no guardian, in place
    /// of that for other operations.
    var guardianSentence: String?
    /// Returns what stands in the way of the operation, as far as reading tells, so that nobody
    /// confirms by a passkey in vain; nil if nothing is known.
    var hindrance: (@Sendable (ConsoleSubject, borrowing ConsoleReader) throws -> Hindrance?)?
    /// Makes the change, and returns the number of changed objects; nil if no number is shown.
    let run: @Sendable (Work) throws -> Int?
    /// Makes the change in place of `run`, and returns what only the response shows, such as a
    /// secret.
    var reveal: (@Sendable (Work) throws -> HTML)?
    /// Makes the change in place of `run`, and returns a file that the browser stores.
    var download: (@Sendable (Work) throws -> Download)?

    /// A reason for which the database would refuse an operation.
    struct Hindrance {
        let refusal: OperatorRefusal
        /// The refusal's sentence, with links to the objects that it names.
        let sentence: HTML
    }

    /// A file for the browser to store.
    struct Download: Sendable {
        let name: String
        let json: [UInt8]
    }

    /// The input of an operation: its session, its subject and the request with the form.
    struct Work {
        let session: OperatorSession
        let subject: ConsoleSubject
        let visit: ConsoleVisit
        let action: OperatorAction

        /// Returns the value of a required text field.
        func text(_ name: String, _ label: String) throws -> String {
            guard let value = visit.field(name) else {
                throw ConsoleMistake(sentence: "\(label) is required.")
            }
            return value
        }

        /// Returns the value of a field, parsed by `read`; nil if the field is empty.
        func value<Value>(
            _ name: String, _ label: String, _ expected: String, _ read: (String) -> Value?
        ) throws -> Value? {
            guard let text = visit.field(name) else { return nil }
            guard let value = read(text) else {
                throw ConsoleMistake(sentence: "\(label): expected \(expected), found '\(text)'.")
            }
            return value
        }

        /// Returns the value of a required field, parsed by `read`.
        func required<Value>(
            _ name: String, _ label: String, _ expected: String, _ read: (String) -> Value?
        ) throws -> Value {
            guard let value = try value(name, label, expected, read) else {
                throw ConsoleMistake(sentence: "\(label) is required.")
            }
            return value
        }

        /// Returns the member of the family whose id is in a field; nil if the field is empty.
        ///
        /// - Throws: ``ConsoleProhibition`` for a member whom the operator may not choose.
        func member(_ name: String, _ label: String, of family: FamilyID) throws -> AdminMember? {
            guard
                let id = try value(name, label, "a member", { MemberID($0) })
            else { return nil }
            let member = try session.member(id)
            guard member.family == family else {
                throw ConsoleMistake(sentence: "\(label): this member is of another family.")
            }
            let listed = subject.members.first { $0.member.id == id }
            // Somebody who is not in the list may be an operator, the stricter case.
            try requireMayAct(on: member.user, isOperator: listed?.isOperator ?? true)
            return member
        }

        func requiredMember(
            _ name: String, _ label: String, of family: FamilyID
        ) throws -> AdminMember {
            guard let member = try member(name, label, of: family) else {
                throw ConsoleMistake(sentence: "\(label) is required.")
            }
            return member
        }

        /// Returns the e-mail address in a required field.
        ///
        /// - Throws: ``ConsoleProhibition`` for an address of the operator, whose e-mails the
        ///   operator would get, and, if the role does not suffice, for that of another operator.
        func requiredAddress(_ name: String, _ label: String) throws -> EmailAddress {
            let email = try required(name, label, "an e-mail address") { EmailAddress($0) }
            for account in try ConsoleReader(on: session.connection).operators(with: email) {
                try requireMayAct(on: account, isOperator: true)
            }
            return email
        }

        /// Requires that the operator may act on an account that a field names, by the rule for the
        /// account that the operation concerns.
        func requireMayAct(on account: UserID, isOperator: Bool) throws {
            let current = try visit.signedIn()
            let target = OperatorTarget(account, isOperator: isOperator, of: current)
            guard visit.may(action, on: target) else {
                throw ConsoleProhibition(action, by: current.role, on: target)
            }
        }
    }

    static let all =
        ofPeople + ofPasskeys + ofSessions + ofFamilies + ofMembers + ofInvitations + ofJobs
        + ofQueues + ofSchedules
        + ofDeadJobs + ofWebhooks + ofWebhookEvents + ofMail + ofAddresses + ofDoctor + ofIssuers
}

extension ConsoleOperation.Field {
    /// Creates a choice among those members of a family that meet a condition.
    static func member(
        _ name: String, _ label: String, _ members: [ConsoleMember], none: String? = nil,
        hint: String = "", withoutChoices: String = "The family has no adult. Invite one first.",
        where condition: (AdminMember) -> Bool
    ) -> ConsoleOperation.Field {
        let choices = members.filter { condition($0.member) }.map {
            (value: $0.member.id.description, label: $0.title)
        }
        return ConsoleOperation.Field(
            name: name, label: label, kind: .choice(choices, none: none), hint: hint,
            isRequired: none == nil, withoutChoices: withoutChoices)
    }

    static func role(none: String?) -> ConsoleOperation.Field {
        ConsoleOperation.Field(
            name: "role", label: "Role",
            kind: .choice(
                MemberRole.allCases.map { ($0.rawValue, $0.rawValue) }, none: none),
            isRequired: none == nil)
    }

    static func householdRole(
        _ roles: [HouseholdRole] = [.adult, .kid, .visitor], none: String? = nil
    ) -> ConsoleOperation.Field {
        ConsoleOperation.Field(
            name: "household", label: "Household role",
            kind: .choice(
                roles.map { ($0.rawValue, $0.rawValue.replacing("_", with: " ")) }, none: none),
            isRequired: none == nil)
    }
}

extension AdminMember {
    /// Whether the member is an adult with an account, who can be a guardian.
    var isAdult: Bool {
        status == .active && !isManaged && role == .parent && householdRole >= .adult
    }
}
