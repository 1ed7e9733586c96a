import Crypto
import Glibc
import JSON
import Basics

/// The keys that sign Hearth's own tokens, from a file that may change while programs run.
///
/// The file contains private P-256 keys in PEM, one after another. The first one signs; tokens
/// signed with the others are still accepted. A key's `kid` is its thumbprint (RFC 7638), so the
/// file need not name it. A line `Created: 2026-02-08T12:00:00Z` before a key states when the key
/// was created.
package final class SigningKeys: Sendable {
    /// A mistake in the file.
    package struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The result of reading the file again.
    package enum Event: Sendable {
        /// The keys have changed; the new number of keys.
        case renewed(keyCount: Int)
        /// The file can't be used, so the keys that were read before stay in use.
        case failed(Mistake)
    }

    /// Maximum number of keys, more than any rotation leaves.
    package static let limit = 8

    /// A key with its id.
    struct IdentifiedKey: Sendable {
        let id: String
        let key: SigningKey
        /// Time of its creation in seconds since 1970; nil if the file does not state it.
        let createdAt: Int?
    }

    private struct State: Sendable {
        var keys: [IdentifiedKey]
        var bytes: [UInt8]
        /// Time of the file's last change, in seconds since 1970.
        var changedAt: Int
    }

    /// Seconds between two checks of the file.
    private static let interval = 5.0

    package let path: String
    /// The public keys that verify Hearth's tokens.
    package let verification: IssuerKeys
    private let state: Monitor<State>

    /// Reads the file.
    package init(path: String) throws(Mistake) {
        let bytes = try Self.contents(of: path)
        let keys = try Self.keys(in: bytes, path)
        self.path = path
        verification = IssuerKeys(publicKeys: try Self.publicKeys(of: keys, path))
        state = Monitor(
            State(keys: keys, bytes: bytes, changedAt: try Self.timeOfChange(of: path)))
    }

    /// Returns the mistakes in the file at a path; empty if there are none.
    package static func problems(_ path: String) -> [String] {
        do throws(Mistake) {
            _ = try SigningKeys(path: path)
            return []
        } catch {
            return [error.description]
        }
    }

    /// The key that signs.
    var newest: IdentifiedKey { state.withLock { $0.keys[0] } }

    /// Time at which the signing key was created, in seconds since 1970. If the file does not state
    /// it, the time of the file's last change.
    package var createdAt: Int { state.withLock { $0.keys[0].createdAt ?? $0.changedAt } }

    /// The public keys as a JSON Web Key Set (RFC 7517), for other services.
    package var published: [UInt8] { keySet(withTimes: false) }

    /// The same set, with the time of each key's creation in seconds since 1970 as `createdAt`. If
    /// the file does not state it, the key that signs has the time of the file's last change, and
    /// others have `null`.
    package var publishedWithTimes: [UInt8] { keySet(withTimes: true) }

    private func keySet(withTimes: Bool) -> [UInt8] {
        let (keys, changedAt) = state.withLock { ($0.keys, $0.changedAt) }
        var json = JSONWriter()
        json.object { json in
            json.array("keys") { list in
                for (index, named) in keys.enumerated() {
                    let createdAt = named.createdAt ?? (index == 0 ? changedAt : nil)
                    list.object {
                        $0.member("kty", "EC")
                        $0.member("crv", "P-256")
                        $0.member("x", Base64URL.text(named.key.x))
                        $0.member("y", Base64URL.text(named.key.y))
                        $0.member("use", "sig")
                        $0.member("alg", "ES256")
                        $0.member("kid", named.id)
                        if withTimes { $0.member("createdAt", createdAt) }
                    }
                }
            }
        }
        return json.bytes
    }

    /// Reads the file again; nil if it is unchanged.
    @discardableResult
    package func reload() -> Event? {
        do throws(Mistake) {
            let bytes = try Self.contents(of: path)
            if state.withLock({ $0.bytes == bytes }) { return nil }
            let keys = try Self.keys(in: bytes, path)
            let publicKeys = try Self.publicKeys(of: keys, path)
            let changedAt = try Self.timeOfChange(of: path)
            // Verification is updated first, so that nothing is signed with a key that this process
            // would refuse.
            verification.replace(with: publicKeys)
            state.withLock { state in
                state.keys = keys
                state.bytes = bytes
                state.changedAt = changedAt
            }
            return .renewed(keyCount: keys.count)
        } catch {
            return .failed(error)
        }
    }

    /// Reads the file regularly, until the process ends.
    package func startWatching(onEvent: @escaping @Sendable (Event) -> Void) {
        let isStarted = SystemThread.startDetached { [self] in
            while true {
                MonotonicClock.pause(seconds: Self.interval)
                if let event = reload() { onEvent(event) }
            }
        }
        if !isStarted { onEvent(.failed(Mistake(description: "no thread could be started"))) }
    }

    // MARK: The file

    private static func contents(of path: String) throws(Mistake) -> [UInt8] {
        do throws(FileReading.Failure) {
            return try FileReading.contents(of: path)
        } catch {
            // The given name may be the keys themselves, by mistake.
            throw Mistake(description: error.isThere ? error.description : error.reason)
        }
    }

    private static func timeOfChange(of path: String) throws(Mistake) -> Int {
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw failure(path) }
        return facts.st_mtim.tv_sec
    }

    private static func keys(in bytes: [UInt8], _ path: String) throws(Mistake) -> [IdentifiedKey] {
        let end = "-----END "
        var keys: [IdentifiedKey] = []
        var block = ""
        var createdAt: Int?
        for line in String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        {
            block += line + "\n"
            createdAt = CreationLine.seconds(in: line) ?? createdAt
            guard line.hasPrefix(end) else { continue }
            do throws(CryptoError) {
                keys.append(IdentifiedKey(try SigningKey(pem: block), createdAt: createdAt))
            } catch {
                throw Mistake(
                    description: "\(path): key \(keys.count + 1) is not an unencrypted private key "
                        + "on the curve P-256 in PEM")
            }
            block = ""
            createdAt = nil
        }
        guard (1...limit).contains(keys.count), block.allSatisfy(\.isWhitespace) else {
            throw Mistake(
                description: "\(path): expected 1 to \(limit) private keys on the curve P-256 in "
                    + "PEM, and nothing after them")
        }
        return keys
    }

    private static func publicKeys(
        of keys: [IdentifiedKey], _ path: String
    ) throws(Mistake) -> [NamedKey] {
        do throws(CryptoError) {
            var found: [NamedKey] = []
            for named in keys {
                found.append(NamedKey(id: named.id, key: try named.key.verificationKey()))
            }
            return found
        } catch {
            throw Mistake(description: "\(path): \(error.description)")
        }
    }
}

