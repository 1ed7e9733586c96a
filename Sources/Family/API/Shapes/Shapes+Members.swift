import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    /// A member with the column names that clients know.
    static let member = Shape<ListedMember>(
        "Member",
        [
            .shownID("id", \.id, isManaged: \.isManaged),
            .id("family_unit_id", \.family),
            .shownID("user_id", \.user, isManaged: \.isManaged),
            .word("role", \.role),
            .word("household_role", \.householdRole),
            .word("status", \.status),
            .time("added_at", \.addedAt),
            .flag("is_managed", \.isManaged),
            .idOrNull("parent_user_id", \.guardian),
            .list("guardians", guardian, guardians),
            .text("member_type", as: memberType) { $0.isManaged ? "managed" : "independent" },
            .text("display_name") { $0.fullName ?? "" },
            .text("avatar_key") { $0.avatarKey ?? "" },
            .object("users", memberUser) { $0 },
        ])

    private static let memberUser = Shape<ListedMember>(
        "MemberUser",
        [
            .shownID("id", \.user, isManaged: \.isManaged),
            .text("email", as: Schema.string.described("Empty unless the caller may see it.")) {
                $0.email ?? ""
            },
            .textOrNull("full_name", \.fullName),
            .word("role", \.accountRole),
        ])

    static let members = Shape<ListMembers.Listing>(
        "Members",
        [
            .always("success", true),
            .id("familyId", \.family),
            .list("members", member, \.members),
            .count("count", \.members.count),
        ] + choices(\.choices))

    static let changedMembers = Shape<[ListedMember]>(
        "ChangedMembers", [.always("success", true), .list("members", member) { $0 }])

    static let group = Shape<ReadGroup.Group>(
        "Group",
        [
            .id("group_id", \.id),
            .text("name", \.name),
            .list("members", groupMember, \.members),
        ])

    private static let groupMember = Shape<ListedMember>(
        "GroupMember",
        [
            .shownID("user_id", \.user, isManaged: \.isManaged),
            .text("display_name") { $0.fullName ?? "" },
            .text("avatar_key") { $0.avatarKey ?? "" },
            .flag("is_managed", \.isManaged),
            .idOrNull("parent_user_id", \.guardian),
            .list("guardians", guardian, guardians),
            .text("member_type", as: memberType) { $0.isManaged ? "managed" : "independent" },
        ])

    private struct ShownGuardian {
        let guardian: ListedGuardian
        let isPrimary: Bool
    }

    @Sendable private static func guardians(_ member: ListedMember) -> [ShownGuardian] {
        member.guardians.map {
            ShownGuardian(guardian: $0, isPrimary: $0.user == member.guardian)
        }
    }

    private static let guardian = Shape<ShownGuardian>(
        "Guardian",
        [
            .id("userId", \.guardian.user),
            .id("memberId", \.guardian.member),
            .text("displayName", \.guardian.name),
            .flag("isPrimary", \.isPrimary),
            .time("since", \.guardian.since),
        ])

    private static let memberType = Schema.word(["independent", "managed"])
}
