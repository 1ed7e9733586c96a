import Domain
import JSON
import QRCode
import UseCases

/// Pages for people who open a link without having the app.
enum JoinEndpoints {
    private static let token = Input<String?>.query(
        "token", .invitationToken, "The token from an invitation's link.")
    private static let code = Input<String?>.query("code", .familyCode, "A family's code.")
    private static let html = "text/html"

    static let page = Operation.open(
        "showJoinPage", "Shows an invited person what to do next. Changes nothing.",
        inputs: [token, code], answers: [.media(html, "A page.")],
        refusals: .ofInvitation + [.codeMalformed, .missingField],
        failurePage: { _, problem in
            var reply = reply(problem.status, JoinPage.failure(problem))
            reply.headers += problem.headers
            return reply
        }
    ) { services, call in
        if let token = try call[token] {
            return try invitation(token, services, call)
        }
        guard let typed = try call[code] else {
            throw Problem(.missingField, "This link is not complete.")
        }
        guard let code = FamilyCode(typed) else { throw Refusal(.codeMalformed) }
        // Only signed-in callers may look up a code, and their attempts are counted.
        let link = services.site.joinLink(code)
        return reply(200, JoinPage.code(code, qrCode: try QRCode(link)))
    }

    private static func invitation(
        _ token: String, _ services: Services, _ call: OpenCall
    ) throws -> Reply {
        let preview = try PreviewInvitation(services.database)(
            by: nil, token: token, from: call.client)
        guard let token = InvitationToken(token) else { throw Refusal(.invitationNotFound) }
        let link = services.site.joinLink(token)
        return reply(200, JoinPage.invitation(preview, qrCode: try QRCode(link)))
    }

    private static func reply(_ status: Int, _ page: String) -> Reply {
        Reply(
            status: status, mediaType: html + "; charset=utf-8", body: Array(page.utf8),
            headers: PageHeaders.all)
    }

    static let style = Operation.open(
        "readJoinStyle", "The style of the join page.", answers: [.media("text/css", "CSS.")]
    ) { _, call in try styleSheet.reply(to: call.request) }

    private static let styleSheet = PreparedDocument(
        mediaType: "text/css; charset=utf-8", bytes: Array(JoinStyle.css.utf8))

    static let appleAppSite = Operation.open(
        "readAppleAppSiteAssociation", "Which iOS apps open links to /join.",
        answers: [
            .media(
                "application/json", schema: .object,
                example: ["applinks": ["details": []]], "Universal links.")
        ],
        faults: [.notFound]
    ) { services, _ in
        let site = services.site
        if site.appleAppIDs.isEmpty { throw Problem.routeNotFound }
        let association: JSONValue = [
            "applinks": [
                "details": [
                    [
                        "appIDs": .array(site.appleAppIDs.map { .string($0) }),
                        "components": [["/": .string(site.basePath + "/join")]],
                    ]
                ]
            ]
        ]
        return Reply(
            status: 200, mediaType: "application/json", body: Array(association.text().utf8))
    }
}
