import Crypto
import JSON

/// A set of public keys (RFC 7517 section 5): the usable keys, and the reasons why others are
/// unusable.
///
/// An unusable key does not affect the others, because issuers also publish keys for other uses and
/// of newer kinds. A document that is not a set, or has no usable key, is an error.
package struct JSONWebKeySet: Sendable {
    /// The reasons why there are no keys, one sentence each.
    package struct ParsingErrors: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package var description: String { sentences.joined(separator: "\n") }
    }

    /// Maximum number of keys, more than any issuer has.
    private static let keyLimit = 100

    /// The usable keys, at least one.
    package let keys: [NamedKey]
    /// The unusable keys, in the order of the set.
    package let ignored: [IgnoredKey]

    /// Parses a set.
    ///
    /// - Throws: ``ParsingErrors`` if the document is not a set, has more than 100 keys, or no
    ///   usable one.
    package init(parsing bytes: [UInt8]) throws(ParsingErrors) {
        let elements = try Self.elements(bytes)
        var found = FoundKeys()
        for element in elements { found.add(element) }
        guard !found.keys.isEmpty else {
            throw ParsingErrors(
                sentences: ["`keys` has no key that can be used for RS256, ES256 or EdDSA"]
                    + found.ignored.map(\.description))
        }
        keys = found.keys
        ignored = found.ignored
    }

    /// A repeated name makes a key malformed (RFC 7517 section 4), not the document.
    private static func elements(_ bytes: [UInt8]) throws(ParsingErrors) -> [JSONField] {
        let elements: [JSONField]
        do {
            let document = try JSONValue(parsing: bytes, isLenient: true)
            if case .object(let object) = document, object.hasRepeatedName {
                throw ParsingErrors(sentences: ["The document has two members of the same name"])
            }
            elements = try JSONField(document)["keys"].elements()
        } catch let mistakes as ParsingErrors {
            throw mistakes
        } catch {
            throw ParsingErrors(sentences: ["\(error)"])
        }
        guard elements.count <= keyLimit else {
            throw ParsingErrors(sentences: ["`keys` has more than \(keyLimit) elements"])
        }
        return elements
    }
}

/// A key of a set that is not used.
package struct IgnoredKey: Error, Sendable, Equatable {
    /// The reason why the key is not used, for metrics and logs.
    package enum Reason: String, Sendable, CaseIterable {
        /// The key is for another purpose: another type, curve, algorithm or use.
        case unsuitable
        /// A member is missing, repeated, or of the wrong type or form.
        case malformed
        /// The key is invalid or weak.
        case unsound
        /// The key contains its private part, so every reader of the set could sign.
        case isPrivate = "private"
        /// The set already contains the key, or as many keys with its id as a token is tried with.
        case duplicate
    }

    package let reason: Reason
    /// The key and its problem, without a full stop.
    package let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension IgnoredKey: CustomStringConvertible, CustomDebugStringConvertible {
    package var debugDescription: String { description }
}

/// One parsed key of a set.
struct JSONWebKey {
    /// Members that no public key has: the private numbers of each type, and a shared secret.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    let id: String?
    let algorithm: SignatureAlgorithm
    /// The numbers of the key, each as big-endian bytes.
    let numbers: [[UInt8]]
    let key: VerificationKey

    /// Parses a key.
    init(_ field: JSONField) throws(IgnoredKey) {
        do {
            let object = try field.object()
            if object.hasRepeatedName {
                throw IgnoredKey(.malformed, "`\(field.path)` has two members of the same name")
            }
            if let name = Self.privateMembers.first(where: { object[$0] != nil }) {
                throw IgnoredKey(
                    .isPrivate,
                    "`\(field.path)` is not a public key: it has `\(name)`")
            }
            id = try field["kid"].ifPresent?.string()
            algorithm = try Self.algorithm(field)
            numbers = try Self.numbers(field, algorithm)
        } catch let ignored as IgnoredKey {
            throw ignored
        } catch {
            throw IgnoredKey(.malformed, "\(error)")
        }
        do throws(CryptoError) {
            key =
                switch algorithm {
                case .rs256: try .rsa(modulus: numbers[0], exponent: numbers[1])
                case .es256: try .p256(x: numbers[0], y: numbers[1])
                default: try .ed25519(numbers[0])
                }
        } catch {
            throw IgnoredKey(.unsound, "`\(field.path)`: \(error.description)")
        }
    }

    /// Returns the algorithm of the key's signatures.
    private static func algorithm(_ field: JSONField) throws -> SignatureAlgorithm {
        let type = try field["kty"].string()
        let stated = try field["alg"].ifPresent?.string()
        if let use = try field["use"].ifPresent?.string(), use != "sig" {
            throw IgnoredKey(.unsuitable, "`\(field.path).use` is not `sig`")
        }
        if let operations = try field["key_ops"].ifPresent?.elements() {
            let words = try operations.map { try $0.string() }
            if !words.contains("verify") {
                throw IgnoredKey(.unsuitable, "`\(field.path).key_ops` is without `verify`")
            }
        }
        let algorithm: SignatureAlgorithm? =
            switch type {
            case "RSA": .rs256
            case "EC": try field["crv"].string() == "P-256" ? .es256 : nil
            case "OKP": try field["crv"].string() == "Ed25519" ? .edDSA : nil
            default: nil
            }
        guard let algorithm, stated == nil || stated == algorithm.rawValue else {
            throw IgnoredKey(.unsuitable, "`\(field.path)` is not for RS256, ES256 or EdDSA")
        }
        return algorithm
    }

    private static func numbers(
        _ field: JSONField, _ algorithm: SignatureAlgorithm
    ) throws -> [[UInt8]] {
        let names = algorithm == .rs256 ? ["n", "e"] : algorithm == .es256 ? ["x", "y"] : ["x"]
        return try names.map { name in
            let part = try field[name]
            guard let bytes = Base64URL.decode(try part.string()) else {
                throw IgnoredKey(.malformed, "`\(part.path)` must be base64url without padding")
            }
            return bytes
        }
    }
}

/// Collects the keys of a set one by one.
///
/// Several keys may share a `kid`, and a token is tried with each of them, so an issuer can rotate
/// a key under one id. At most ``TokenVerifier/keysTried`` keys are stored for each id.
struct FoundKeys {
    private struct Kind: Hashable {
        let algorithm: SignatureAlgorithm
        let id: String?
    }

    private(set) var keys: [NamedKey] = []
    private(set) var ignored: [IgnoredKey] = []
    private var seenKeys: [Kind: [[[UInt8]]]] = [:]

    mutating func add(_ field: JSONField) {
        do throws(IgnoredKey) {
            let found = try JSONWebKey(field)
            let kind = Kind(algorithm: found.algorithm, id: found.id)
            let sameKind = seenKeys[kind] ?? []
            if sameKind.contains(found.numbers) {
                throw IgnoredKey(.duplicate, "`\(field.path)` is a duplicate")
            }
            guard sameKind.count < TokenVerifier.keysTried else {
                let name = found.id == nil ? "no `kid`" : "its `kid`"
                throw IgnoredKey(
                    .duplicate,
                    "`\(field.path)` is surplus: \(sameKind.count) other keys have \(name)")
            }
            seenKeys[kind] = sameKind + [found.numbers]
            keys.append(NamedKey(id: found.id, key: found.key))
        } catch {
            ignored.append(error)
        }
    }
}
