import Glibc

/// Error when a document could not be written to its end.
struct WriteError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, reason: String?) {
        description = [path, reason ?? "not fully written"].joined(separator: ": ")
    }

    init(_ path: String, errno number: Int32) {
        self.init(path, reason: String(cString: strerror(number)))
    }
}

/// A file that did not exist before and that only its owner can read.
///
/// It has no name until it is complete, so a process that ends early, even by a signal, leaves no
/// file. On file systems without unnamed files (NFS) it has its name from the start, and a killed
/// process leaves a partial file.
final class NewFile {
    /// Linux's O_TMPFILE (open(2)), a macro that Swift doesn't import.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    private let path: String
    private let folder: String
    private let descriptor: Int32
    private let hasName: Bool

    init(_ path: String) throws {
        self.path = path
        if path == "-" {
            throw WriteError(path, reason: "expected a file; write './-' for a file of that name")
        }
        var status = stat()
        guard lstat(path, &status) != 0 else { throw WriteError(path, errno: EEXIST) }
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let unnamed = open(folder, O_WRONLY | O_CLOEXEC | Self.unnamed, 0o600)
        hasName = unnamed < 0
        descriptor =
            hasName ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) : unnamed
        guard descriptor >= 0 else { throw WriteError(path, errno: errno) }
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``WriteError``.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw WriteError(path, errno: errno)
            }
        }
    }

    /// Gives the complete file its name. File and name survive a power failure.
    ///
    /// - Throws: ``WriteError``, even if a file of that name has appeared in the meantime.
    func commit() throws {
        try flush(descriptor)
        if !hasName {
            let source = "/proc/self/fd/\(descriptor)"
            guard linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
                throw WriteError(path, errno: errno)
            }
        }
        guard close(descriptor) == 0 else { throw WriteError(path, errno: errno) }
        // The folder stores the name.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw WriteError(folder, errno: errno) }
        defer { close(descriptor) }
        try flush(descriptor)
    }

    /// Flushes the file to disk. fsync fails with EINVAL for a pipe, which is ignored.
    private func flush(_ descriptor: Int32) throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw WriteError(path, errno: errno)
        }
    }

    /// Deletes the file.
    func discard() {
        if hasName { unlink(path) }
    }
}
