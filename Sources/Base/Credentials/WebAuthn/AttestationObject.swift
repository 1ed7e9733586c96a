/// The response of an authenticator that has created a credential (`attestationObject`, WebAuthn
/// level 3 section 6.5).
///
/// Attestation was not requested, so a statement of any format is treated as absent: its claims
/// about the authenticator's maker are ignored.
struct AttestationObject: Sendable {
    static let limitBytes = 16384

    let data: AuthenticatorData

    init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard bytes.count <= Self.limitBytes else {
            throw Self.malformed("at most \(Self.limitBytes) bytes long")
        }
        let document: CBORValue
        do throws(CBORReader.Fault) {
            document = try CBORReader.document(bytes)
        } catch {
            throw Self.malformed("CBOR; byte \(error.offset): \(error.reason.rawValue)")
        }
        guard let map = document.map, map.entries.count == 3, let format = map["fmt"]?.text,
            let statement = map["attStmt"]?.map, let data = map["authData"]?.bytes
        else { throw Self.malformed("a map of `fmt`, `attStmt` and `authData`") }
        guard (1...32).contains(format.utf8.count) else {
            throw Self.malformed("with a `fmt` of 1 to 32 bytes")
        }
        guard format != "none" || statement.entries.isEmpty else {
            throw Self.malformed("without a statement where `fmt` is none")
        }
        self.data = try AuthenticatorData(data)
    }

    private static func malformed(_ expected: String) -> WebAuthnRefusal {
        .malformed("attestationObject", expected: expected)
    }
}
