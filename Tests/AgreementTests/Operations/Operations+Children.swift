import Domain
import Policy

/// Calls of API functions about children: invitations to graduate, and consents.
enum ChildOperations {
    private static let children: [(family: SampleFamily, person: SamplePerson)] =
        [SamplePerson.niece, .moved, .child, .toddler, .lost, .cousin, .teen, .grown].map {
            (.a, $0)
        } + [(.b, .other)]

    static let all: [Operation] = children.flatMap { on($0.person, in: $0.family) } + purposes

    private static func on(_ child: SamplePerson, in family: SampleFamily) -> [Operation] {
        let id = "'\(child.memberID(in: family))'"
        func call(
            _ name: String, _ sql: String, _ action: Action,
            unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false }
        ) -> Operation {
            Operation(
                name: "\(name) \(child)", sql: "SELECT \(sql)", kind: .call,
                questions: [Question(action, family, child)], obstacle: obstacle)
        }
        return [
            call(
                "invite to grow up:",
                "generation FROM app.start_graduation(\(id), NULL, 'player', 'kid', 'link')",
                .managedGraduate),
            call(
                "invite to grow up, as an adult kid:",
                "generation FROM app.start_graduation(\(id), NULL, 'player', 'adult', 'link')",
                .managedGraduate, unless: { _ in true }),
            call(
                "consent for", "app.give_consent(\(id), 'profile', '1', 'signed_in', NULL)",
                .consentGive),
            call(
                "consent to an older text for",
                "app.give_consent(\(id), 'profile', '0', 'signed_in', NULL)", .consentGive,
                unless: { _ in true }),
            call(
                "consent by a wrong code for",
                "app.give_consent(\(id), 'profile', '1', 'email_code', NULL)", .consentGive,
                unless: { _ in true }),
            call(
                "withdraw consent for", "app.withdraw_consent(\(id), 'profile')",
                .consentWithdraw),
        ]
    }

    /// Changes of a table that only a function writes.
    private static let purposes: [Operation] = [
        ("give oneself a consent by INSERT", consent),
        (
            "change consents by UPDATE",
            "UPDATE app.consents SET version = '2' WHERE purpose = 'profile'"
        ),
        ("delete consents", "DELETE FROM app.consents WHERE purpose = 'profile'"),
    ].map { StatementOperations.change($0.0, $0.1) }

    private static let consent =
        "INSERT INTO app.consents (family_unit_id, member_id, purpose, version, method, given_by) "
        + "VALUES ('\(SampleFamily.a.id)', '\(SamplePerson.toddler.userID)', 'profile', '1', "
        + "'signed_in', '\(SamplePerson.me.userID)')"
}
