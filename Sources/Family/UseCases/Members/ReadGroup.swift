package import Domain
import Policy
import Postgres
package import Repositories

/// Reads a family with its members, as one group.
package enum ReadGroup {
    /// A family and its members.
    package struct Group: Sendable {
        package let family: ListedFamily
        /// What the family's attributes say; empty for who may not read them.
        package let streamingServices: [String]
        /// Active members, in the order in which they came.
        package let members: [ListedMember]
    }

    /// The use case as a read, which can be batched with others.
    package static func reading(by context: RequestContext, family: FamilyID) -> Read<Group> {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            let members = batch.add(Members.ofFamily, family)
            let services = batch.add(FamilyAttributes.streamingServices, family)
            return { answers, subject in
                try Self.group(
                    try answers.first(row), try answers.rows(members), try answers.first(services),
                    subject)
            }
        }
    }

    /// The same of the caller's own: of several families the oldest with other active members,
    /// otherwise the one that the caller made, otherwise the oldest; nil without any.
    package static func readingMine(by context: RequestContext) -> Read<Group?> {
        Read(by: context) { batch in
            let row = batch.add(Families.first)
            let members = batch.add(Members.ofFirstFamily)
            let services = batch.add(FamilyAttributes.streamingServicesOfFirst)
            return { answers, subject in
                guard let family = try answers.first(row) else { return nil }
                return try Self.group(
                    family, try answers.rows(members), try answers.first(services), subject)
            }
        }
    }

    private static func group(
        _ family: ListedFamily?, _ members: [ListedMember], _ services: Scalar<[String]>?,
        _ subject: Subject
    ) throws -> Group {
        let family = try ReadFamily.require(.familyRead, of: family, subject)
        try family.facts(of: subject).require(.memberList)
        return Group(
            family: family, streamingServices: services?.value ?? [],
            members: ListedMember.list(members).filter { $0.status == .active })
    }
}
