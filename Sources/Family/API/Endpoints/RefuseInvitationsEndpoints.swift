import HTTPServer
import Telemetry
import UseCases

/// Refusal of further invitations, for people and for mail programs (RFC 8058).
enum RefuseInvitationsEndpoints {
    private static let token = Input<String?>.query(
        "token", .invitationToken, "The token from an invitation's link.")
    private static let all = Input<Bool?>.query(
        "all", .flag, "Whether to refuse the invitations of all families.")

    static let page = Operation.open(
        "showRefusePage", "Shows the page that asks which invitations to refuse. Changes nothing.",
        inputs: [token], responses: [.media("text/html", "A page.")],
        refusals: [.invitationNotFound, .missingField],
        failurePage: failure
    ) { services, call in
        let token = try present(call[token])
        let family = try services.receivedInvitations.refusableFamily(
            token: token, from: call.client)
        return try RefuseInvitationsPage.question(
            PageVisit(services, call.request), family: family, token: token)
    }

    static let refuse: Operation = {
        var operation = Operation.open(
            "refuseInvitations",
            "Stops e-mails with invitations to the address that received the link. A body is "
                + "ignored.",
            inputs: [token, all], responses: [.media("text/html", "A page.")],
            refusals: [.invitationNotFound, .missingField],
            failurePage: failure
        ) { services, call in
            try services.receivedInvitations.refuse(
                token: present(call[token]), ofAll: call[all] ?? false, from: call.client)
            return try RefuseInvitationsPage.done(PageVisit(services, call.request))
        }
        operation.ignoresBody = true
        return operation
    }()

    private static func present(_ token: String?) throws(Problem) -> String {
        guard let token else { throw Problem(.missingField, "This link is not complete.") }
        return token
    }

    private static let failure: @Sendable (Services, Request, Problem) -> Reply = {
        services, request, problem in
        do {
            let visit = try PageVisit(services, request)
            let isDead = [.refusal(.invitationNotFound), .refusal(.missingField)]
                .contains(problem.code)
            return isDead
                ? try RefuseInvitationsPage.dead(visit, problem)
                : try ProblemPage.reply(visit, problem)
        } catch {
            services.log.error("could not render an error page", [.error(error)])
            return Reply(status: 500, mediaType: "text/plain", body: [])
        }
    }
}
