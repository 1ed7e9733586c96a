import COpenSSL
import Crypto
package import Credentials

/// A key pair of a passkey, made by OpenSSL.
package final class PasskeyPair: @unchecked Sendable {
    // Sendable: the key is set up by `init` only; signing reads it, with a separate context.

    package let algorithm: CredentialKey.Algorithm
    private let key: OpaquePointer

    package struct Failure: Error {
        let step: String
    }

    package init(_ algorithm: CredentialKey.Algorithm) throws {
        self.algorithm = algorithm
        let kind =
            switch algorithm {
            case .es256: "EC"
            case .edDSA: "ED25519"
            case .rs256: "RSA"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            algorithm != .es256 || EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw Failure(step: "making a key") }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// The public key as a COSE_Key.
    package func coseKey() throws -> CBORWriter {
        switch algorithm {
        case .es256:
            let point = try octets(OSSL_PKEY_PARAM_PUB_KEY, 65)
            return .map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)),
                (.int(-2), .bytes(Array(point[1...32]))), (.int(-3), .bytes(Array(point[33...]))),
            ])
        case .edDSA:
            return .map([
                (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)),
                (.int(-2), .bytes(try octets(OSSL_PKEY_PARAM_PUB_KEY, 32))),
            ])
        case .rs256:
            return .map([
                (.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes(try modulus())),
                (.int(-2), .bytes([1, 0, 1])),
            ])
        }
    }

    private func octets(_ name: String, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, name, &bytes, count, &length) == 1,
            length == count
        else { throw Failure(step: "reading \(name)") }
        return bytes
    }

    private func modulus() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        let done = bytes.withUnsafeMutableBufferPointer { buffer in
            var parameters = [
                hearth_param_rsa_modulus(buffer.baseAddress, buffer.count),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_PKEY_get_params(key, &parameters)
        }
        guard done == 1 else { throw Failure(step: "reading a modulus") }
        return bytes.reversed()
    }

    /// A signature in the form that authenticators use.
    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 512)
        var length = signature.count
        let digest = algorithm == .edDSA ? nil : "SHA256"
        guard EVP_DigestSignInit_ex(context, nil, digest, nil, nil, key, nil) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw Failure(step: "signing") }
        return Array(signature.prefix(length))
    }
}
