import Crypto

/// The site that credentials are made for, and where they may be used.
package struct RelyingParty: Sendable {
    /// A domain; credentials count for it and what is below it.
    package let id: String
    /// Where answers may be given, as browsers and phones write it: `https://family.example.com`,
    /// or `android:apk-key-hash:` and a hash.
    package let origins: [String]
    let hash: SHA256Digest

    package init(id: String, origins: [String]) {
        self.id = id
        self.origins = origins
        hash = SHA256Digest(of: id)
    }
}
