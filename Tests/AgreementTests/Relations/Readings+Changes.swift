import Domain
import Policy

extension Reading {
    /// Change logs for clients: each audience reads the changes of data that it may see.
    static let changes: [Reading] = [
        Reading(
            name: "table family_versions",
            sql: "SELECT \(tail("family_unit_id")) FROM app.family_versions",
            cells: \.familyCount,
            expected: { reader in
                Set(SampleFamily.existing.filter { reader.may(.familyRead, $0) }.map(\.tail))
            }),
        Reading(
            name: "table family_changes",
            sql: "SELECT \(tail("family_unit_id")) || audience FROM app.family_changes",
            cells: { $0.familyCount * 5 },
            expected: { reader in
                var seen: Set<String> = []
                for family in SampleFamily.existing {
                    let audiences: [(Action, String)] = [
                        (.familyRead, "members"), (.invitationList, "own"),
                        (.attributesRead, "residents"), (.playerDetailsRead, "trusting"),
                        (.memberApprove, "governors"),
                    ]
                    for (action, audience) in audiences where reader.may(action, family) {
                        seen.insert(family.tail + audience)
                    }
                }
                return seen
            }),
        Reading(
            name: "table role_conflicts",
            sql: "SELECT DISTINCT \(tail("user_id")) FROM app.role_conflicts",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in oneself(reader) }),
        Reading(
            name: "table user_versions",
            sql: "SELECT \(tail("user_id")) FROM app.user_versions",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in oneself(reader) }),
        Reading(
            name: "table user_changes",
            sql: "SELECT \(tail("user_id")) FROM app.user_changes",
            cells: { _ in SamplePerson.allCases.count },
            expected: { reader in oneself(reader) }),
    ]

    private static func oneself(_ reader: Reader) -> Set<String> {
        reader.asker.subject.map { [$0.tail] } ?? []
    }
}
