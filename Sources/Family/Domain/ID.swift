/// The identifier of an `Entity`: a UUID that can't be taken for another entity's.
///
/// Reads a UUID in its canonical form in any letter case, and prints it in lower case
/// (RFC 9562, section 4).
package struct ID<Entity>: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// The sixteen bytes in network order.
    package let rawValue: UInt128

    package init(rawValue: UInt128) { self.rawValue = rawValue }

    /// A new random identifier (RFC 9562, version 4) from the system's secure generator.
    package static func random() -> Self {
        var value = UInt128.random(in: 0 ... .max)
        value &= ~(UInt128(0xf000) << 64 | UInt128(0xc000) << 48)
        value |= UInt128(0x4000) << 64 | UInt128(0x8000) << 48
        return Self(rawValue: value)
    }

    /// Nil unless `text` has the form `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
    package init?(_ text: String) {
        var value: UInt128 = 0
        var count = 0
        for byte in text.utf8 {
            defer { count += 1 }
            if count == 8 || count == 13 || count == 18 || count == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.hexadecimalValue(byte) else { return nil }
            value = value << 4 | UInt128(digit)
        }
        guard count == 36 else { return nil }
        rawValue = value
    }

    package var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            write(to: buffer)
            return 36
        }
    }

    /// Appends its 36 characters.
    package func append(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { buffer in
            write(to: buffer)
            text.append(contentsOf: buffer)
        }
    }

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        var position = 0
        for bits in [64, 0] {
            let half = UInt64(truncatingIfNeeded: rawValue >> UInt128(bits))
            for place in stride(from: 60, through: 0, by: -4) {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(place)) & 15
                buffer[position] = digit < 10 ? 48 + digit : 87 + digit
                position += 1
            }
        }
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
/// The same of an account that was erased, which no user's id leads to.
package enum Erasure {}
/// The type tag of families' ids; has no values.
package enum Family {}
/// The type tag of memberships' ids; has no values.
package enum Member {}
/// The type tag of invitations' ids; has no values.
package enum Invitation {}
/// The type tag of ids of webhooks' endpoints; has no values.
package enum Webhook {}
/// The type tag of ids of webhooks' events; has no values.
package enum WebhookEvent {}

/// The type tag of the ids of providers' refresh tokens; has no values.
package enum ProviderGrant {}
/// The type tag of sessions' ids; has no values.
package enum SignInSession {}

/// The type tag of the ids of ways into an account; has no values.
package enum LinkedIdentity {}

/// The type tag of passkeys' ids; has no values.
package enum Passkey {}

/// The type tag of the ids of mailed tickets; has no values.
package enum MailedTicket {}

package typealias UserID = ID<User>
package typealias ErasureID = ID<Erasure>
package typealias FamilyID = ID<Family>
/// A membership row. A managed member's equals its user's id.
package typealias MemberID = ID<Member>
package typealias InvitationID = ID<Invitation>
package typealias WebhookID = ID<Webhook>
package typealias WebhookEventID = ID<WebhookEvent>
package typealias ProviderTokenID = ID<ProviderGrant>
package typealias SessionID = ID<SignInSession>
package typealias TicketID = ID<MailedTicket>
package typealias IdentityID = ID<LinkedIdentity>
package typealias PasskeyID = ID<Passkey>
