package import Domain
import Policy
import Postgres
import Repositories

/// Replaces preferences: the caller's own, or those of a child whose guardian the caller is.
package struct WritePreferences: Sendable {
    /// How long the stored document may be, in bytes of UTF-8.
    package static let maximumBytes = 16_384

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Parameters:
    ///   - member: Whose, by member id or user id; nil for the subject's own.
    ///   - document: A valid JSON object in UTF-8.
    /// - Returns: The preferences with the document as it is stored: of members with the same name the last, in an order
    ///   and with blanks that the database chooses.
    /// - Throws: ``Refusal``: `preferencesTooLarge`; `invalidField` for what is no object or
    ///   holds what can't be stored (NUL in a text, a number beyond all bounds); `memberNotFound`; a
    ///   refusal for another's.
    package func callAsFunction(
        by caller: Caller, family: FamilyID, member: MemberID?, document: [UInt8]
    ) throws -> MemberPreferences {
        guard document.count <= Self.maximumBytes else { throw Refusal(.preferencesTooLarge) }
        do {
            return try PostgresJSON.storing("preferences") {
                try database.change(.preferencesWrite, in: .family(family), by: caller) {
                    roster, batch in
                    let owner = try roster.preferencesOwner(member)
                    let stored = batch.add(
                        Preferences.write, family, owner.user, PostgresJSON(utf8: document))
                    let settled = batch.settle(for: caller)
                    return { answers in
                        try settled(answers, roster.subject)
                        return MemberPreferences(of: owner, try answers.row(stored))
                    }
                }
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            // A right that was lost since it was decided upon.
            throw Refusal(.standingTooLow, underlying: error)
        }
    }
}
