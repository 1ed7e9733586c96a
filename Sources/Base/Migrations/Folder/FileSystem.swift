import Configuration
import Glibc

/// File operations that the runner needs.
enum FileSystem {
    /// Maximum size of a migration. A message to PostgreSQL is limited to 1 GiB, and the text is
    /// sent twice, once to run and once for the ledger.
    static let maximumBytes = 256 * 1024 * 1024

    /// Returns the names in a folder, sorted by their bytes.
    static func names(in path: String) throws(MigrationError) -> [String] {
        do {
            return try TextFile.names(inFolder: path)
        } catch {
            throw MigrationError(.system, "the folder \(path): \(error)")
        }
    }

    /// Reads a file.
    static func read(_ path: String) throws(MigrationError) -> [UInt8] {
        // Non-blocking, because a pipe without a writer would block the runner forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file(path, "can't be read", errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "can't be read", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .file(path, "is not a regular file", 0)
        }
        guard status.st_size <= maximumBytes else {
            throw .file(path, "is larger than \(maximumBytes >> 20) MiB", 0)
        }
        // One byte more than expected, so that the end is reached without growing the buffer.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while true {
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
            guard bytes.count <= 2 * maximumBytes + 2 else {
                throw .file(path, "is larger than \(maximumBytes >> 20) MiB", 0)
            }
            let readCount = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if readCount < 0 && errno == EINTR { continue }
            guard readCount >= 0 else { throw .file(path, "can't be read", errno) }
            if readCount == 0 { return Array(bytes[..<count]) }
            count += readCount
        }
    }

    /// Whether a file or folder exists.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether the path is a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a file; fails if it already exists.
    static func create(_ path: String, _ bytes: [UInt8]) throws(MigrationError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file(path, "can't be created", errno) }
        try write(bytes, to: descriptor, path)
    }

    /// Replaces a file atomically.
    static func replace(_ path: String, with bytes: [UInt8]) throws(MigrationError) {
        let draft = path + ".\(getpid()).tmp"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file(draft, "can't be created", errno) }
        do throws(MigrationError) {
            try write(bytes, to: descriptor, draft)
            guard rename(draft, path) == 0 else {
                throw MigrationError.file(path, "can't be replaced", errno)
            }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, _ path: String
    ) throws(MigrationError) {
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .file(path, "can't be written", errno) }
            rest = rest.dropFirst(count)
        }
    }
}
