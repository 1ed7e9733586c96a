import Glibc

/// Reads small text files whole.
package enum TextFile {
    /// The reason why a file could not be read; the text follows the file's name.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
        /// Whether a file of this name exists. If not, the given text might not be a file's name at
        /// all.
        let isThere: Bool
    }

    /// Returns the text of a file of at most `limitBytes`, which must be UTF-8 without NUL. A
    /// leading byte order mark, which some editors add, is removed.
    package static func read(_ path: String, limitBytes: Int) throws(Failure) -> String {
        let bytes = try self.bytes(path, limitBytes: limitBytes)
        if let name = utf16Name(of: bytes) {
            throw Failure(description: "it is \(name) text: save it as UTF-8", isThere: true)
        }
        guard !bytes.contains(0),
            let text = String(validating: withoutByteOrderMark(bytes), as: UTF8.self)
        else {
            throw Failure(description: "it is not UTF-8 text", isThere: true)
        }
        return text
    }

    /// Returns the content of a file of at most `limitBytes`.
    package static func bytes(_ path: String, limitBytes: Int) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno: errno) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
            guard bytes.count <= limitBytes else {
                throw Failure(description: "it is larger than \(limitBytes) bytes", isThere: true)
            }
        }
        return bytes
    }

    /// Returns a text's bytes without the byte order mark that some editors add.
    static func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Returns the name of the encoding whose byte order mark the text begins with, if not UTF-8.
    private static func utf16Name(of bytes: [UInt8]) -> String? {
        bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) ? "UTF-16" : nil
    }

    /// Returns the text without its last line break, which editors and `echo` append to a secret.
    static func withoutLastLineBreak(_ text: String) -> String {
        // A carriage return and a line feed are one Character.
        guard let last = text.last, last.isNewline else { return text }
        return String(text.dropLast())
    }
}

extension TextFile.Failure {
    init(errno code: Int32) {
        self.description = "it can't be read (\(String(cString: strerror(code))))"
        isThere = ![ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP].contains(code)
    }
}
