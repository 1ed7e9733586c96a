import Domain
import JSON
import Repositories
import UseCases

/// The shapes of responses. The apps know these names.
enum Shapes {}

extension Shapes {
    /// A response that only confirms success.
    static let success = Shape<Void>("Success", [.always("success", true)])

    static let createdFamily = Shape<CreatedFamily>(
        "CreatedFamily",
        [
            .always("success", true),
            .id("familyId", \.id),
            .text("familyCode", as: code, \.code),
            .text("familyName", \.name),
            .optionalText("message", as: .constant("Family already exists")) {
                $0.existed ? "Family already exists" : nil
            },
        ])

    static let family = Shape<ListedFamily>(
        "Family",
        [
            .id("familyId", \.id),
            .text("familyCode", as: code, \.code),
            .text("familyName", \.name),
            .text(
                "codeGeneratedAt", as: Schema.string.described("Empty if there is no code.")
            ) { $0.codeGeneratedAt?.description ?? "" },
            .timeOrNull("codeExpiresAt", \.codeExpiresAt),
            .word("role", \.role),
            .word("householdRole", \.householdRole),
            .shownID("memberId", \.member, isManaged: \.isManaged),
            .count("memberCount", \.memberCount),
            .count("memberLimit", \.memberLimit),
            .id("createdByUserId", \.creator),
            .flag("approvalRequired", \.isApprovalRequired),
            .numberOrNull("homeLatitude", \.homeLatitude),
            .numberOrNull("homeLongitude", \.homeLongitude),
            .time("createdAt", \.createdAt),
            .time("updatedAt", \.updatedAt),
        ] + choices(\.choices))

    static let families = Shape<[ListedFamily]>("Families", [.list("families", family) { $0 }])

    static let codePreview = Shape<CodeService.Preview>(
        "CodePreview",
        [
            .text("familyName", \.familyName),
            .count("memberCount", \.memberCount),
            .flag("approvalRequired", \.isApprovalRequired),
        ])

    static let joinedFamily = Shape<CodeService.Joined>(
        "JoinedFamily",
        [
            .always("success", true),
            .id("familyId", \.family),
            .text("familyName", \.familyName),
            .always("message", "Successfully joined family"),
            .optionalText("leftFamilyId", as: .uuid) { $0.leftFamily?.description },
        ])

    static let awaitedApproval = Shape<CodeService.Joined>(
        "AwaitedApproval",
        [
            .always("success", true),
            .id("familyId", \.family),
            .text("familyName", \.familyName),
            .always("status", "invited"),
            .always("message", "Your request to join is waiting for approval"),
        ])

    static let regeneratedCode = Shape<RegeneratedCode>(
        "RegeneratedCode",
        [
            .always("success", true),
            .text("familyCode", as: code, \.code),
            .time("codeGeneratedAt", \.generatedAt),
            .timeOrNull("codeExpiresAt", \.expiresAt),
        ])

    private static let code = Schema([
        "type": "string", "pattern": "^(FAM-[A-Z0-9]{6,8})?$",
        "description": "Empty if it has expired or the caller may not see it.",
    ])
}
