package import Crypto
package import Domain
package import Postgres
import Repositories
package import Basics

/// The keys from which tokens of invitations are derived. They never reach the database.
///
/// A token is HMAC-SHA256 of the invitation's id and generation. The database stores its SHA-256. A
/// link therefore works as long as its hash exists, even without the key; computing the link again
/// needs the key that it was made with. To rotate keys, put the new one first and keep the old ones
/// for as long as invitations last.
package struct InvitationKeys: Sendable {
    /// Minimum length of a key, in bytes.
    package static let minimumBytes = 32

    private let newest: HMACKey
    private let older: [HMACKey]
    /// Codes that confirm an erasure, derived from the same secrets.
    package let deletionCodes: DeletionCodes
    /// Codes that prove a consent, derived from the same secrets.
    package let consentCodes: ConsentCodes

    /// - Parameter keys: Newest first. Nil if there is none, or one is too short.
    package init?(_ keys: [[UInt8]]) throws(CryptoError) {
        guard let first = keys.first, keys.allSatisfy({ $0.count >= Self.minimumBytes }) else {
            return nil
        }
        newest = try HMACKey(first)
        var older: [HMACKey] = []
        for key in keys.dropFirst() { older.append(try HMACKey(key)) }
        self.older = older
        deletionCodes = try DeletionCodes(
            keys, label: "hearth: codes that confirm an erasure")
        consentCodes = try ConsentCodes(keys, label: "hearth: codes that prove a consent")
    }

    /// Returns a key for another purpose, derived from the newest one.
    package func key(for purpose: String) throws(CryptoError) -> HMACKey {
        try HMACKey(newest.authenticate(Array(purpose.utf8)))
    }

    /// Makes the token of a new link.
    package func token(
        of invitation: InvitationID, generation: Int32
    ) throws(CryptoError) -> InvitationToken {
        try Self.token(newest, invitation, generation)
    }

    /// Returns the tokens that a link may have, one for each key, the most likely first.
    package func tokens(
        of invitation: InvitationID, generation: Int32
    ) throws(CryptoError) -> [InvitationToken] {
        var tokens: [InvitationToken] = []
        for key in [newest] + older {
            tokens.append(try Self.token(key, invitation, generation))
        }
        return tokens
    }

    /// Returns the token whose digest is `hash`, made with any of the keys; nil if none fits.
    package func token(
        of invitation: InvitationID, generation: Int32, havingHash hash: [UInt8]
    ) throws(CryptoError) -> InvitationToken? {
        try tokens(of: invitation, generation: generation).first { $0.hash.bytes == hash }
    }

    private static func token(
        _ key: HMACKey, _ invitation: InvitationID, _ generation: Int32
    ) throws(CryptoError) -> InvitationToken {
        let id = (0..<16).map { UInt8(truncatingIfNeeded: invitation.rawValue >> (120 - $0 * 8)) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - $0 * 8)) }
        return InvitationToken(unchecked: Base64URL.text(try key.authenticate(id + number)))
    }
}

extension InvitationToken {
    /// The hash that the database stores: SHA-256 of the token's characters.
    var hash: SHA256Digest { SHA256Digest(of: text) }
}

// A process with another `HEARTH_SECRET_KEY` would send e-mails with links that don't work, and
// could not show the link of an invitation again.

extension InvitationKeys {
    /// Whether one of the keys has made the newest link; nil if there is no link.
    package func haveMadeNewestLink(
        on connection: Connection, deadline: Deadline? = nil
    ) throws -> Bool? {
        guard let link = try connection.run(LinkKeys.newest, deadline: deadline).first else {
            return nil
        }
        return try connection.run(
            LinkKeys.isKnown, link.invitation, link.generation, hashes(of: link),
            deadline: deadline
        ).first?.value
    }

    /// Returns whether one of the keys has made the newest link, like
    /// ``haveMadeNewestLink(on:deadline:)``, within a transaction.
    func haveMadeNewestLink(in transaction: Transaction) throws -> Bool? {
        guard let link = try transaction.run(LinkKeys.newest).first else { return nil }
        return try transaction.run(
            LinkKeys.isKnown, link.invitation, link.generation, hashes(of: link)
        ).first?.value
    }

    private func hashes(of link: LinkToCheck) throws -> [PostgresBytes] {
        try tokens(of: link.invitation, generation: link.generation)
            .map { PostgresBytes($0.hash.bytes) }
    }
}

/// The error for a link that can't be shown again, because no key of `HEARTH_SECRET_KEY` made it.
package struct LinkKeyMissing: Error, CustomStringConvertible {
    package let description = "no key of HEARTH_SECRET_KEY fits the link"

    package init() {}
}
