import Glibc

/// A document that could not be written to its end.
struct WriteError: Error, CustomStringConvertible {
    let description: String

    init(_ place: String, reason: String?) {
        description = [place, reason ?? "not fully written"].joined(separator: ": ")
    }

    init(_ path: String, errno number: Int32) {
        self.init(path, reason: String(cString: strerror(number)))
    }
}

/// A file that was not there before, for its owner's eyes only.
///
/// It has no name until it is complete, so a process that ends before, even by a signal, leaves
/// nothing behind. On file systems without unnamed files (NFS) it has its name from the start, and
/// a killed process leaves a partial file.
final class NewFile {
    /// O_TMPFILE of Linux (open(2)), a macro that Swift doesn't see.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    private let path: String
    private let folder: String
    private let descriptor: Int32
    private let hasName: Bool

    init(_ path: String) throws {
        self.path = path
        if path == "-" {
            throw WriteError(path, reason: "this needs a file; './-' is one of that name")
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

    /// Writes all of it.
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

    /// Gives the whole file its name. Both outlast a failure of the machine's power.
    ///
    /// - Throws: ``WriteError``, also if a file of that name has appeared in the meantime.
    func keep() throws {
        try flush(descriptor)
        if !hasName {
            let source = "/proc/self/fd/\(descriptor)"
            guard linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
                throw WriteError(path, errno: errno)
            }
        }
        guard close(descriptor) == 0 else { throw WriteError(path, errno: errno) }
        // The name is in the folder.
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard place >= 0 else { throw WriteError(folder, errno: errno) }
        defer { close(place) }
        try flush(place)
    }

    /// What has no disk, such as a pipe, answers EINVAL.
    private func flush(_ descriptor: Int32) throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw WriteError(path, errno: errno)
        }
    }

    /// Leaves nothing of it.
    func discard() {
        if hasName { unlink(path) }
    }
}
