/// Endpoints that return the API's own description.
enum DescriptionEndpoints {
    static let openAPI = Operation.open(
        "describeAPI", "The description of the API (OpenAPI 3.1).",
        responses: [
            .media(
                "application/json", schema: .object, example: ["openapi": "3.1.0"],
                "OpenAPI 3.1.")
        ]
    ) { services, call in try services.description.document.reply(to: call.request) }

    static let page = Operation.open(
        "showRoutes", "A page that lists all routes.", responses: [.media("text/html", "A page.")]
    ) { _, call in try routesPage.reply(to: call.request) }

    private static let routesPage = PreparedDocument(
        mediaType: "text/html; charset=utf-8",
        bytes: Array(RoutesPage.text(of: Routes.table + PageRoutes.openings).utf8),
        headers: PageHeaders.all)

    static let style = Operation.open(
        "readRoutesStyle", "The style of the page that lists all routes.",
        responses: [.media("text/css", "CSS.")]
    ) { _, call in try styleSheet.reply(to: call.request) }

    private static let styleSheet = PreparedDocument(
        mediaType: "text/css; charset=utf-8", bytes: Array(RoutesStyle.css.utf8))

    static let typeScript = Operation.open(
        "readTypeScriptClient", "The TypeScript client, as one file without dependencies.",
        responses: [.media("text/typescript", "TypeScript.")]
    ) { _, call in try typeScriptFile.reply(to: call.request) }

    private static let typeScriptFile = PreparedDocument(
        mediaType: "text/typescript; charset=utf-8", bytes: Array(Reference.typeScript.utf8))
}
