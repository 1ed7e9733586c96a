import Domain
import JSON
import Postgres
import TestSupport
import UseCases

/// The server of an app, which calls with an API key.
struct ServerClient {
    let site: Site
    let id: APIKeyID
    let key: String

    func get(_ path: String, headers: [String: String] = [:]) throws -> Answer {
        try site.send("GET", "/api/server" + path, token: key, headers: headers)
    }

    func post(_ path: String, _ body: String) throws -> Answer {
        try site.send("POST", "/api/server" + path, token: key, body: body)
    }
}

extension Site {
    /// Runs `body` as an operator.
    func asOperator<Value>(_ body: (OperatorSession) throws -> Value) throws -> Value {
        try body(OperatorSession(test.settings(as: "hearth_admin"), operatorName: "jo"))
    }

    /// Creates a key as an operator does.
    func server(
        _ name: String = "App \(UInt64.random(in: 0 ... .max))",
        _ scopes: [KeyScope] = KeyScope.allCases, requestsPerMinute: Int = 10_000
    ) throws -> ServerClient {
        let (id, secret) = try asOperator {
            try $0.createAPIKey(
                name, scopes, expiresInDays: nil, requestsPerMinute: requestsPerMinute)
        }
        return ServerClient(site: self, id: id, key: secret.text)
    }
}
