/// The API's description of itself.
enum DescriptionEndpoints {
    static let openAPI = Operation(
        "describeAPI", "This description.",
        answers: [.media("application/json", schema: .object, "OpenAPI 3.1.")]
    ) { services, _ in
        Reply(status: 200, mediaType: "application/json", body: services.description.json)
    }
}
