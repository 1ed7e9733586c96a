import Domain
import UseCases

/// The caller's own profile, and the profiles that it can switch to.
enum ProfileEndpoints {
    static let read = Operation.read(
        "readProfile", "Reads the caller's profile; while acting, the managed member's.",
        responses: [.ok(Shapes.profile)], tag: .content
    ) { call in
        try ProfileService.read(by: call.context).map { .of(Shapes.profile, $0) }
    }

    private static let fullName = Input<PersonName?>.optional(
        "fullName", .text.orEmpty,
        "If missing or empty, it stays unchanged. A managed member's name has 1 to 30 characters.")
    private static let role = Input<MemberRole?>.optional(
        "role", .word,
        "The account's role. It can change only while the caller is in no family or alone in one, "
            + "and waits for none. If `roleIsDefault` is true, it can be set once in any case; the "
            + "household role changes as well, unless others have set it.")
    private static let avatarURL = Input<PatchValue<AvatarURL>>.clearable(
        "avatarUrl", .avatarURL, "Null or empty clears it.")
    private static let locale = Input<LanguageTag?>.optional(
        "locale", .languageTag.orEmpty,
        "The language of e-mails to the account. If missing or empty, it stays unchanged.")

    static let update = Operation(
        "updateProfile", "Changes the caller's profile; while acting, the managed member's.",
        inputs: [fullName, role, Inputs.avatarKey, avatarURL, locale],
        responses: [.ok(Shapes.profile)],
        refusals: .byAccount
            + [.roleFixedInFamily, .playerHasFamily, .guardianHasManagedMembers],
        replay: { services, call, _ in
            // The profile contains all families, which may have changed since the stored response.
            .of(Shapes.profile, try services.profiles.profile(by: call.context))
                .tagged(at: call.request, for: call.context)
        }
    ) { services, call in
        let url: AvatarURL? =
            switch try call[avatarURL] {
            case .absent: nil
            case .null: AvatarURL("")
            case .value(let url): url
            }
        let name = try call[fullName]
        if let name, call.caller.actingAs != nil,
            let fault = DisplayName.fault(in: name.text)
        {
            throw Problem.field(
                "fullName", "`fullName` of a managed member \(fault).", .invalidField)
        }
        let change = ProfileService.Change(
            fullName: name, avatarKey: try call[Inputs.avatarKey].change,
            avatarURL: url, role: try call[role], locale: try call[locale])
        return .of(
            Shapes.profile, try services.profiles.update(by: call.context, change))
    }.guarded

    static let list = Operation.read(
        "listProfiles",
        "Lists the profiles that the account can switch to, its own first. Acting for a member "
            + "does not change the list.",
        inputs: [Inputs.familyInQuery], responses: [.ok(Shapes.profiles)],
        refusals: [.familyRequired, .familyNotFound], tag: .allVersions
    ) { call in
        let isActing = call.caller.actingAs != nil
        return try ProfileService.list(by: call.context, family: call[Inputs.familyInQuery])
            .map { profiles in
                var reply = Reply.of(Shapes.profiles, profiles)
                // The choices belong to the guardian, whose versions the child's tag does not
                // include.
                reply.isUntagged = isActing
                return reply
            }
    }.ignoringRefusedDelegation
}
