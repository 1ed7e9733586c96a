import Crypto
import JSON

/// Reads a set of public keys (RFC 7517).
///
/// Keys that are for something else (encryption, another curve or algorithm, `oct`) are passed
/// over, as the RFC wants it. Keys that claim to be usable and are not are mistakes, and so is one
/// that holds its private part.
package enum JSONWebKeySet {
    /// What is wrong with a set, one sentence for each mistake.
    package struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package var description: String { sentences.joined(separator: "\n") }
    }

    /// More keys than any issuer has.
    private static let keyLimit = 100

    /// The usable keys of a set; at least one.
    package static func parse(_ bytes: [UInt8]) throws(Mistakes) -> [NamedKey] {
        let elements: [JSONField]
        do throws(JSONError) {
            elements = try JSONField(try JSONValue(parsing: bytes))["keys"].elements()
        } catch {
            throw Mistakes(sentences: [error.description])
        }
        guard elements.count <= keyLimit else {
            throw Mistakes(sentences: ["`keys` has more than \(keyLimit) elements"])
        }
        var keys: [NamedKey] = []
        var mistakes: [String] = []
        for element in elements {
            switch JSONWebKey.read(element) {
            case .usable(let key): keys.append(key)
            case .unsuitable: break
            case .mistaken(let sentence): mistakes.append(sentence)
            }
        }
        if keys.isEmpty, mistakes.isEmpty {
            mistakes.append("`keys` has no key for RS256, ES256 or EdDSA")
        }
        guard mistakes.isEmpty else { throw Mistakes(sentences: mistakes) }
        return keys
    }
}

/// One key of a set.
enum JSONWebKey {
    case usable(NamedKey)
    /// For something that we don't do.
    case unsuitable
    case mistaken(String)

    static func read(_ field: JSONField) -> JSONWebKey {
        do throws(JSONError) {
            let type = try field["kty"].string()
            let algorithm = try field["alg"].ifPresent?.string()
            let id = try field["kid"].ifPresent?.string()
            guard try isForVerifying(field), let expected = try suitableAlgorithm(type, field),
                algorithm == nil || algorithm == expected.rawValue
            else { return .unsuitable }
            if try field["d"].ifPresent != nil {
                return .mistaken("`\(field.path)` holds a private key")
            }
            return try publicKey(expected, field, id)
        } catch {
            return .mistaken(error.description)
        }
    }

    private static func isForVerifying(_ field: JSONField) throws(JSONError) -> Bool {
        if let use = try field["use"].ifPresent?.string(), use != "sig" { return false }
        guard let operations = try field["key_ops"].ifPresent?.elements() else { return true }
        for operation in operations where try operation.string() == "verify" { return true }
        return false
    }

    private static func suitableAlgorithm(
        _ type: String, _ field: JSONField
    ) throws(JSONError) -> SignatureAlgorithm? {
        switch type {
        case "RSA": .rs256
        case "EC": try field["crv"].string() == "P-256" ? .es256 : nil
        case "OKP": try field["crv"].string() == "Ed25519" ? .edDSA : nil
        default: nil
        }
    }

    private static func publicKey(
        _ algorithm: SignatureAlgorithm, _ field: JSONField, _ id: String?
    ) throws(JSONError) -> JSONWebKey {
        var numbers: [[UInt8]] = []
        for name in algorithm == .rs256 ? ["n", "e"] : algorithm == .es256 ? ["x", "y"] : ["x"] {
            let part = try field[name]
            guard let bytes = Base64URL.decode(try part.string()) else {
                return .mistaken("`\(part.path)` must be base64url without padding")
            }
            numbers.append(bytes)
        }
        do throws(CryptoError) {
            let key: VerificationKey =
                switch algorithm {
                case .rs256: try .rsa(modulus: numbers[0], exponent: numbers[1])
                case .es256: try .p256(x: numbers[0], y: numbers[1])
                default: try .ed25519(numbers[0])
                }
            return .usable(NamedKey(id: id, key: key))
        } catch {
            return .mistaken("`\(field.path)`: \(error.description)")
        }
    }
}
