import Domain
import HTTPServer
import Identity
import JSON

/// The parameters that a provider has added to the callback's address, or sent to it as a form.
struct ProviderResponse {
    let state: String
    /// The code; nil if the provider reports an error, or sent no usable code.
    let code: String?
    /// The kind of the error that the provider reports.
    let failure: ProviderFailure?
    /// The issuer that the response names (RFC 9207); nil if it names none.
    let issuer: String?
    /// The name that Apple sends at the first sign-in only. It is not verified.
    let name: PersonName?

    private static let longestState = 64
    private static let longestCode = 8192
    /// Maximum length of a code that came as a form, which a cookie stores.
    private static let longestPostedCode = 1536

    /// Parses the parameters of an address; nil if they are ambiguous or have no valid state.
    init?(_ query: Query) {
        self.init(Self.longestCode) { query.values($0) }
    }

    /// Parses the fields of a form; nil if they are ambiguous or belong to no request.
    init?(_ form: FormBody) {
        self.init(Self.longestPostedCode) { form.values($0) }
    }

    private init?(_ longestCode: Int, _ values: (String) -> [String]) {
        func value(_ name: String, _ longest: Int) -> String? {
            values(name).first.flatMap { $0.utf8.count <= longest ? $0 : nil }
        }
        guard ["state", "code", "error", "iss", "user"].allSatisfy({ values($0).count <= 1 }),
            let state = value("state", Self.longestState), !state.isEmpty
        else { return nil }
        self.state = state
        failure = values("error").first.map { Self.failure($0) }
        let code = failure == nil ? value("code", longestCode) : nil
        self.code = code.flatMap { $0.isEmpty ? nil : $0 }
        issuer = values("iss").first
        name = value("user", 2048).flatMap { Self.name(in: $0) }
    }

    /// Returns the failure that an error code stands for.
    static func failure(_ error: String) -> ProviderFailure {
        // Apple uses a different error code.
        ["access_denied", "user_cancelled_authorize"].contains(error) ? .cancelled : .refused
    }

    /// Returns the name in Apple's `user`: `{"name": {"firstName": ..., "lastName": ...}}`.
    private static func name(in user: String) -> PersonName? {
        guard let json = try? JSONValue(parsing: Array(user.utf8)) else { return nil }
        guard case .object(let object) = json, case .object(let name)? = object["name"] else {
            return nil
        }
        let parts = ["firstName", "lastName"].compactMap { part -> String? in
            if case .string(let text)? = name[part] { text } else { nil }
        }
        return PersonName(parts.joined(separator: " "))
    }

    /// Whether the response can be from this provider. Prevents mix-up attacks (RFC 9207).
    ///
    /// An error needs no issuer's name: it has no code to misuse, and some providers name
    /// themselves only in responses with a code.
    func mayBe(of client: ProviderClient, _ metadata: ProviderMetadata?) -> Bool {
        guard let issuer else { return failure != nil || metadata?.namesIssuer != true }
        return issuer.utf8.elementsEqual(client.issuer.utf8)
    }
}
