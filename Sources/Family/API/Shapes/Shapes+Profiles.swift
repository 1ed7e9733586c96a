import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    /// The caller's profile; while acting, the managed member's. An anonymous caller has none.
    static let profile = Shape<ProfileService.Profile>(
        "Profile",
        [
            .text("id", as: ownID) { profile in
                profile.own.map { $0.id.shown(isManaged: $0.kind == .managed) } ?? ""
            },
            .text("email") { $0.own?.email ?? "" },
            .textOrNull("fullName") { $0.own?.fullName },
            .text("displayName") { $0.own?.displayName ?? "Member" },
            .word("role") { $0.own?.role ?? .parent },
            .flag("roleIsDefault") { $0.own?.isRoleDefault ?? false },
            .text("avatarKey") { $0.own?.avatarKey ?? "" },
            .textOrNull("avatarUrl") { $0.own?.avatarURL },
            .textOrNull("locale") { $0.own?.locale },
            .flag("isManaged") { $0.own?.kind == .managed },
            .list("families", family, \.families),
            .list("joinRequests", joinRequest, \.joinRequests),
            .list("consentsMissing", missingConsent, \.missingConsents),
            .optionalObject("actor", actor, \.actor),
        ])

    private static let ownID = Schema([
        "type": "string", "description": "Empty for an anonymous caller.",
    ])

    /// A request to join that waits for the family's approval.
    static let joinRequest = Shape<JoinRequest>(
        "JoinRequest",
        [
            .id("familyId", \.family),
            .text("familyName", \.familyName),
            .word("role", \.role),
            .time("requestedAt", \.requestedAt),
        ])

    static let missingConsent = Shape<MissingConsent>(
        "MissingConsent", [.text("purpose", \.purpose), .text("version", \.version)])

    private static let actor = Shape<SwitchableProfile>(
        "Actor", [.id("id", \.user), .textOrNull("fullName") { $0.name }])

    static let profiles = Shape<[SwitchableProfile]>(
        "Profiles", [.list("profiles", switchableProfile) { $0 }])

    private static let switchableProfile = Shape<SwitchableProfile>(
        "SwitchableProfile",
        [
            .shownID("memberId", \.user, isManaged: \.isManaged),
            .text("displayName", \.name),
            .text("avatarKey") { $0.avatarKey ?? "" },
            .flag("isManaged", \.isManaged),
            .idOrNull("parentUserId", \.guardian),
            .list("guardians", guardian, \.guardians),
            .idOrNull("familyId", \.family),
        ])

    static let playerDetails = Shape<PlayerDetails>(
        "PlayerDetailsAnswer",
        [.always("success", true), .object("playerDetails", details) { $0 }])

    static let details = Shape<PlayerDetails>(
        "PlayerDetails",
        [
            .textOrNull("playerName") { $0.name?.text },
            .textOrNull("playerDob") { $0.dateOfBirth?.description },
            .countOrNull("graduationYear", \.graduationYear),
            .textOrNull("sport") { $0.sport?.text },
            .textOrNull("position") { $0.position?.text },
            .textOrNull("gender") { $0.gender?.text },
            .otherTexts(as: Schema.string.described("A further detail.")) { details in
                details.further.map { (name: $0.key.text, text: $0.value.text) }
                    .sorted { $0.name < $1.name }
            },
        ])
}
