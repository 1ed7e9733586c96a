import Crypto

/// The site that credentials are created for, and the origins where they may be used.
package struct RelyingParty: Sendable {
    /// The domain; credentials are valid for it and its subdomains.
    package let id: String
    /// The origins of responses, as browsers and phones write them: `https://family.example.com`,
    /// or `android:apk-key-hash:` and a hash.
    package let origins: [String]
    let hash: SHA256Digest

    package init(id: String, origins: [String]) {
        self.id = id
        self.origins = origins
        hash = SHA256Digest(of: id)
    }
}
