package import Crypto
package import Domain

/// The keys from which secrets of webhooks are derived. They never reach the database.
///
/// A secret is HMAC-SHA256 of the endpoint's id and the secret's generation. The database stores
/// its SHA-256, which shows a program with which of its keys the secret was made. After a rotation
/// of HEARTH_SECRET_KEY an endpoint's secret therefore stays the same as long as the old key is
/// among the keys.
package struct WebhookKeys: Sendable {
    private let keys: [HMACKey]

    /// - Parameter keys: Newest first. Nil if there is none, or one is too short.
    package init?(_ keys: [[UInt8]]) throws(CryptoError) {
        guard !keys.isEmpty, keys.allSatisfy({ $0.count >= InvitationKeys.minimumBytes }) else {
            return nil
        }
        var made: [HMACKey] = []
        for key in keys { made.append(try HMACKey(key)) }
        self.keys = made
    }

    /// Makes a new secret with the newest key.
    package func secret(
        of endpoint: WebhookID, generation: Int32
    ) throws(CryptoError) -> WebhookSecret {
        try Self.secret(keys[0], endpoint, generation)
    }

    /// Returns the secret with this hash, made with any of the keys; nil if none fits.
    package func secret(
        of endpoint: WebhookID, generation: Int32, havingHash hash: [UInt8]
    ) throws(CryptoError) -> WebhookSecret? {
        for key in keys {
            let secret = try Self.secret(key, endpoint, generation)
            if secret.hash == hash { return secret }
        }
        return nil
    }

    private static func secret(
        _ key: HMACKey, _ endpoint: WebhookID, _ generation: Int32
    ) throws(CryptoError) -> WebhookSecret {
        let words = "webhook \(endpoint) \(generation)"
        return WebhookSecret(bytes: try key.authenticate(Array(words.utf8)))
    }
}

/// The secret that signs an endpoint's requests.
package struct WebhookSecret: Sendable {
    private let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The secret in the format of Standard Webhooks, for receivers.
    package var text: String { "whsec_" + Base64URL.standardText(bytes) }

    /// The hash that the database stores.
    package var hash: [UInt8] { SHA256Digest(of: bytes).bytes }

    /// Returns the signature of a message: `v1,` and HMAC-SHA256 in base64.
    package func signature(
        id: String, timestamp: Int64, body: [UInt8]
    ) throws(CryptoError) -> String {
        let code = try HMACKey(bytes).authenticate(Array("\(id).\(timestamp).".utf8) + body)
        return "v1," + Base64URL.standardText(code)
    }
}
