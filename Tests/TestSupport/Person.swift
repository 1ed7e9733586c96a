/// A person who has signed up at a primary issuer: the tokens' subject is the user's id.
///
/// Shared by all suites. Each converts it into the actor of its `FamilyEntry`, for example a token.
package struct Person: Sendable {
    package static let issuer = "https://issuer.test"

    package let id: UInt128
    package let email: String
    /// The name in the tokens; nil if they contain none.
    package let name: String?
    /// The role in the tokens: `parent` or `player`.
    package let role: String

    /// Creates a new person, or a known one with its `id`.
    package init(
        id: UInt128 = .random(in: 0 ... .max), role: String = "parent",
        name: String? = "Somebody", email: String? = nil
    ) {
        self.id = id
        self.role = role
        self.name = name
        self.email = email ?? "\(Self.uuid(id))@example.com"
    }

    /// The id as text, as the issuer names the person.
    package var subject: String { Self.uuid(id) }

    /// The claims of a Supabase token that Hearth reads, as JSON.
    package var claims: String {
        let name = name.map { #""full_name": "\#($0)", "# } ?? ""
        return """
            {"iss": "\(Self.issuer)", "sub": "\(subject)", "aud": "authenticated",
             "role": "authenticated", "email": "\(email)",
             "user_metadata": {\(name)"role": "\(role)"}}
            """
    }

    private static func uuid(_ id: UInt128) -> String {
        let hex = String(id, radix: 16)
        let digits = Array(String(repeating: "0", count: 32 - hex.count) + hex)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }
}
