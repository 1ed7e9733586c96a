/// The identifier of an `Entity`: a UUID whose type keeps ids of different entities apart.
///
/// Parses a UUID in its canonical form in any letter case, and prints it in lower case (RFC 9562,
/// section 4).
package struct ID<Entity>: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    // Two halves, because memory that contains a UInt128 must be aligned to sixteen bytes, and
    // allocating such memory takes far longer.
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// The sixteen bytes in network order.
    @inlinable package var rawValue: UInt128 { UInt128(high) << 64 | UInt128(low) }

    @inlinable
    package init(rawValue: UInt128) {
        high = UInt64(truncatingIfNeeded: rawValue >> 64)
        low = UInt64(truncatingIfNeeded: rawValue)
    }

    /// A new random identifier (RFC 9562, version 4) from the system's secure generator.
    package static func random() -> Self {
        var value = UInt128.random(in: 0 ... .max)
        value &= ~(UInt128(0xf000) << 64 | UInt128(0xc000) << 48)
        value |= UInt128(0x4000) << 64 | UInt128(0x8000) << 48
        return Self(rawValue: value)
    }

    /// Returns nil unless `text` has the form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
    package init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        var text = text
        guard let halves = text.withUTF8({ Self.halves(of: $0) }) else { return nil }
        (high, low) = halves
    }

    /// Parses 36 characters into the two halves of a UUID; nil if they are not one.
    private static func halves(of text: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
        var halves: (UInt64, UInt64) = (0, 0)
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimalValue(byte) else { return nil }
            if index < 18 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
        }
        return halves
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Self.length) { write(to: $0) }
    }

    /// Number of characters in the text form.
    package static var length: Int { 36 }

    /// Appends the 36 characters of the text form.
    package func append(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length) { buffer in
            _ = write(to: buffer)
            text.append(contentsOf: buffer)
        }
    }

    /// Writes the text form into `buffer`, eight digits at a time, and returns the number of bytes
    /// written.
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let text = UnsafeMutableRawBufferPointer(buffer)
        let second = Self.digits(high)
        let third = Self.digits(low >> 32)
        text.storeBytes(of: Self.digits(high >> 32).bigEndian, as: UInt64.self)
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: second >> 32).bigEndian, toByteOffset: 9,
            as: UInt32.self)
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: second).bigEndian, toByteOffset: 14, as: UInt32.self)
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: third >> 32).bigEndian, toByteOffset: 19,
            as: UInt32.self)
        text.storeBytes(
            of: UInt32(truncatingIfNeeded: third).bigEndian, toByteOffset: 24, as: UInt32.self)
        text.storeBytes(
            of: Self.digits(low).bigEndian, toByteOffset: 28, as: UInt64.self)
        let dash = UInt8(ascii: "-")
        (buffer[8], buffer[13], buffer[18], buffer[23]) = (dash, dash, dash, dash)
        return Self.length
    }

    /// The eight hexadecimal digits of the lowest 32 bits, one in each byte.
    private static func digits(_ value: UInt64) -> UInt64 {
        var spread = UInt64(UInt32(truncatingIfNeeded: value))
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // A one in each byte that is ten or more.
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The type tag of users' ids; has no values.
package enum User {}
/// The type tag of ids of erased accounts; has no values. An erasure's id is never the user's.
package enum Erasure {}
/// The type tag of families' ids; has no values.
package enum Family {}
/// The type tag of memberships' ids; has no values.
package enum Member {}
/// The type tag of invitations' ids; has no values.
package enum Invitation {}
/// The type tag of webhook endpoints' ids; has no values.
package enum Webhook {}
/// The type tag of webhook events' ids; has no values.
package enum WebhookEvent {}
/// The type tag of API keys' ids; has no values.
package enum APIKey {}

/// The type tag of ids of identity providers' refresh tokens; has no values.
package enum ProviderGrant {}
/// The type tag of sessions' ids; has no values.
package enum SignInSession {}

/// The type tag of ids of processes; has no values.
package enum ProgramProcess {}

/// The type tag of ids of events in the log of sign-ins; has no values.
package enum SignInOccurrence {}

/// The type tag of ids of sign-in methods linked to an account; has no values.
package enum LinkedIdentity {}

/// The type tag of passkeys' ids; has no values.
package enum Passkey {}

/// The type tag of e-mail tokens' ids; has no values.
package enum EmailToken {}

/// A user: an account, or the person behind a managed member.
package typealias UserID = ID<User>
/// The record of an erased account, kept for nine days. Unrelated to the user's id.
package typealias ErasureID = ID<Erasure>
package typealias FamilyID = ID<Family>
/// A membership. A managed member's id equals its user's id.
package typealias MemberID = ID<Member>
package typealias InvitationID = ID<Invitation>
/// A webhook endpoint that an operator has added.
package typealias WebhookID = ID<Webhook>
package typealias WebhookEventID = ID<WebhookEvent>
/// A key by which the server of an app calls the API.
package typealias APIKeyID = ID<APIKey>
/// A refresh token of an identity provider such as Apple.
package typealias ProviderTokenID = ID<ProviderGrant>
/// A session issued by Hearth itself: `sid` in its access tokens.
package typealias SessionID = ID<SignInSession>
/// A process of the API or a worker, for as long as it runs.
package typealias ProcessID = ID<ProgramProcess>
/// An event in the log of sign-ins.
package typealias SignInEventID = ID<SignInOccurrence>
/// A code sent by e-mail, together with its link.
package typealias EmailTokenID = ID<EmailToken>
/// A sign-in method linked to an account.
package typealias IdentityID = ID<LinkedIdentity>
package typealias PasskeyID = ID<Passkey>
