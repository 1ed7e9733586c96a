import HTTPServer
import JSON

/// Metadata and keys with which other services verify Hearth's tokens themselves.
enum IssuerEndpoints {
    static let keys = Operation.open(
        "readKeySet", "The public keys of Hearth's tokens (RFC 7517).",
        responses: [.media("application/json", schema: .object, "A key set.")], faults: [.notFound]
    ) { services, _ in
        Reply(
            status: 200, mediaType: "application/json",
            body: try services.signInSetup().tokens.keys.published)
    }

    static let metadata = Operation.open(
        "readIssuerMetadata", "Metadata about how Hearth issues tokens (RFC 8414).",
        responses: [.media("application/json", schema: .object, "Metadata.")], faults: [.notFound]
    ) { services, _ in
        let issuer = try services.signInSetup().tokens.issuer
        let metadata: JSONValue = [
            "issuer": .string(issuer),
            "jwks_uri": .string(issuer + "/.well-known/jwks.json"),
            "token_endpoint": .string(issuer + "/api/auth/exchange"),
            "revocation_endpoint": .string(issuer + "/api/auth/sign-out"),
            "token_endpoint_auth_methods_supported": ["none"],
            "grant_types_supported": ["urn:ietf:params:oauth:grant-type:token-exchange"],
            "response_types_supported": [],
            "service_documentation": .string(issuer + "/openapi.json"),
        ]
        return Reply(
            status: 200, mediaType: "application/json", body: Array(metadata.text().utf8))
    }
}
