import Basics
import Domain
import Policy
import Repositories
import UseCases

/// A change that operators make in the console: its question, its fields, and what it does.
///
/// It calls the use cases of `hearth-admin`, so invariants and entries in the audit log are the
/// same as those of the command line.
struct ConsoleOperation: Sendable {
    /// A field of the question.
    struct Field: Sendable {
        enum Kind: Sendable {
            case text(longest: Int)
            case email
            case number(ClosedRange<Int>)
            case choice([(value: String, label: String)], none: String?)
            case check
        }

        let name: String
        let label: String
        let kind: Kind
        var hint = ""
        var isRequired = true
        var value = ""
    }

    /// Name in addresses, unique among all operations.
    let name: String
    /// The words on its button.
    let label: String
    let action: OperatorAction
    /// A description of the effect, shown before the operator confirms.
    let explanation: String
    /// The message shown after the operation succeeded.
    let done: String
    var isDangerous = false
    /// Whether its button does it at once, without a question.
    var isDirect = false
    /// The page to which it leads afterwards; nil for the object's own.
    var next: String?
    /// Whether it makes sense now.
    var isOffered: @Sendable (ConsoleSubject) -> Bool = { _ in true }
    var fields: @Sendable (ConsoleSubject) -> [Field] = { _ in [] }
    /// Makes the change, and returns how many objects it concerned if that is of interest.
    let run: @Sendable (Work) throws -> Int?
    /// Makes the change in place of `run`, and returns what only the response shows, such as a
    /// secret.
    var reveal: (@Sendable (Work) throws -> HTML)?

    /// The input of an operation: its session, its subject and the request with the form.
    struct Work {
        let session: OperatorSession
        let subject: ConsoleSubject
        let visit: ConsoleVisit

        /// The value of a required text field.
        func text(_ name: String, _ label: String) throws -> String {
            guard let value = visit.field(name) else {
                throw ConsoleMistake(sentence: "\(label): this is missing.")
            }
            return value
        }

        /// The value of a field, read by `read`; nil if it is empty.
        func value<Value>(
            _ name: String, _ label: String, _ expected: String, _ read: (String) -> Value?
        ) throws -> Value? {
            guard let text = visit.field(name) else { return nil }
            guard let value = read(text) else {
                throw ConsoleMistake(sentence: "\(label): expected \(expected), found '\(text)'.")
            }
            return value
        }

        /// The value of a required field.
        func required<Value>(
            _ name: String, _ label: String, _ expected: String, _ read: (String) -> Value?
        ) throws -> Value {
            guard let value = try value(name, label, expected, read) else {
                throw ConsoleMistake(sentence: "\(label): this is missing.")
            }
            return value
        }

        /// The member of the family that a field names; nil if it names none.
        func member(_ name: String, _ label: String, of family: FamilyID) throws -> AdminMember? {
            guard
                let id = try value(name, label, "a member", { MemberID($0) })
            else { return nil }
            let member = try session.member(id)
            guard member.family == family else {
                throw ConsoleMistake(sentence: "\(label): this member is of another family.")
            }
            return member
        }

        func requiredMember(
            _ name: String, _ label: String, of family: FamilyID
        ) throws -> AdminMember {
            guard let member = try member(name, label, of: family) else {
                throw ConsoleMistake(sentence: "\(label): this is missing.")
            }
            return member
        }
    }

    static let all =
        ofPeople + ofFamilies + ofMembers + ofInvitations + ofJobs + ofQueues + ofSchedules
        + ofDeadJobs + ofWebhooks + ofWebhookEvents + ofMail + ofAddresses + ofDoctor + ofIssuers
}

extension ConsoleOperation.Field {
    /// A choice among the members of a family that a condition holds for.
    static func member(
        _ name: String, _ label: String, _ members: [ConsoleMember], none: String? = nil,
        hint: String = "", where condition: (AdminMember) -> Bool
    ) -> ConsoleOperation.Field {
        let choices = members.filter { condition($0.member) }.map {
            (value: $0.member.id.description, label: $0.title)
        }
        return ConsoleOperation.Field(
            name: name, label: label, kind: .choice(choices, none: none), hint: hint,
            isRequired: none == nil)
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
