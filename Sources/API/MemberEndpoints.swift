import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

enum MemberEndpoints {
    static let list: @Sendable (Services, Call) throws -> Response = { services, call in
        let listing = try ListMembers(services.database)(
            by: try call.requireCaller(), family: try call.familyInQuery())
        return Response.json { json in
            json.member("success", true)
            json.member("familyId", listing.family.description)
            json.array("members") { json in
                for member in listing.members {
                    json.object { write(member, to: &$0) }
                }
            }
            json.member("count", listing.members.count)
        }
    }

    /// A member with the column names that clients know.
    static func write(_ member: ListedMember, to json: inout JSONWriter) {
        let user = member.isManaged ? "managed_\(member.user)" : member.user.description
        json.member("id", member.isManaged ? "managed_\(member.id)" : member.id.description)
        json.member("family_unit_id", member.family.description)
        json.member("user_id", user)
        json.member("role", member.role.rawValue)
        json.member("household_role", member.householdRole.rawValue)
        json.member("status", member.status.rawValue)
        json.member("added_at", member.addedAt.description)
        json.member("is_managed", member.isManaged)
        json.member("parent_user_id", member.guardian?.description)
        json.member("member_type", member.isManaged ? "managed" : "independent")
        json.member("avatar_key", member.avatarKey ?? "")
        json.object("users") {
            $0.member("id", user)
            $0.member("email", member.email ?? "")
            $0.member("full_name", member.fullName)
            $0.member("role", member.accountRole.rawValue)
        }
    }
}
