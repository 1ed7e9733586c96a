public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps a session on this device between two starts of the app: `KeychainStorage` on Apple's
/// systems, `FileStorage` elsewhere.
public protocol SessionStorage: Sendable {
    /// What was kept; nil if nothing was.
    func load() throws -> Data?
    /// Keeps it in place of what was kept.
    func save(_ data: Data) throws
    /// Forgets what was kept; nothing happens if nothing was.
    func remove() throws
}

/// Keeps a session until the process ends: for previews and tests.
public final class MemoryStorage: SessionStorage {
    private let kept = Locked<Data?>(nil)

    /// Nothing is kept at first.
    public init() {}

    /// What was kept.
    public func load() -> Data? { kept.withLock { $0 } }
    /// Keeps it until the process ends.
    public func save(_ data: Data) { kept.withLock { $0 = data } }
    /// Forgets it.
    public func remove() { kept.withLock { $0 = nil } }
}

/// Keeps a session in a file that only its owner can read (mode 0600).
public struct FileStorage: SessionStorage {
    private let path: String

    /// - Parameter file: In a folder that exists.
    public init(_ file: URL) { path = file.path }

    /// What the file holds.
    ///
    /// - Throws: `HearthError.storage` if it can't be read, or if others may read it.
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

    /// Writes the file anew, under another name first: it holds the old session or the new one.
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
