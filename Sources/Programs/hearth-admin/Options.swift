import Domain
import Postgres
import Repositories
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// Options that several commands share.
enum Options {
    static let json = Parameter<Bool>.flag("json", "Print JSON, for scripts.")
    static let operatorName = Parameter<String?>.option(
        "operator", "NAME", .text,
        "Your name for the audit log; overrides HEARTH_OPERATOR.")
    static let yes = Parameter<Bool>.flag("yes", short: "y", "Don't ask for confirmation.")
    static let limit = Parameter<Int>.option(
        "limit", "COUNT", .integer(1...1000), default: 50, "The maximum number of entries.")
    static let cursor = Parameter<String?>.option(
        "cursor", "CURSOR", .text, "Continue after the previous page: the cursor that it printed.")

    static let family = Parameter<String>.argument(
        "FAMILY", .family, "A family: its id, its code, its name or a part of the name.")
    static let user = Parameter<String>.argument(
        "USER", .user, "A person: the id or e-mail address.")
    static let member = Parameter<String>.argument(
        "MEMBER", .member, "A member of the family: the id, e-mail address or name.")
    static let child = Parameter<String>.argument(
        "CHILD", .child, "A managed member of the family: the id or name.")
    static let newGuardian = Parameter<String?>.option(
        "reassign-managed-to", "MEMBER", .member,
        "The adult who replaces the member as guardian of the children.")

    /// Options of every command.
    static let shared: [any DeclaredParameter] = [json, operatorName]
    /// Options of every list.
    static let paging: [any DeclaredParameter] = [limit, cursor]

    static let familyName = bounded(FamilyName.self, "a name")
    static let displayName = bounded(DisplayName.self, "a name")
    static let avatarKey = bounded(AvatarKey.self, "a key")

    private static func bounded<Text: BoundedText & Sendable>(
        _: Text.Type, _ what: String
    ) -> Expectation<Text> {
        let lengths = Text.allowedLengths
        return Expectation(
            "\(what) of \(lengths.lowerBound) to \(lengths.upperBound) characters on one line"
        ) { Text($0) }
    }
}

extension Expectation where Value == String {
    /// A family in any form that ``OperatorSession/family(_:)`` accepts.
    static let family = named("the id, the code or the name of a family")
    /// A person in any form that ``OperatorSession/user(_:)`` accepts.
    static let user = named("the id or the e-mail address of a person")
    /// A member in any form that ``OperatorSession/member(_:of:)`` accepts.
    static let member = named("the id, the e-mail address or the name of a member")
    /// A child in any form that ``OperatorSession/member(_:of:)`` accepts.
    static let child = named("the id or the name of a child")

    private static func named(_ what: String) -> Expectation {
        Expectation(what) { $0.isEmpty ? nil : $0 }
    }
}

extension Expectation where Value == EmailAddress {
    /// A single e-mail address.
    static let emailAddress = Expectation("an e-mail address") { EmailAddress($0) }
}

extension Expectation where Value == InvitationID {
    /// The id of an invitation.
    static let invitation = Expectation("the id of an invitation") { InvitationID($0) }
}

extension Values {
    var output: Output { Output(isJSON: self[Options.json]) }

    var page: OperatorPageRequest {
        get throws {
            try OperatorPageRequest(cursor: self[Options.cursor], limit: self[Options.limit])
        }
    }

    /// Returns the settings of the connection to the database.
    func connection() throws -> ConnectionSettings {
        let url = try settings([HearthSettings.adminDatabaseURL])[HearthSettings.adminDatabaseURL]
        var connection = try ConnectionSettings(url: url)
        connection.applicationName = "hearth-admin"
        connection.statementTimeoutSeconds = 300
        connection.commitTimeoutSeconds = 30
        // No statement runs often enough to gain from being prepared, and behind a pooler in
        // transaction mode prepared statements can't work.
        connection.preparesStatements = false
        return connection
    }

    /// Returns the operator's name for the audit log; nil if none was given and nobody is logged
    /// in.
    func operatorName() throws -> String? {
        let settings = try settings([
            HearthSettings.adminDatabaseURL, HearthSettings.operatorName,
        ])
        return self[Options.operatorName] ?? settings[HearthSettings.operatorName] ?? Login.name
    }

    /// Opens a session with the database in the operator's name.
    func session() throws -> OperatorSession {
        guard let name = try operatorName() else {
            throw UsageError("your name is unknown: pass --operator NAME")
        }
        return try OperatorSession(try connection(), operatorName: name)
    }

    /// Asks for confirmation before something that can't be undone.
    ///
    /// - Throws: `Declined` if the person says no.
    func confirm(_ question: String) throws {
        guard try Question.allows(question, isAnswered: self[Options.yes]) else {
            throw Declined()
        }
    }

    /// Returns the member who becomes guardian of the children, if one is named.
    func newGuardian(in session: OperatorSession, _ family: FamilyID) throws -> AdminMember? {
        try self[Options.newGuardian].map { try session.member($0, of: family) }
    }
}

/// Error when the person at the terminal said no.
struct Declined: Error, CustomStringConvertible {
    var description: String { "nothing was changed" }
}
