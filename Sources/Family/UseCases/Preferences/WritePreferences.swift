package import Domain
import Policy
import Postgres
import Repositories

/// Replaces preferences: the caller's own, or those of a child whose guardian the caller is.
package struct WritePreferences: Sendable {
    /// How long the stored document may be, in bytes of UTF-8.
    package static let maximumBytes = 16_384

    private let database: Database
    private let register: ConsentRegister?

    /// - Parameter register: What is stored first, if this instance has not yet; nil for nothing.
    package init(_ database: Database, _ register: ConsentRegister? = nil) {
        self.database = database
        self.register = register
    }

    /// - Parameters:
    ///   - member: Whose, by member id or user id; nil for the subject's own.
    ///   - document: A valid JSON object in UTF-8.
    /// - Returns: The preferences with the document as it is stored: of members with the same name
    ///   the last, in an order and with blanks that the database chooses.
    /// - Throws: ``Refusal``: `preferencesTooLarge`; `invalidField` for what is no object or
    ///   holds what can't be stored (NUL in a text, a number beyond all bounds); `memberNotFound`;
    ///   a refusal for another's; `consentRequired` for a child who lacks a required consent.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID, member: MemberID?, document: [UInt8]
    ) throws -> MemberPreferences {
        guard document.count <= Self.maximumBytes else { throw Refusal(.preferencesTooLarge) }
        try register?.apply(to: database)
        do {
            return try PostgresJSON.storing("preferences") {
                try database.transaction(
                    by: context, for: .preferencesWrite, in: .family(family),
                    reading: { batch in
                        let lacking = batch.add(Consents.lacking)
                        return { try $0.rows(lacking).map(\.value) }
                    }
                ) { roster, lacking, transaction in
                    let owner = try roster.preferencesOwner(member, lackingConsent: lacking)
                    var batch = Batch()
                    let stored = batch.add(
                        Preferences.write, family, owner.user, PostgresJSON(utf8: document))
                    let answers = try transaction.sendAndCommit(batch)
                    return MemberPreferences(of: owner, try answers.row(stored))
                }
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            // A right that was lost since it was decided upon.
            throw Refusal(.standingTooLow, underlying: error)
        }
    }
}
