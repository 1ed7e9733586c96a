import Glibc

/// Reads small files whole.
enum FileReading {
    /// Larger files are no settings.
    static let limitBytes = 1 << 20

    /// Why a file can't be read.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let path: String
        let reason: String
        /// Whether there is something of that name, and so it is a file's.
        let isThere: Bool

        var description: String { "\(path): \(reason)" }
    }

    /// All bytes of a file of at most a mebibyte.
    static func contents(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            bytes += buffer[..<count]
            guard bytes.count <= limitBytes else {
                throw Failure(path: path, reason: "larger than \(limitBytes) bytes", isThere: true)
            }
        }
    }

    private static func failure(_ path: String) -> Failure {
        let code = errno
        let isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP].contains(code)
        return Failure(path: path, reason: String(cString: strerror(code)), isThere: isThere)
    }
}
