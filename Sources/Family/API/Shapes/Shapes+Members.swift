import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    /// A member with the column names that clients know.
    ///
    /// This shape is written most often, so closures read its values: a key path to a property of a
    /// class checks for exclusive access each time.
    static let member = Shape<MemberWithGuardians>(
        "Member",
        [
            .shownID("id", { $0.member.id }, isManaged: { $0.member.isManaged }),
            .id("family_unit_id") { $0.member.family },
            .shownID("user_id", { $0.member.user }, isManaged: { $0.member.isManaged }),
            .word("role") { $0.member.role },
            .word("household_role") { $0.member.householdRole },
            .word("status") { $0.member.status },
            .time("added_at") { $0.member.addedAt },
            .flag("is_managed") { $0.member.isManaged },
            .idOrNull("parent_user_id") { $0.member.guardian },
            .list("guardians", guardian) { $0.guardians },
            .text("member_type", as: memberType) {
                $0.member.isManaged ? "managed" : "independent"
            },
            .text("display_name") { $0.member.displayName },
            .text("avatar_key") { $0.member.avatarKey ?? "" },
            .textOrNull("avatar_url") { $0.member.avatarURL },
            .time("created_at") { $0.member.createdAt },
            .time("updated_at") { $0.member.updatedAt },
            .object("users", memberUser) { $0 },
            .optionalObject("conflict", conflict) { $0.conflict },
        ])

    /// Conflict between two changes of a household role. Without `kept`, another person reverted
    /// the reader's change without having seen it.
    private static let conflict = Shape<RoleConflict>(
        "RoleConflict",
        [
            .optionalText("kept", as: .word(RoleConflict.WinningChange.allCases.map(\.rawValue))) {
                $0.winner?.rawValue
            },
            .optionalText("by", as: .uuid) { $0.winner == .yours ? nil : $0.by?.description },
            .optionalText("at", as: .timestamp) { $0.winner == .yours ? nil : $0.at.description },
            .optionalObject("overwrote", overwritten) { $0.winner == .yours ? $0 : nil },
        ])

    private static let overwritten = Shape<RoleConflict>(
        "OverwrittenChange",
        [
            .optionalText("household_role") { $0.householdRole?.rawValue },
            .optionalText("by", as: .uuid) { $0.by?.description },
            .time("at", \.at),
        ])

    private static let memberUser = Shape<MemberWithGuardians>(
        "MemberUser",
        [
            .shownID("id", { $0.member.user }, isManaged: { $0.member.isManaged }),
            .text("email", as: Schema.string.described("Empty unless the caller may see it.")) {
                $0.member.email ?? ""
            },
            .textOrNull("full_name") { $0.member.fullName },
            .word("role") { $0.member.accountRole },
        ])

    static let members = Shape<MemberService.Listing>(
        "Members",
        [
            .always("success", true),
            .id("familyId", \.family),
            .list("members", member) { $0.members },
            .count("count") { $0.members.count },
            .textOrNull("nextCursor") { $0.nextCursor },
        ] + choices(\.choices))

    static let changedMembers = Shape<[MemberWithGuardians]>(
        "ChangedMembers", [.always("success", true), .list("members", member) { $0 }])

    static let group = Shape<FamilyService.Group>(
        "Group",
        [
            .id("group_id", \.family.id),
            .text("name", \.family.name),
            .id("created_by", \.family.creator),
            .count("member_count", \.family.memberCount),
            .time("created_at", \.family.createdAt),
            .texts("streaming_services", \.streamingServices),
            .list("members", groupMember) { group in
                group.members.map { (member: $0, isCreator: $0.user == group.family.creator) }
            },
        ])

    /// Response for a caller without a family.
    static let noGroup = Shape<Void>("NoGroup", [.always("group", .null)])

    /// A member, and whether it created the family.
    private static let groupMember = Shape<(member: MemberWithGuardians, isCreator: Bool)>(
        "GroupMember",
        [
            .shownID("user_id", { $0.member.user }, isManaged: { $0.member.isManaged }),
            .text("display_name") { $0.member.displayName },
            .text("email", as: Schema.string.described("Empty unless the caller may see it.")) {
                $0.member.email ?? ""
            },
            .text("avatar_key") { $0.member.avatarKey ?? "" },
            .text("role", as: .word(["creator", "member"])) {
                $0.isCreator ? "creator" : "member"
            },
            .time("joined_at") { $0.member.addedAt },
            .flag("is_managed") { $0.member.isManaged },
            .idOrNull("parent_user_id") { $0.member.guardian },
            .list("guardians", guardian) { $0.member.guardians },
            .text("member_type", as: memberType) {
                $0.member.isManaged ? "managed" : "independent"
            },
        ])

    static let guardian = Shape<ListedGuardian>(
        "Guardian",
        [
            .id("userId") { $0.user },
            .id("memberId") { $0.member },
            .text("displayName") { $0.name },
            .flag("isPrimary") { $0.isPrimary },
            .time("since") { $0.since },
        ])

    private static let memberType = Schema.word(["independent", "managed"])

    /// A member's preferences: one object, whose fields are also written beside it for apps that
    /// expect them there.
    static let preferences = Shape<MemberPreferences>(
        "MemberPreferences",
        [
            .shownID("user_id", \.user, isManaged: \.isManaged),
            .id("group_id", \.family),
            .document("preferences", \.document),
            .timeOrNull("updated_at", \.updatedAt),
            .otherMembers(of: \.document, besides: preferencesNames),
        ])

    /// Names of the shape's own members in both spellings, because apps that translate one spelling
    /// into the other read them as one field.
    private static let preferencesNames = Set(
        ["user_id", "group_id", "preferences", "updated_at"].flatMap { name in
            [name] + (Spelling.alternative(of: name).map { [$0] } ?? [])
        })
}

extension Shapes {
    /// Returns the properties that the caller may choose for itself.
    static func choices<Value>(
        _ read: @escaping @Sendable (Value) -> OwnRoleChoices
    ) -> [Property<Value>] {
        [
            .words("selectableRoles") { read($0).selectableRoles },
            .word("parentAdmin") { read($0).parentAdmin },
        ]
    }
}