extension SigningKeys.IdentifiedKey {
    /// Creates an identified key. Its id is the thumbprint of the key.
    fileprivate init(_ key: SigningKey, createdAt: Int?) {
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.text(key.x))","#
        let digest = SHA256Digest(of: members + #""y":"\#(Base64URL.text(key.y))"}"#)
        self.init(id: Base64URL.text(digest.bytes), key: key, createdAt: createdAt)
    }
}

extension SigningKeys {
    /// Puts a new key first in the file, and drops all but the first `kept` of the others.
    ///
    /// The new file replaces the old one atomically, with its owner and permissions; running
    /// programs find it within seconds.
    ///
    /// - Parameter now: Time of the creation in seconds since 1970; nil for the current time.
    /// - Returns: The new number of keys.
    package static func rotate(
        _ path: String, keeping count: Int, now: Int? = nil
    ) throws -> Int {
        let former = try SigningKeys(path: path).state.withLock { $0.keys }
        let new = IdentifiedKey(try SigningKey.generate(), createdAt: now ?? time(nil))
        let keys = [new] + former.prefix(count)
        let text = try keys.map { (named) throws(CryptoError) in
            try (named.createdAt.map(CreationLine.text) ?? "") + named.key.pem()
        }.joined()
        try write(text, to: path, via: path + ".new") { rename($0, path) == 0 }
        return keys.count
    }

    /// Creates a file with one key.
    ///
    /// - Parameter now: Time of the creation in seconds since 1970; nil for the current time.
    /// - Throws: ``Mistake`` if there is a file already, which stays as it is.
    package static func create(_ path: String, now: Int? = nil) throws {
        let pem = CreationLine.text(now ?? time(nil)) + (try SigningKey.generate().pem())
        var rights = stat()
        guard lstat(path, &rights) != 0 else { throw alreadyExists(path) }
        // Other processes may be creating the file at the same time.
        try write(pem, to: path, via: "\(path).\(getpid()).new") { draft in
            // Unlike a rename, a link replaces nothing.
            guard link(draft, path) == 0 else { return false }
            unlink(draft)
            return true
        }
    }

    private static func alreadyExists(_ path: String) -> Mistake {
        Mistake(
            description: "\(path): the file already exists, and its keys may be in use; "
                + "'hearth-admin keys rotate' puts a new key in front of them")
    }

    /// - Parameter install: Moves the finished draft to `path`.
    private static func write(
        _ text: String, to path: String, via draft: String, install: (_ draft: String) -> Bool
    ) throws(Mistake) {
        var rights = stat()
        let isThere = stat(path, &rights) == 0
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        errno = 0
        let isWritten =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count
            && (!isThere
                || (fchown(descriptor, rights.st_uid, rights.st_gid) == 0
                    && fchmod(descriptor, rights.st_mode & 0o777) == 0))
            && fsync(descriptor) == 0 && install(draft)
        guard isWritten else {
            let failure = errno == EEXIST ? alreadyExists(path) : failure(path)
            unlink(draft)
            throw failure
        }
    }

    private static func failure(_ path: String) -> Mistake {
        Mistake(description: "\(path): \(String(cString: strerror(errno)))")
    }
}
