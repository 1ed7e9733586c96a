import Crypto
import JSON

/// The members of a credential's JSON that registration and sign-in have in common, in the form of
/// `PublicKeyCredential.toJSON()` and of phones.
struct CredentialResponse {
    let id: [UInt8]
    let clientData: ClientData
    private let response: JSONField

    init(_ credential: JSONField) throws(WebAuthnRefusal) {
        let type = try Self.member("type", of: credential)
        guard type.value == .string("public-key") else {
            throw .malformed(type.path, expected: "public-key")
        }
        id = try Self.bytes("id", of: credential, AuthenticatorData.credentialIDLengths)
        if try Self.isPresent("rawId", of: credential) {
            let raw = try Self.bytes("rawId", of: credential, AuthenticatorData.credentialIDLengths)
            guard raw == id else { throw .wrongCredential }
        }
        response = try Self.member("response", of: credential)
        clientData = try ClientData(
            try Self.bytes("clientDataJSON", of: response, 1...ClientData.limitBytes))
    }

    /// Returns a required member of the authenticator's response as bytes.
    func bytes(
        _ name: String, _ lengths: ClosedRange<Int>
    ) throws(WebAuthnRefusal) -> [UInt8] {
        try Self.bytes(name, of: response, lengths)
    }

    /// Returns an optional member of the authenticator's response as bytes.
    func bytesIfPresent(
        _ name: String, _ lengths: ClosedRange<Int>
    ) throws(WebAuthnRefusal) -> [UInt8]? {
        guard try Self.isPresent(name, of: response) else { return nil }
        return try Self.bytes(name, of: response, lengths)
    }

    /// Returns an optional list of short words.
    func words(_ name: String, atMost count: Int) throws(WebAuthnRefusal) -> [String] {
        guard try Self.isPresent(name, of: response) else { return [] }
        let field = try Self.member(name, of: response)
        let words = (try? field.elements().map { try $0.string() }) ?? []
        let isPlain = words.allSatisfy { word in
            (1...32).contains(word.utf8.count)
                && word.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "-") }
        }
        guard case .array? = field.value, isPlain, words.count <= count,
            (try? field.elements().count) == words.count
        else {
            throw .malformed(field.path, expected: "a list of up to \(count) lower-case words")
        }
        return words
    }

    private static func member(
        _ name: String, of field: JSONField
    ) throws(WebAuthnRefusal) -> JSONField {
        do throws(JSONError) {
            return try field[name]
        } catch {
            throw .malformed(error.path ?? field.path, expected: error.expected)
        }
    }

    private static func isPresent(
        _ name: String, of field: JSONField
    ) throws(WebAuthnRefusal) -> Bool {
        try member(name, of: field).ifPresent != nil
    }

    private static func bytes(
        _ name: String, of field: JSONField, _ lengths: ClosedRange<Int>
    ) throws(WebAuthnRefusal) -> [UInt8] {
        let member = try member(name, of: field)
        guard case .string(let text)? = member.value,
            text.utf8.count <= (lengths.upperBound * 4 + 2) / 3,
            let bytes = Base64URL.decode(text), lengths.contains(bytes.count)
        else {
            throw .malformed(
                member.path,
                expected: "\(lengths.lowerBound) to \(lengths.upperBound) bytes in base64url, "
                    + "unpadded")
        }
        return bytes
    }
}
