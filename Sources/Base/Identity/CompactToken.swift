import Crypto
import JSON

/// A token taken apart (RFC 7515 section 7.1), with nothing in it believed yet.
struct CompactToken {
    /// Longer ones are refused before anything is read of them.
    static let limitBytes = 8192

    let algorithm: String
    let keyID: String?
    /// In lower case.
    let type: String?
    let claims: JSONObject
    let signature: [UInt8]
    /// How many of the token's first bytes the signature is over.
    let signedCount: Int

    /// Reads header, payload and signature; refuses what is malformed and what would have us trust
    /// the token for its own keys.
    init(_ bytes: [UInt8]) throws(TokenRefusal) {
        guard bytes.count <= Self.limitBytes else { throw .malformed("too long") }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot),
            let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot)
        else { throw .malformed("not three parts") }
        let header = try Self.object(bytes.span.extracting(..<first), "header")
        claims = try Self.object(bytes.span.extracting((first + 1)..<second), "payload")
        guard let signature = Base64URL.decode(bytes.span.extracting((second + 1)...)) else {
            throw .malformed("signature")
        }
        self.signature = signature
        signedCount = second
        for name in ["jwk", "jku", "x5u", "x5c", "crit"] where header[name] != nil {
            throw .forbiddenHeader(name)
        }
        guard case .string(let algorithm)? = header["alg"] else { throw .malformed("alg") }
        self.algorithm = algorithm
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let id)?: keyID = id
        default: throw .malformed("kid")
        }
        type = try Self.type(header["typ"])
    }

    private static func object(
        _ encoded: Span<UInt8>, _ part: String
    ) throws(TokenRefusal) -> JSONObject {
        guard let bytes = Base64URL.decode(encoded) else { throw .malformed(part) }
        do throws(JSONError) {
            return try JSONField(try JSONValue(parsing: bytes)).object()
        } catch {
            // Not the error's own text, which could contain names from the payload.
            throw .malformed("\(part) (\(error.code.rawValue))")
        }
    }

    /// A token that says what it is must be one for access or identity (RFC 8725 section 3.11).
    private static func type(_ type: JSONValue?) throws(TokenRefusal) -> String? {
        guard let type else { return nil }
        guard case .string(let name) = type,
            ["jwt", "at+jwt", "application/at+jwt"].contains(name.lowercased())
        else { throw .malformed("typ") }
        return name.lowercased()
    }
}
