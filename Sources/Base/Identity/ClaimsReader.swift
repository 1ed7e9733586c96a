import JSON

/// Reads the claims of a token with a valid signature, by the rules of its issuer.
struct ClaimsReader {
    /// Tolerated clock difference for `nbf` and `iat`; `exp` has no leeway.
    static let leewaySeconds: Int64 = 60

    let claims: JSONObject
    let issuer: Issuer
    /// The time in seconds since 1970.
    let now: Int64

    func read() throws(TokenRefusal) -> VerifiedToken {
        let (issuedAt, expiresAt) = try checkTimes()
        let bearer = try bearer()
        let audience = try audience()
        let email = try string("email")
        return VerifiedToken(
            issuer: issuer.name, subject: try subject(bearer), kind: issuer.kind,
            isPrimary: issuer.isPrimary, linksAddresses: issuer.linksAddresses, bearer: bearer,
            email: email,
            isEmailVerified: email != nil && isEmailVerified,
            fullName: fullName, role: userMetadata.flatMap { text($0["role"]) },
            audience: audience,
            nonce: issuer.kind == .apple ? try string("nonce") : nil, issuedAt: issuedAt,
            expiresAt: expiresAt, session: try session())
    }

    // MARK: Times

    /// The end of the year 9999, the latest supported expiry. Later ones are reduced to it.
    private static let lastSecond: Double = 253_402_300_799

    private func checkTimes() throws(TokenRefusal) -> (issuedAt: Int64?, expiresAt: Int64) {
        guard let expiry = try seconds("exp") else { throw .missingClaim("exp") }
        // A token is valid until just before the moment in `exp` (RFC 7519 section 4.1.4).
        let expiresAt = Int64(clamping: min(expiry.rounded(.up), Self.lastSecond))
        guard now < expiresAt else { throw .expired }
        let horizon = Double(now + Self.leewaySeconds)
        if let start = try seconds("nbf"), start > horizon { throw .notYetValid }
        let issued = try seconds("iat")
        if let issued, issued > horizon { throw .issuedInFuture }
        // As in the database: whole seconds, none before 1970.
        return (issued.map { Int64(clamping: max(0, $0.rounded(.down))) }, expiresAt)
    }

    private func seconds(_ name: String) throws(TokenRefusal) -> Double? {
        switch claims[name] {
        case nil: return nil
        case .integer(let seconds)?: return Double(seconds)
        case .number(let seconds)?: return seconds
        default: throw .malformedClaim(name)
        }
    }

    // MARK: Subject and audience

    private func subject(_ bearer: VerifiedToken.Bearer) throws(TokenRefusal) -> String {
        guard let subject = try string("sub") else {
            // Supabase's project keys have no subject.
            if bearer != .person { return "" }
            throw .missingClaim("sub")
        }
        guard (1...255).contains(subject.unicodeScalars.count),
            !subject.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw .malformedClaim("sub") }
        guard issuer.isPrimary else { return subject }
        guard subject.isCanonicalUUID else { throw .malformedClaim("sub") }
        return subject.lowercased()
    }

    /// Returns the token's audience that the issuer's entry lists.
    private func audience() throws(TokenRefusal) -> String {
        var claim = "aud"
        if issuer.kind == .cognito {
            guard let use = Issuer.TokenUse(rawValue: try string("token_use") ?? ""),
                issuer.tokenUse == nil || issuer.tokenUse == use
            else { throw .wrongTokenUse }
            claim = use == .access ? "client_id" : "aud"
        }
        let audiences: [JSONValue]
        switch claims[claim] {
        case nil: throw .missingClaim(claim)
        case .string(let audience)?: audiences = [.string(audience)]
        case .array(let list)? where claim == "aud": audiences = list
        default: throw .malformedClaim(claim)
        }
        let match = audiences.lazy.compactMap { value -> String? in
            guard case .string(let audience) = value else { return nil }
            return issuer.audiences.first { $0.utf8.elementsEqual(audience.utf8) }
        }.first
        guard let match else { throw .wrongAudience }
        return match
    }

    private func bearer() throws(TokenRefusal) -> VerifiedToken.Bearer {
        guard issuer.kind == .supabase else { return .person }
        switch claims["is_anonymous"] {
        case nil, .null?, .bool(false)?: break
        case .bool(true)?: return .anonymous
        default: throw .malformedClaim("is_anonymous")
        }
        switch try string("role") {
        case nil, "authenticated": return .person
        case "anon": return .anonymous
        case "service_role", "supabase_admin": return .service
        default: throw .wrongRole
        }
    }

    /// Returns the session of one of Hearth's own tokens, which all have one.
    private func session() throws(TokenRefusal) -> VerifiedToken.Session? {
        guard issuer.isOwn else { return nil }
        guard let id = try string("sid") else { throw .missingClaim("sid") }
        var actor: String?
        if let act = claims["act"] {
            guard case .object(let object) = act, case .string(let subject)? = object["sub"],
                subject.isCanonicalUUID
            else { throw .malformedClaim("act") }
            actor = subject
        }
        guard id.isCanonicalUUID else { throw .malformedClaim("sid") }
        guard let signedIn = try seconds("auth_time") else { throw .missingClaim("auth_time") }
        return VerifiedToken.Session(
            id: id, actor: actor, signedInAt: Int64(clamping: signedIn.rounded(.down)))
    }

    // MARK: Data about the person

    private var isEmailVerified: Bool {
        switch issuer.kind {
        case .supabase: issuer.confirmsEmails
        case .apple:
            claims["email_verified"] == .bool(true)
                || claims["email_verified"] == .string("true")
        case .cognito, .generic: claims["email_verified"] == .bool(true)
        }
    }

    /// Metadata that the person can change: used only for the defaults of a profile.
    private var userMetadata: JSONObject? {
        guard issuer.kind == .supabase, case .object(let object)? = claims["user_metadata"] else {
            return nil
        }
        return object
    }

    private var fullName: String? {
        guard issuer.kind == .supabase else { return text(claims["name"]) }
        return userMetadata.flatMap { text($0["full_name"]) ?? text($0["name"]) }
    }

    private func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value, text.unicodeScalars.contains(where: \.isSeen) else {
            return nil
        }
        return text
    }

    /// Returns an optional string claim; null and empty count as absent.
    private func string(_ name: String) throws(TokenRefusal) -> String? {
        switch claims[name] {
        case nil, .null?: return nil
        case .string(let string)?: return string.isEmpty ? nil : string
        default: throw .malformedClaim(name)
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is visible: not white space, a control or a layout control.
    fileprivate var isSeen: Bool {
        switch properties.generalCategory {
        case .control, .format: false
        default: !properties.isWhitespace
        }
    }
}

extension Int64 {
    /// Returns the nearest integer in range.
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}

extension String {
    /// Whether this is a UUID in its canonical form, letters in either case (RFC 9562 section 4).
    var isCanonicalUUID: Bool {
        utf8.count == 36
            && utf8.enumerated().allSatisfy { index, byte in
                switch index {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: byte.isHexDigit
                }
            }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
