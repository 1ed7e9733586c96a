import Basics
import Domain
import JSON
import Repositories
import UseCases

/// The banner about conflicting changes of household roles, made without knowledge of each other.
/// The rest of the page stays usable.
struct RoleConflictViews: LocalizedView {
    private let family: FamilyParts
    private let overview: FamilyOverview

    init(_ family: FamilyParts, _ overview: FamilyOverview) {
        self.family = family
        self.overview = overview
    }

    var language: Language { family.language }

    /// Returns the notices about the change that the reader has overwritten, and about the reader's
    /// changes that other people have overwritten.
    func banner() throws -> HTML {
        let own: HTML =
            overwritten().map { "<p class=\"notice\" role=\"status\">\($0)</p>\n" } ?? ""
        if overview.conflicts.isEmpty { return own }
        let lines = overview.conflicts.reduce(into: HTML("")) { html, conflict in
            let name = overview.member(conflict.member)?.member.displayName ?? ""
            let author = self.name(conflict.conflict.by)
            html = "\(html)<p>\(say(.roleUndone(of: name, by: author)))</p>\n"
        }
        let hide = try family.button(
            to: "family", FamilyMainPage.Action.hide.rawValue, in: overview.family.id,
            style: "plain", say(.understood))
        return """
            \(own)<div class="notice" role="status" data-part="conflicts">
            \(lines)\(hide)</div>

            """
    }

    /// Returns the sentence about the change that the last form has overwritten.
    private func overwritten() -> HTML? {
        guard let overwritten = OverwrittenRole(family.visit),
            let member = family.visit.parameter("member").flatMap({ MemberID($0) }),
            let target = overview.member(member)?.member
        else { return nil }
        return say(
            .roleOverwritten(
                of: target.displayName, overwritten.role, by: name(overwritten.author)))
    }

    /// Name of a change's author; nil if the author is not in the family.
    private func name(_ author: MemberID?) -> String? {
        author.flatMap { overview.member($0)?.member.displayName }
    }
}

/// A change of a household role that a form has overwritten, because its page did not show it yet.
struct OverwrittenRole {
    /// Household role that the overwritten change had given.
    let role: HouseholdRole
    let author: MemberID?

    private static let roleName = "overwrote"
    private static let authorName = "author"

    /// Returns the address parameters with which the next page shows the change; empty if there was
    /// no conflict.
    static func parameters(of answer: JSONField) throws -> [(name: String, value: String)] {
        guard let overwrote = try answer["conflict"].ifPresent?["overwrote"].ifPresent,
            let role = try overwrote["household_role"].ifPresent?.string()
        else { return [] }
        let author = try overwrote["by"].ifPresent?.string()
        return [(roleName, role)] + (author.map { [(authorName, $0)] } ?? [])
    }

    /// Reads the change from the address; nil if the address has none.
    init?(_ visit: PageVisit) {
        guard let role = visit.parameter(Self.roleName).flatMap({ HouseholdRole(rawValue: $0) })
        else { return nil }
        self.role = role
        author = visit.parameter(Self.authorName).flatMap { MemberID($0) }
    }
}
