import HTTPServer
import UseCases

enum CodeEndpoints {
    static let join: @Sendable (Services, Call) throws -> Response = { services, call in
        let body = try RequestBody(call.request.body)
        let joined = try JoinFamilyByCode(services.database)(
            by: try call.requireCaller(), typedCode: try body.requiredText("familyCode"),
            from: call.client)
        return Response.json(joined.isWaiting ? 202 : 200) {
            $0.member("success", true)
            $0.member("familyId", joined.family.description)
            $0.member("familyName", joined.familyName)
            if joined.isWaiting {
                $0.member("status", "invited")
                $0.member("message", "Your request to join is waiting for approval")
            } else {
                $0.member("message", "Successfully joined family")
            }
        }
    }
}
