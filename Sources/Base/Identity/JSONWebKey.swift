import Crypto
import JSON

/// One key of a set, read.
struct JSONWebKey {
    /// Members that no public key has: the private numbers of each type, and a shared secret.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    let id: String?
    let algorithm: SignatureAlgorithm
    /// The numbers of the key, each as big-endian bytes.
    let numbers: [[UInt8]]
    let key: VerificationKey

    /// Reads a key.
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

    /// The algorithm of its signatures.
    private static func algorithm(_ field: JSONField) throws -> SignatureAlgorithm {
        let type = try field["kty"].string()
        let given = try field["alg"].ifPresent?.string()
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
        guard let algorithm, given == nil || given == algorithm.rawValue else {
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

/// The keys of a set, gathered one by one.
///
/// Several keys may share a `kid`, and a token is tried with each of them, so an issuer can rotate
/// a key under one name. No more keys of a name are stored than tokens are tried with.
struct FoundKeys {
    private struct Kind: Hashable {
        let algorithm: SignatureAlgorithm
        let id: String?
    }

    private(set) var keys: [NamedKey] = []
    private(set) var ignored: [IgnoredKey] = []
    private var known: [Kind: [[[UInt8]]]] = [:]

    mutating func add(_ field: JSONField) {
        do throws(IgnoredKey) {
            let found = try JSONWebKey(field)
            let kind = Kind(algorithm: found.algorithm, id: found.id)
            let others = known[kind] ?? []
            if others.contains(found.numbers) {
                throw IgnoredKey(.duplicate, "`\(field.path)` is there already")
            }
            guard others.count < TokenVerifier.keysTried else {
                let name = found.id == nil ? "no `kid`" : "its `kid`"
                throw IgnoredKey(
                    .duplicate,
                    "`\(field.path)` is surplus: \(others.count) other keys have \(name)")
            }
            known[kind] = others + [found.numbers]
            keys.append(NamedKey(id: found.id, key: found.key))
        } catch {
            ignored.append(error)
        }
    }
}
