public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Storage for a session on this device between launches of the app: `KeychainStorage` on Apple's
/// systems, `FileStorage` elsewhere. Callers get errors of other storages as `HearthError.storage`.
public protocol SessionStorage: Sendable {
    /// Returns the stored session; nil if there is none.
    func load() throws -> Data?
    /// Stores the session, replacing the previous one.
    func save(_ data: Data) throws
    /// Deletes the stored session; does nothing if there is none.
    func remove() throws
}

/// Storage in memory, for previews and tests.
public final class MemoryStorage: SessionStorage {
    private let stored = Locked<Data?>(nil)

    /// Creates an empty storage.
    public init() {}

    /// Returns the stored session; nil if there is none.
    public func load() -> Data? { stored.withLock { $0 } }
    /// Stores the session until the process ends.
    public func save(_ data: Data) { stored.withLock { $0 = data } }
    /// Deletes the stored session.
    public func remove() { stored.withLock { $0 = nil } }
}

/// Storage in a file that only its owner can read (mode 0600).
public struct FileStorage: SessionStorage {
    private let path: String

    /// - Parameter file: Path in an existing folder.
    public init(_ file: URL) { path = file.path }

    /// Returns the session in the file; nil if there is none.
    ///
    /// - Throws: `HearthError.storage` if the file can't be read, or if others may read it.
    public func load() throws -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw failure("open")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure("look at") }
        guard facts.st_mode & 0o077 == 0 else {
            throw HearthError.storage(reason: "\(path) may be read by others: expected mode 0600")
        }
        return try file.readToEnd() ?? Data()
    }

    /// Replaces the file atomically: it holds either the old session or the new one.
    public func save(_ data: Data) throws {
        let other = path + "." + UUID().uuidString
        let descriptor = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw failure("make") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
            guard rename(other, path) == 0 else { throw failure("replace") }
        } catch {
            unlink(other)
            throw error
        }
    }

    /// Deletes the file.
    public func remove() throws {
        if unlink(path) != 0, errno != ENOENT { throw failure("delete") }
    }

    private func failure(_ verb: String) -> HearthError {
        .storage(reason: "can't \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
