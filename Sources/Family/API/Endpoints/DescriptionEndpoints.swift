/// The API's description of itself.
enum DescriptionEndpoints {
    static let openAPI = Operation.open(
        "describeAPI", "This description.",
        answers: [.media("application/json", schema: .object, "OpenAPI 3.1.")]
    ) { services, call in try services.description.document.reply(to: call.request) }
}
