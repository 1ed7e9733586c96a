import Crypto
import Testing

@testable import Identity

/// Parses a file with one issuer that has these fields, with these files beside it.
private func client(
    _ fields: String, kind: String = "generic", issuer: String = "https://id.example.com",
    _ files: [String: String] = ["c": "the secret\n", "k": SignedFixtures.keySet]
) -> Result<ProviderClient?, IssuersFile.ParsingErrors> {
    let text = """
        [{"issuer": "\(issuer)", "kind": "\(kind)", "audiences": ["app", "web"],
          "jwksFile": "k", \(fields)}]
        """
    do throws(IssuersFile.ParsingErrors) {
        let file = try IssuersFile(parsing: Array(text.utf8)) {
            name throws(FileReading.Failure) in
            guard let content = files[name] else {
                throw FileReading.Failure(path: name, reason: "No such file", isThere: false)
            }
            return Array(content.utf8)
        }
        return .success(file.issuers[0].client)
    } catch {
        return .failure(error)
    }
}

@Suite("Clients in the issuers file") struct IssuerClientTests {
    private static let whole = #""clientID": "web", "clientSecretFile": "c", "name": "Gull""#

    @Test("an issuer has a client, with its secret, only if its entry has a clientID")
    func secret() throws {
        let found = try #require(try client(Self.whole).get())
        #expect(found.name == "Gull" && found.clientID == "web" && !found.usesFormPost)
        guard case .secret("the secret") = found.credential else {
            Issue.record("\(found.credential)")
            return
        }
        #expect(try client(#""primary": false"#).get() == nil)
    }

    @Test("Apple's client needs the team's key, and no secret")
    func apple() throws {
        let key = try SigningKey.generate().pem()
        let files = ["p": key, "k": SignedFixtures.keySet, "c": "s"]
        let team = #""teamId": "T", "keyId": "K", "privateKeyFile": "p""#
        let named = #""clientID": "web", "name": "Apple""#
        #expect(try client("\(named), \(team)", kind: "apple", files).get()?.usesFormPost == true)
        #expect(
            mistakes(client(named, kind: "apple", files)) == [
                "`[0].clientID` needs teamId, keyId and privateKeyFile for the kind apple"
            ])
        #expect(
            mistakes(client("\(named), \(team), \"clientSecretFile\": \"c\"", kind: "apple", files))
                == [
                    "`[0].clientSecretFile` is not for the kind apple, whose secrets are made with "
                        + "privateKeyFile"
                ])
    }

    @Test(
        "mistakes are refused, each with its location",
        arguments: [
            (#""name": "Gull""#, "name` is of use only with clientID"),
            (#""clientSecretFile": "c""#, "clientSecretFile` is of use only with clientID"),
            (
                #""clientID": "elsewhere", "clientSecretFile": "c", "name": "Gull""#,
                "clientID` must be one of the audiences"
            ),
            (#""clientID": "web", "clientSecretFile": "c""#, "name"),
            (#""clientID": "web", "name": "Gull""#, "clientSecretFile"),
            (
                #""clientID": "web", "clientSecretFile": "x", "name": "Gull""#,
                "clientSecretFile` can't be read"
            ),
            (
                #""clientID": "web", "clientSecretFile": "c", "name": "a/b""#,
                "name` must have at most"
            ),
            (
                #""clientID": "web", "clientSecretFile": "c", "name": "..""#,
                "name` must have at most"
            ),
            (
                #""clientID": "web", "clientSecretFile": "c", "name": "a\nb""#,
                "name` must have at most"
            ),
            (
                #""clientID": "web", "clientSecretFile": "c", "name": "G", "teamId": "T""#,
                "teamId` is for the kind apple only"
            ),
        ])
    func refused(fields: String, sentence: String) {
        let found = mistakes(client(fields))
        #expect(found.contains { $0.contains(sentence) }, "\(found)")
    }

    @Test("a client needs an https issuer, a one-line secret and ID tokens, and not Supabase")
    func unsuitable() {
        #expect(
            mistakes(client(Self.whole, kind: "supabase")).contains {
                $0.contains("clientID` is not for the kind supabase")
            })
        #expect(
            mistakes(client(Self.whole + #", "tokenUse": "access""#, kind: "cognito")).contains {
                $0.contains("tokenUse` must be id with clientID")
            })
        for issuer in [
            "accounts.example.com", "http://id.example.com", "https://id.example.com?a",
        ] {
            #expect(
                mistakes(client(Self.whole, issuer: issuer)).contains {
                    $0.contains("issuer` must be an https address")
                })
        }
        for secret in ["", "\n", "two\nlines", String(repeating: "x", count: 2000)] {
            #expect(
                mistakes(client(Self.whole, ["c": secret, "k": SignedFixtures.keySet])).contains {
                    $0.contains("clientSecretFile` must contain one line")
                })
        }
    }

    @Test("two providers with one name are refused, regardless of letter case")
    func names() {
        let entries = [("a", "Gull"), ("b", "GULL")].map { host, name in
            """
            {"issuer": "https://\(host).example.com", "kind": "generic", "audiences": ["web"],
             "jwksFile": "k", "clientID": "web", "clientSecretFile": "c", "name": "\(name)"}
            """
        }
        do throws(IssuersFile.ParsingErrors) {
            _ = try IssuersFile(parsing: Array("[\(entries.joined(separator: ","))]".utf8)) {
                name throws(FileReading.Failure) in
                Array((name == "k" ? SignedFixtures.keySet : "s").utf8)
            }
            Issue.record("accepted")
        } catch {
            #expect(error.sentences == ["`[1].name` is a duplicate"])
        }
    }

    private func mistakes(
        _ result: Result<ProviderClient?, IssuersFile.ParsingErrors>
    ) -> [String] {
        guard case .failure(let mistakes) = result else { return [] }
        return mistakes.sentences
    }
}

