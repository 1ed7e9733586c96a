package import Domain
import Policy
import Postgres
import Repositories

extension MemberService {
    /// Reads preferences: the caller's own, or those of a child whose guardian the caller is.
    ///
    /// - Parameter member: The owner, by member id or user id; nil for the subject.
    /// - Throws: ``Refusal``: `memberNotFound`; a refusal for another member's preferences.
    package func readPreferences(
        by context: RequestContext, family: FamilyID, member: MemberID?
    ) throws -> MemberPreferences {
        try database.change(.preferencesRead, in: .family(family), by: context) { roster, batch in
            let owner = try roster.preferencesOwner(member)
            let stored = batch.add(Preferences.read, family, owner.user)
            return { MemberPreferences(of: owner, try $0.first(stored)) }
        }
    }

    /// Maximum length of the stored document, in bytes of UTF-8.
    package static let preferencesLimitBytes = 16_384

    /// Replaces preferences: the caller's own, or those of a child whose guardian the caller is.
    ///
    /// - Parameters:
    ///   - member: The owner, by member id or user id; nil for the subject.
    ///   - document: A valid JSON object in UTF-8.
    /// - Returns: The preferences with the document as stored: if JSON members have the same name,
    ///   only the last remains, and the database chooses order and white space.
    /// - Throws: ``Refusal``: `preferencesTooLarge`; `invalidField` if the document is not an
    ///   object or contains data that can't be stored (NUL in a text, a number out of range);
    ///   `memberNotFound`; a refusal for another member's preferences; `consentRequired` for a
    ///   child who lacks a required consent.
    package func writePreferences(
        by context: RequestContext, family: FamilyID, member: MemberID?, document: [UInt8]
    ) throws -> MemberPreferences {
        guard document.count <= Self.preferencesLimitBytes else {
            throw Refusal(.preferencesTooLarge)
        }
        try register?.apply(to: database)
        do {
            return try PostgresJSON.storing("preferences") {
                try database.transaction(
                    by: context, for: .preferencesWrite, in: .family(family),
                    reading: { batch in
                        let lacking = batch.add(Consents.childrenWithoutConsent)
                        return { try $0.rows(lacking).map(\.value) }
                    }
                ) { roster, lacking, transaction in
                    let owner = try roster.preferencesOwner(member, lackingConsent: lacking)
                    var batch = Batch()
                    let stored = batch.add(
                        Preferences.write, family, owner.user, PostgresJSON(utf8: document))
                    let results = try transaction.sendAndCommit(batch)
                    return MemberPreferences(of: owner, try results.row(stored))
                }
            }
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            // The caller lost the right after the decision.
            throw Refusal(.standingTooLow, underlying: error)
        }
    }
}

/// The preferences of a family's member, in a format that only apps understand.
package struct MemberPreferences: Sendable {
    package let user: UserID
    /// Whether the member is a child without an account.
    package let isManaged: Bool
    package let family: FamilyID
    /// A JSON object in UTF-8; `{}` if nothing is stored.
    package let document: [UInt8]
    /// Time of the last change; nil if nothing is stored.
    package let updatedAt: Timestamp?

    init(of owner: FamilyMember, _ stored: StoredPreferences?) {
        self.init(owner.user, isManaged: owner.isManaged, in: owner.family, stored)
    }

    init(_ user: UserID, isManaged: Bool, in family: FamilyID, _ stored: StoredPreferences?) {
        self.user = user
        self.isManaged = isManaged
        self.family = family
        document = stored?.document.utf8 ?? Array("{}".utf8)
        updatedAt = stored?.updatedAt
    }
}

extension Roster {
    /// Returns the member whose preferences a request is about, if the policy allows the request.
    ///
    /// - Parameters:
    ///   - id: A member's id or its user's, which are the same for managed members; nil for the
    ///     subject.
    ///   - lacking: Children who lack a required consent.
    func preferencesOwner(
        _ id: MemberID?, lackingConsent lacking: [UserID] = []
    ) throws(Refusal) -> FamilyMember {
        let owner = rows.first { row in
            id.map { row.id == $0 || row.user.rawValue == $0.rawValue }
                ?? (row.user == subject.user)
        }
        guard let owner else { throw Refusal(.memberNotFound) }
        try require(facts(about: owner).with(lacksConsent: lacking.contains(owner.user)))
        return owner
    }
}
