package import Crypto
package import Domain

/// The secrets of an e-mail token: the link's token and the six digits of the code.
///
/// Both are derived from the e-mail token's id and a key, so the mailer computes them again, and
/// the database stores only the hash of the link's token.
package struct MailedSecrets: Sendable {
    /// Six digits, including leading zeros.
    package let code: String
    /// The token of the link: 32 bytes in base64url.
    package let linkToken: String

    /// The hash that the database stores.
    var linkHash: SHA256Digest { SHA256Digest(of: linkToken) }

    fileprivate init(
        of emailToken: EmailTokenID, link: HMACKey, code: HMACKey
    ) throws(CryptoError) {
        let id = emailToken.bytes
        linkToken = Base64URL.text(try link.authenticate(id))
        // Sixteen bytes, so that the remainder's bias towards some codes is negligible.
        let number = try code.authenticate(id).prefix(16).reduce(UInt128(0)) {
            $0 << 8 | UInt128($1)
        }
        let digits = String(number % 1_000_000)
        self.code = String(repeating: "0", count: 6 - digits.count) + digits
    }
}

extension EmailTokenID {
    fileprivate var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: rawValue >> (120 - $0 * 8)) }
    }
}

extension SignInKeys {
    /// Encrypts the path that a link opens, for storage: it can be the link of an invitation, which
    /// the database must not know.
    func seal(_ path: ReturnPath, of emailToken: EmailTokenID) throws(CryptoError) -> [UInt8] {
        try returnPaths[0].seal(Array(path.text.utf8), for: emailToken.bytes)
    }

    /// Decrypts the path that a link opens; nil if none of the keys fits.
    package func returnPath(
        in sealed: [UInt8], of emailToken: EmailTokenID
    ) throws(CryptoError) -> ReturnPath? {
        for key in returnPaths {
            if let bytes = try key.open(sealed, for: emailToken.bytes) {
                return ReturnPath(String(decoding: bytes, as: UTF8.self))
            }
        }
        return nil
    }

    /// Derives the secrets of a new e-mail token.
    func secrets(of emailToken: EmailTokenID) throws(CryptoError) -> MailedSecrets {
        try MailedSecrets(of: emailToken, link: links[0], code: codes[0])
    }

    /// Derives the secrets of the e-mail token whose link has this hash; nil if none of the keys
    /// fits.
    package func secrets(
        of emailToken: EmailTokenID, havingLinkHash hash: [UInt8]
    ) throws(CryptoError) -> MailedSecrets? {
        for (link, code) in zip(links, codes) {
            let secrets = try MailedSecrets(of: emailToken, link: link, code: code)
            if secrets.linkHash.bytes == hash { return secrets }
        }
        return nil
    }
}
