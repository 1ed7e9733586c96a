import Crypto
import Testing

/// A known signature: the key, the signed message and the signature.
struct KnownSignature {
    let key: VerificationKey
    let message: [UInt8]
    let signature: [UInt8]
}

private func decoded(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

/// The example of RFC 7515, A.2.
private func rs256() throws -> KnownSignature {
    let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt"
        + "0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHS"
        + "XndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_"
        + "I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    let signature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W"
        + "2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvk"
        + "SjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phC"
        + "nvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    let message =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGx"
        + "lLmNvbS9pc19yb290Ijp0cnVlfQ"
    return KnownSignature(
        key: try .rsa(modulus: try decoded(modulus), exponent: [1, 0, 1]),
        message: Array(message.utf8), signature: try decoded(signature))
}

/// The example of RFC 7515, A.3.
private func es256() throws -> KnownSignature {
    let message =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGx"
        + "lLmNvbS9pc19yb290Ijp0cnVlfQ"
    let signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    return KnownSignature(
        key: try .p256(
            x: try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
            y: try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")),
        message: Array(message.utf8), signature: try decoded(signature))
}

/// The example of RFC 8037, A.4.
private func ed25519() throws -> KnownSignature {
    let signature =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    return KnownSignature(
        key: try .ed25519(try decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")),
        message: Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8),
        signature: try decoded(signature))
}

@Suite("Signatures") struct SignatureTests {
    /// Points of small order in every encoding, without the sign bit.
    static let weak = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test("a small-order Ed25519 key, under which anybody can sign, is refused", arguments: weak)
    func weakPoint(_ hex: String) throws {
        var bytes = stride(from: 0, to: 64, by: 2).compactMap { offset in
            UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
        }
        #expect(throws: CryptoError.self) { try VerificationKey.ed25519(bytes) }
        bytes[31] |= 0x80
        #expect(throws: CryptoError.self) { try VerificationKey.ed25519(bytes) }
    }

    static let known: [@Sendable () throws -> KnownSignature] = [rs256, es256, ed25519]

    @Test("the examples of RFC 7515 and RFC 8037 are valid", arguments: known.indices)
    func valid(index: Int) throws {
        let known = try Self.known[index]()
        #expect(try known.key.isValid(known.signature, for: known.message.span))
    }

    @Test("changing one bit of message or signature invalidates it", arguments: known.indices)
    func flippedBits(index: Int) throws {
        let known = try Self.known[index]()
        for position in known.message.indices {
            var message = known.message
            message[position] ^= 1 << UInt8(position % 8)
            #expect(try !known.key.isValid(known.signature, for: message.span))
        }
        for position in known.signature.indices {
            var signature = known.signature
            signature[position] ^= 1 << UInt8(position % 8)
            #expect(try !known.key.isValid(signature, for: known.message.span))
        }
    }

    @Test("a signature of the wrong length is invalid", arguments: known.indices)
    func lengths(index: Int) throws {
        let known = try Self.known[index]()
        for signature in [
            [], Array(known.signature.dropLast()), known.signature + [0], [0] + known.signature,
        ] {
            #expect(try !known.key.isValid(signature, for: known.message.span))
        }
    }

    @Test("an ECDSA signature of zeros, or in DER, is invalid")
    func ecdsaForms() throws {
        let known = try es256()
        let message = known.message.span
        #expect(try !known.key.isValid([UInt8](repeating: 0, count: 64), for: message))
        #expect(try !known.key.isValid([UInt8](repeating: 0xFF, count: 64), for: message))
        let (r, s) = (Array(known.signature[..<32]), Array(known.signature[32...]))
        let der = [0x30, 0x45, 0x02, 0x20] + r + [0x02, 0x21, 0x00] + s
        #expect(try !known.key.isValid(der, for: message))
    }

    @Test("the Ed25519 signature of the empty message is that of RFC 8032's first test")
    func emptyMessage() throws {
        let key = try #require(
            [UInt8](hex: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        let signature = try #require(
            [UInt8](
                hex: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                    + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"))
        #expect(try VerificationKey.ed25519(key).isValid(signature, for: [UInt8]().span))
    }

    @Test("weak and malformed RSA keys are refused")
    func rsaKeys() throws {
        func fails(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> Bool {
            do throws(CryptoError) {
                _ = try VerificationKey.rsa(modulus: modulus, exponent: exponent)
                return false
            } catch {
                return error.code == .invalidKey
            }
        }
        let sound = [UInt8](repeating: 0xFF, count: 256)
        #expect(fails([]))
        #expect(fails([UInt8](repeating: 0xFF, count: 128)), "1024 bits")
        #expect(fails([0x7F] + sound.dropFirst()), "2047 bits")
        #expect(fails([0] + sound), "a leading zero")
        #expect(fails(Array(sound.dropLast()) + [0xFE]), "an even modulus")
        #expect(fails([UInt8](repeating: 0xFF, count: 1025)), "more than 8192 bits")
        for exponent: [UInt8] in [[], [0], [1], [2], [0, 3], [4], [1, 0, 0, 0, 1]] {
            #expect(fails(sound, exponent), "exponent \(exponent)")
        }
    }

    @Test("points off the curve and keys of the wrong length are refused")
    func curveKeys() throws {
        let x = try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        var y = try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(throws: CryptoError.self) { try VerificationKey.p256(x: x, y: Array(y.dropLast())) }
        #expect(throws: CryptoError.self) { try VerificationKey.p256(x: [0] + x, y: y) }
        y[31] ^= 1
        #expect(throws: CryptoError.self) { try VerificationKey.p256(x: x, y: y) }
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: CryptoError.self) { try VerificationKey.p256(x: zero, y: zero) }
        #expect(throws: CryptoError.self) { try VerificationKey.ed25519([1, 2, 3]) }
    }

    @Test("an error shows clients less than it writes to the log")
    func errors() throws {
        let error = try #require(throws: CryptoError.self) {
            try VerificationKey.p256(
                x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
        }
        #expect(error.description == "Invalid key: an EC key that OpenSSL refuses")
        #expect(error.debugDescription.contains("point is not on curve"))
    }
}
