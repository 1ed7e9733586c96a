package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns families whose names contain a text (nil: all), newest first.
    package func families(
        search: String?, _ page: OperatorPageRequest
    ) throws -> OperatorPage<AdminFamily> {
        let rows = try rows(
            AdminFamilies.page, search, page.start?.at, page.id(Family.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.createdAt, $0.id) }
    }

    /// Finds the family that an operator names by its id, its code, its name or a part of its name.
    ///
    /// - Throws: ``OperatorRefusal`` if none or several match.
    package func family(_ word: String) throws -> AdminFamily {
        let id = FamilyID(word)
        let code = FamilyCode(word)
        if id != nil || code != nil {
            let matches = try rows(AdminFamilies.ofIDOrCode, id, code?.text)
            if let family = matches.first { return family }
        }
        let matches = id == nil ? try rows(AdminFamilies.named, word) : []
        guard let family = matches.first else {
            throw afterReplication(
                OperatorRefusal.notFound(
                    .family, word, expected: "an id, a code such as FAM-XXXXXX, or a part of a name"
                ))
        }
        guard matches.count == 1 else {
            throw OperatorRefusal.ambiguous(.family, word, matches.map { "\($0.id)  \($0.name)" })
        }
        return family
    }

    /// Creates a family for an account, which becomes its creator and first member.
    ///
    /// Always creates one, even if the account has a family already.
    package func createFamily(
        owner: UserID, name: FamilyName?, role: MemberRole?
    ) throws -> AdminNewFamily {
        try run(writes: true) { batch in
            let created = batch.add(AdminFamilies.create, owner, name?.text, role)
            return { try $0.row(created) }
        }
    }

    /// Renames a family.
    package func renameFamily(_ family: FamilyID, to name: FamilyName) throws {
        try change(AdminFamilies.rename, family, name.text)
    }

    /// Assigns a family a new code, valid for a number of days or (nil) without expiry. The old one
    /// stops working.
    package func replaceCode(of family: FamilyID, expiresInDays: Int?) throws {
        try change(AdminFamilies.replaceCode, family, expiresInDays.map { Int32($0) })
    }

    /// Makes an adult the Parent Admin. The previous one becomes an adult.
    ///
    /// The adults are notified by e-mail.
    package func transferAdmin(to member: AdminMember) throws {
        guard member.householdRole != .parentAdmin else {
            throw afterReplication(
                OperatorRefusal(.alreadyAdmin, "This member is the Parent Admin already."))
        }
        try run(writes: true) { batch in
            batch.add(AdminFamilies.transferAdmin, member.id)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }
}
