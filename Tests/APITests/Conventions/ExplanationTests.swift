import JSON
import Testing

@Suite("Explanations in the OpenAPI description")
struct ExplanationTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    private func document() throws -> JSONField { try site.exchange("GET", "/openapi.json").json }

    private func operations() throws -> [(place: String, path: String, operation: JSONField)] {
        let paths = try document()["paths"]
        return try paths.object().members.flatMap { path in
            try paths[path.name].object().members.map { method in
                let operation = try paths[path.name][method.name]
                return ("\(method.name.uppercased()) \(path.name)", path.name, operation)
            }
        }
    }

    @Test("every field has a description (shared ones are in Glossary+Entries.swift)")
    func fields() throws {
        let document = try document()
        let schemas = try document["components"]["schemas"]
        var all = try schemas.object().members.map { ($0.name, try schemas[$0.name]) }
        for (place, _, operation) in try operations() {
            for parameter in try operation["parameters"].elements()
            where try parameter["$ref"].value == nil {
                let name = try parameter["name"].string()
                #expect(try !parameter["description"].string().isEmpty, "\(place): \(name)")
            }
            if let body = try operation["requestBody"].ifPresent {
                all.append((place, try body["content"]["application/json"]["schema"]))
            }
        }
        for (place, schema) in all {
            for property in try schema["properties"].ifPresent?.object().members ?? [] {
                let help = try schema["properties"][property.name]["description"].ifPresent
                #expect(try help?.string().isEmpty == false, "\(place): \(property.name)")
            }
        }
    }

    @Test("every operation belongs to one tag, and every tag is described")
    func tags() throws {
        let told = try document()["tags"].elements().map { try $0["name"].string() }
        for (place, _, operation) in try operations() {
            let tags = try operation["tags"].elements().map { try $0.string() }
            #expect(tags.count == 1 && told.contains(tags.first ?? ""), "\(place): see Tag.swift")
        }
    }

    @Test("every JSON body has an example that matches its schema")
    func examples() throws {
        let contract = try site.described()
        for (place, _, operation) in try operations() {
            for parameter in try operation["parameters"].elements()
            where try parameter["$ref"].value == nil {
                try contract.check(parameter["example"], parameter["schema"], place)
            }
            var bodies: [JSONField] = []
            if let body = try operation["requestBody"].ifPresent { bodies.append(body) }
            for response in try operation["responses"].object().members
            where response.name < "400" && response.name != "304" {
                bodies.append(try operation["responses"][response.name])
            }
            for body in bodies {
                for type in try body["content"].object().members where type.name.hasSuffix("json") {
                    let content = try body["content"][type.name]
                    try contract.check(content["example"], content["schema"], place)
                }
            }
        }
        let schemas = try document()["components"]["schemas"]
        for schema in try schemas.object().members {
            for example in try schemas[schema.name]["examples"].ifPresent?.elements() ?? [] {
                try contract.check(example, schemas[schema.name], schema.name)
            }
        }
    }

    @Test("the API accepts every example body")
    func accepted() throws {
        let person = try site.person(.parent)
        for (place, path, operation) in try operations() {
            guard let body = try operation["requestBody"].ifPresent else { continue }
            let example = try #require(
                try body["content"]["application/json"]["example"].value, "\(place)")
            let target = path.replacing("{id}", with: "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63")
                .replacing("{memberId}", with: "3f8a52d0-6c1e-4b7a-9d25-8e0f4a1b7c63")
            let method = String(place.prefix { $0 != " " })
            let answer = try person.send(method, target, example.text())
            let faults = ["invalid_body", "invalid_field", "missing_field", "privileged_field"]
            #expect(!faults.contains(answer.text("code") ?? ""), "\(place): \(answer)")
        }
    }

    @Test("an error response refers to its problem schema and names its route's codes")
    func problems() throws {
        let schemas = try document()["components"]["schemas"]
        for (place, _, operation) in try operations() {
            for response in try operation["responses"].object().members
            where response.name >= "400" {
                let described = try operation["responses"][response.name]
                let schema = try described["content"]["application/problem+json"]["schema"]
                #expect(
                    try schema.object().members == [
                        .init(
                            name: "$ref",
                            value: .string("#/components/schemas/Problem\(response.name)"))
                    ], "\(place)")
                let properties = try schemas["Problem\(response.name)"]["properties"]
                let known = try properties["code"]["enum"].elements().map(\.value)
                for code in try described["x-codes"].elements() {
                    #expect(known.contains(code.value), "\(place): \(code)")
                }
            }
        }
    }

    @Test("/docs describes every route, without scripts or requests to other sites")
    func page() throws {
        let answer = try site.send("GET", "/docs")
        #expect(answer.status == 200)
        let page = String(decoding: answer.body, as: UTF8.self)
        for (place, path, operation) in try operations() {
            #expect(page.contains("<code>\(path)</code>"), "\(place)")
            #expect(page.contains("id=\"\(try operation["operationId"].string())\""), "\(place)")
        }
        #expect(!page.contains("<script") && !page.contains("style=") && !page.contains("<style"))
        #expect(!page.contains("http://") && !page.contains(" onclick"))
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'self'"))
        let style = try site.send("GET", "/docs.css")
        #expect(style.headers["content-type"] == "text/css; charset=utf-8")
    }
}