@Suite("Descriptions of providers") struct ProviderMetadataTests {
    private static let issuer = "https://id.example.com"

    private func parse(_ changes: [String: String?] = [:]) throws -> ProviderMetadata {
        var fields = [
            "issuer": #""https://id.example.com""#,
            "authorization_endpoint": #""https://id.example.com/authorize?a=b""#,
            "token_endpoint": #""https://token.example.com/token""#,
        ]
        for (name, value) in changes { fields[name] = value }
        let text = fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
        return try ProviderMetadata(parsing: Array("{\(text)}".utf8), of: Self.issuer)
    }

    @Test("missing metadata fields have the standard's defaults")
    func defaults() throws {
        let found = try parse()
        #expect(found.authentication == .basic && !found.namesIssuer)
        #expect(
            try parse(["token_endpoint_auth_methods_supported": #"["client_secret_post"]"#])
                .authentication == .post)
        #expect(
            try parse(["authorization_response_iss_parameter_supported": "true"]).namesIssuer)
    }

    @Test(
        "a description that can't be used is refused",
        arguments: [
            ("issuer", #""https://id.example.com/""#), ("issuer", #""https://ID.example.com""#),
            ("issuer", nil), ("token_endpoint", #""http://id.example.com/token""#),
            ("token_endpoint", #""http://127.0.0.1/token""#), ("token_endpoint", "1"),
            ("token_endpoint", #""file:///etc/passwd""#), ("token_endpoint", nil),
            ("authorization_endpoint", #""javascript:alert(1)""#),
            ("authorization_endpoint", #""https://id.example.com/#x""#),
            ("authorization_endpoint", #""https://u:p@id.example.com/""#),
            ("token_endpoint_auth_methods_supported", #"["private_key_jwt"]"#),
            ("token_endpoint_auth_methods_supported", #""client_secret_basic""#),
        ] as [(String, String?)])
    func refused(name: String, value: String?) {
        #expect(throws: ProviderMetadata.Mistake.self) { try parse([name: value]) }
    }

    @Test("the metadata address is below the issuer's address")
    func address() {
        for (issuer, address) in [
            ("https://a.example", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/t", "https://a.example/t/.well-known/openid-configuration"),
        ] {
            #expect(ProviderMetadata.address(of: issuer)?.text == address)
        }
    }
}
