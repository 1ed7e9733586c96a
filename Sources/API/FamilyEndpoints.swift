import Domain
import HTTPServer
import UseCases

enum FamilyEndpoints {
    static let create: @Sendable (Services, Call) throws -> Response = { services, call in
        let body = try RequestBody(call.request.body)
        let family = try CreateFamily(services.database)(
            by: try call.requireCaller(),
            name: try body.bounded("familyName", as: FamilyName.self),
            role: try body.word("role", as: MemberRole.self))
        return Response.json {
            $0.member("success", true)
            $0.member("familyId", family.id.description)
            $0.member("familyCode", family.code)
            $0.member("familyName", family.name)
            if family.existed { $0.member("message", "Family already exists") }
        }
    }
}
