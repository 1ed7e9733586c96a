package import Crypto
import JSON

/// The data that a browser or phone reports about a ceremony (`clientDataJSON`), parsed but not
/// verified.
package struct ClientData: Sendable {
    /// Maximum length; longer data are refused before they are parsed.
    static let limitBytes = 4096
    static let challengeLengths = 16...128
    private static let depthLimit = 8

    /// The kind of ceremony.
    enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    let type: String
    /// The challenge that the response is for.
    package let challenge: [UInt8]
    let origin: String
    let isCrossOrigin: Bool
    /// The hash of these data, which the authenticator has signed.
    package let hash: SHA256Digest

    init(_ json: [UInt8]) throws(WebAuthnRefusal) {
        guard json.count <= Self.limitBytes else {
            throw .malformed(
                "clientDataJSON", expected: "at most \(Self.limitBytes) bytes long")
        }
        let text: String
        do throws(JSONError) {
            let body = JSONField(
                try JSONValue(parsing: json, maxDepth: Self.depthLimit), path: "clientDataJSON")
            type = try body["type"].string()
            text = try body["challenge"].string()
            origin = try body["origin"].string()
            let isInFrame = try body["crossOrigin"].ifPresent?.bool() ?? false
            isCrossOrigin = try body["topOrigin"].ifPresent != nil || isInFrame
        } catch {
            throw .malformed(error.path ?? "clientDataJSON", expected: error.expected)
        }
        guard let challenge = Base64URL.decode(text),
            Self.challengeLengths.contains(challenge.count)
        else {
            throw .malformed(
                "clientDataJSON.challenge", expected: "the challenge in base64url, unpadded")
        }
        self.challenge = challenge
        hash = SHA256Digest(of: json)
    }

    /// Throws if the data are from another ceremony, origin or app, or contain another challenge.
    func require(
        _ ceremony: Ceremony, _ challenge: [UInt8], _ party: RelyingParty
    ) throws(WebAuthnRefusal) {
        guard type == ceremony.rawValue else { throw .wrongCeremony }
        guard constantTimeEqual(self.challenge, challenge) else { throw .wrongChallenge }
        guard party.origins.contains(where: { $0.utf8.elementsEqual(origin.utf8) }) else {
            throw .wrongOrigin
        }
        guard !isCrossOrigin else { throw .crossOrigin }
    }
}
