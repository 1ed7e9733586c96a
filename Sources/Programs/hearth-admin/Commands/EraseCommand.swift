import Domain
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin erase`: the right to be forgotten.
enum EraseCommand {
    private static let heirs = Parameter<[String]>.repeatedOption(
        "reassign-managed-to", "MEMBER", .member,
        "Who becomes guardian of the children that the person guards: a member's id, e-mail "
            + "address or name. One for each family.")

    static let command = Command(
        "erase", "Erases all that tells who a person was.",
        discussion: [
            "In one transaction: name, e-mail address, pictures, sign-ins, preferences, "
                + "invitations to the address; it leaves all its families. The audit trail keeps "
                + "its id and nothing else. Whoever signs in so again is a new person. It can't "
                + "be undone.",
            "Children that the person guards need another guardian: --reassign-managed-to, or "
                + "remove them first. A Parent Admin's seat is vacant afterwards.",
        ],
        parameters: [Options.user, heirs, Options.yes],
        examples: [
            Example(
                "hearth-admin erase parent@example.com --reassign-managed-to other@example.com",
                "erases a guardian, whose children get another")
        ]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let families = try session.memberships(of: user.id).filter { $0.status != .removed }
        let heirs = try values[heirs].map { try heir($0, among: families, session) }
        let name = user.fullName ?? user.id.description
        let names = families.map(\.familyName).joined(separator: ", ")
        try values.confirm(
            "Erase \(name)\(names.isEmpty ? "" : ", of \(names)")? This can't be undone.")
        let erased = try session.erase(user.id, heirs: heirs)
        values.prints.done(
            "erased \(user.id); families left: \(erased.membershipCount), sign-ins forgotten: "
                + "\(erased.signInCount), invitations emptied: \(erased.invitationCount)"
        ) {
            $0.member("userId", user.id.description)
            $0.member("memberships", erased.membershipCount)
            $0.member("signIns", erased.signInCount)
            $0.member("invitations", erased.invitationCount)
        }
        return ExitCode.success
    }

    /// The member that is meant, in whichever of the families there is one called so.
    private static func heir(
        _ word: String, among families: [OperatedMember], _ session: OperatorSession
    ) throws -> MemberID {
        var refusal: OperatorRefusal?
        for family in families {
            do {
                return try session.member(word, of: family.family).id
            } catch let error as OperatorRefusal {
                refusal = error
            }
        }
        throw refusal
            ?? OperatorRefusal(
                .memberNotFound, "This person is in no family: nobody is handed over.")
    }
}
