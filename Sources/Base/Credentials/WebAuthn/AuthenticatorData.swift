/// The data that an authenticator signs (`authenticatorData`, WebAuthn level 3 section 6.1).
struct AuthenticatorData: Sendable {
    static let limitBytes = 4096
    static let credentialIDLengths = 1...1023

    /// A new credential, as the authenticator describes it.
    struct AttestedCredential: Sendable {
        /// The authenticator's model; zeros if not stated.
        let model: [UInt8]
        let credentialID: [UInt8]
        let key: CredentialKey
    }

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let attested = Flags(rawValue: 0x40)
        static let extensions = Flags(rawValue: 0x80)
    }

    let bytes: [UInt8]
    let relyingPartyHash: [UInt8]
    let flags: Flags
    let counter: UInt32
    let attested: AttestedCredential?
    /// Names of the extensions in the response. Hearth requests none.
    let extensions: Set<String>

    init(_ bytes: [UInt8]) throws(WebAuthnRefusal) {
        guard (37...Self.limitBytes).contains(bytes.count) else {
            throw Self.malformed("37 to \(Self.limitBytes) bytes long")
        }
        self.bytes = bytes
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        if flags.contains(.backedUp), !flags.contains(.backupEligible) {
            throw Self.malformed("without a backup where none is possible")
        }
        var offset = 37
        attested = flags.contains(.attested) ? try Self.attested(bytes, &offset) : nil
        if flags.contains(.extensions) {
            guard let map = try Self.item(bytes, &offset).map else {
                throw Self.malformed("extensions as a map")
            }
            extensions = Set(map.entries.compactMap(\.key.text))
        } else {
            extensions = []
        }
        guard offset == bytes.count else {
            throw Self.malformed("as long as its flags say")
        }
    }

    private static func attested(
        _ bytes: [UInt8], _ offset: inout Int
    ) throws(WebAuthnRefusal) -> AttestedCredential {
        guard bytes.count >= offset + 18 else { throw malformed("complete") }
        let model = Array(bytes[offset..<offset + 16])
        let length = Int(bytes[offset + 16]) << 8 | Int(bytes[offset + 17])
        offset += 18
        guard credentialIDLengths.contains(length), bytes.count > offset + length else {
            throw malformed("with a credential id of 1 to 1023 bytes, and a key")
        }
        let id = Array(bytes[offset..<offset + length])
        offset += length
        let start = offset
        guard let map = try item(bytes, &offset).map else { throw malformed("with a COSE_Key") }
        return AttestedCredential(
            model: model, credentialID: id,
            key: try CredentialKey(map, encoded: Array(bytes[start..<offset])))
    }

    private static func item(
        _ bytes: [UInt8], _ offset: inout Int
    ) throws(WebAuthnRefusal) -> CBORValue {
        do throws(CBORReader.Fault) {
            let (value, end) = try CBORReader.item(in: bytes, from: offset)
            offset = end
            return value
        } catch {
            throw malformed("CBOR at byte \(error.offset) (\(error.reason.rawValue))")
        }
    }

    private static func malformed(_ expected: String) -> WebAuthnRefusal {
        .malformed("authenticatorData", expected: expected)
    }

    /// Throws if the data are for another relying party, or lack the user's presence or a required
    /// verification.
    func require(
        _ party: RelyingParty, userVerification isRequired: Bool
    ) throws(WebAuthnRefusal) {
        guard relyingPartyHash == party.hash.bytes else { throw .wrongRelyingParty }
        guard flags.contains(.userPresent) else { throw .userAbsent }
        guard !isRequired || flags.contains(.userVerified) else { throw .userUnverified }
    }
}
