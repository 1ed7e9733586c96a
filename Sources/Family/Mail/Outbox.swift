import Glibc

/// A folder that stores messages as `.eml` files instead of sending them.
package struct Outbox: MailTransport {
    private let folder: String

    /// - Parameter folder: Path of the folder; if it is missing, it is created for its owner only.
    package init(folder: String) { self.folder = folder }

    /// Writes the whole message or nothing, under its id: sending it again writes the same file.
    package func send(_ message: MailMessage, mayGo: () -> Bool) -> Delivery {
        guard mayGo() else { return .abandoned }
        let name = message.id.unicodeScalars.map {
            $0.properties.isAlphabetic && $0.isASCII || ("0"..."9").contains($0)
                ? String($0) : "-"
        }.joined()
        let path = "\(folder)/\(name.prefix(120)).eml"
        let draft = path + ".part"
        guard makeFolder(), write(message.bytes, to: draft), rename(draft, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(draft)
            return .tryLater("the outbox can't be written: \(reason)")
        }
        return .accepted
    }

    private func makeFolder() -> Bool { mkdir(folder, 0o700) == 0 || errno == EEXIST }

    private func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isWhole = written == bytes.count && fsync(file) == 0
        let code = errno
        close(file)
        errno = code
        return isWhole
    }
}
