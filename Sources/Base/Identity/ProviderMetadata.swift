import Fetching
import JSON

/// An OpenID provider's description of itself (OpenID Connect Discovery 1.0 section 3): the part
/// that signing in on pages needs.
package struct ProviderMetadata: Sendable, Equatable {
    /// The way in which a client proves its secret at the token endpoint.
    enum Authentication: Sendable, Equatable {
        /// The secret is sent in the `Authorization` header, with HTTP Basic.
        case basic
        /// The secret is sent in the form.
        case post
    }

    /// Reason why a document can't be used. Contains no text from the document.
    package struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The page on which people sign in.
    let authorizationEndpoint: FetchAddress
    /// The endpoint that exchanges codes for tokens.
    let tokenEndpoint: FetchAddress
    let authentication: Authentication
    /// Whether every response names its issuer (RFC 9207); a response without it is then forged.
    package let namesIssuer: Bool

    /// Returns the address of an issuer's description; nil if the issuer is not an address that may
    /// be fetched, or has a query.
    static func address(of issuer: String) -> FetchAddress? {
        guard !issuer.contains("?"), !issuer.contains("#") else { return nil }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return FetchAddress(base + "/.well-known/openid-configuration")
    }

    /// Parses the description of an issuer. The document's `issuer` must be this issuer.
    init(parsing document: [UInt8], of issuer: String) throws(Mistake) {
        let object: JSONObject
        do throws(JSONError) {
            object = try JSONField(try JSONValue(parsing: document)).object()
        } catch {
            throw Mistake(description: "the description is not a JSON object")
        }
        guard case .string(let name)? = object["issuer"], name.utf8.elementsEqual(issuer.utf8)
        else { throw Mistake(description: "the description is another issuer's") }
        let isPlain = FetchAddress(issuer)?.isPlain ?? false
        authorizationEndpoint = try Self.endpoint("authorization_endpoint", object, isPlain)
        tokenEndpoint = try Self.endpoint("token_endpoint", object, isPlain)
        authentication = try Self.authentication(object)
        switch object["authorization_response_iss_parameter_supported"] {
        case .bool(true)?: namesIssuer = true
        default: namesIssuer = false
        }
    }

    /// - Parameter isPlain: Whether the issuer itself is on this machine, without TLS. Only such an
    ///   issuer may have endpoints without TLS.
    private static func endpoint(
        _ name: String, _ object: JSONObject, _ isPlain: Bool
    ) throws(Mistake) -> FetchAddress {
        guard case .string(let text)? = object[name], let address = FetchAddress(text),
            !text.contains("#"), isPlain || !address.isPlain
        else { throw Mistake(description: "\(name) is not an https address") }
        return address
    }

    private static func authentication(_ object: JSONObject) throws(Mistake) -> Authentication {
        switch object["token_endpoint_auth_methods_supported"] {
        case nil, .null?: return .basic
        case .array(let methods)?:
            if methods.contains(.string("client_secret_basic")) { return .basic }
            if methods.contains(.string("client_secret_post")) { return .post }
        default: break
        }
        throw Mistake(description: "the token endpoint takes no client secret")
    }
}
