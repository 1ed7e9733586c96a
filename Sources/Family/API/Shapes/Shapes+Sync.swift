import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    static let syncPage = Shape<SyncChanges.Page>(
        "SyncPage",
        [
            .list("changes", change, \.changes),
            .text("cursor", \.cursor),
            .flag("hasMore", \.hasMore),
            .flag("reset", \.isReset),
        ])

    private static let change = Shape<SyncedChange>(
        "Change",
        [
            .word("kind", \.kind),
            .text("id", as: .shownID) {
                UserID(rawValue: $0.id).shown(isManaged: $0.isManaged)
            },
            .idOrNull("familyId", \.family),
            Property(name: "version", schema: .count) { $1.member("version", Int($0.version)) },
            Property(
                name: "value", schema: .reference(ChangedValue().name), isAlwaysPresent: false,
                part: ChangedValue()
            ) { change, json in
                if let value = change.value { write(value, to: &json) }
            },
            Property(
                name: "deleted",
                schema: Schema.boolean.described(
                    "Always true: the entity is deleted, or no longer visible to the caller."),
                isAlwaysPresent: false
            ) { change, json in
                if change.value == nil { json.member("deleted", true) }
            },
        ])

    private static func write(_ value: SyncedChange.Value, to json: inout JSONWriter) {
        switch value {
        case .family(let value): json.object("value") { family.write(value, to: &$0) }
        case .member(let value): json.object("value") { member.write(value, to: &$0) }
        case .invitation(let value): json.object("value") { invitation.write(value, to: &$0) }
        case .receivedInvitation(let value):
            json.object("value") { receivedInvitation.write(value, to: &$0) }
        case .profile(let value): json.object("value") { ownProfile.write(value, to: &$0) }
        case .preferences(let value): json.object("value") { preferences.write(value, to: &$0) }
        case .playerDetails(let value): json.object("value") { details.write(value, to: &$0) }
        case .attributes(let document): json.member("value", raw: document)
        }
    }

    /// A profile as `GET /api/me` shows it, without the families: those are separate changes.
    private static let ownProfile = Shape<SyncedChange.Profile>(
        "OwnProfile",
        [
            .shownID("id", \.own.id) { $0.own.kind == .managed },
            .text("email") { $0.own.email ?? "" },
            .textOrNull("fullName", \.own.fullName),
            .text("displayName", \.own.displayName),
            .word("role", \.own.role),
            .flag("roleIsDefault", \.own.isRoleDefault),
            .text("avatarKey") { $0.own.avatarKey ?? "" },
            .textOrNull("avatarUrl", \.own.avatarURL),
            .textOrNull("locale", \.own.locale),
            .flag("isManaged") { $0.own.kind == .managed },
            .list("joinRequests", joinRequest, \.joinRequests),
            .list("consentsMissing", missingConsent, \.missingConsents),
        ])

    /// The value of a change; the change's kind determines which of these shapes it has.
    private struct ChangedValue: DescribedShape {
        let name = "ChangedValue"

        var schema: Schema {
            Schema(["anyOf": .array(parts.map { Schema.reference($0.name).value } + [Self.any])])
        }

        /// Schema of attributes.
        private static let any: JSONValue = ["type": "object"]

        var parts: [any DescribedShape] {
            [family, member, invitation, receivedInvitation, ownProfile, preferences, details]
        }
    }
}
