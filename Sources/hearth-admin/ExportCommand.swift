import Glibc
import JSON
import Repositories
import Service
import UseCases

/// `hearth-admin export`: everything that is known of a family.
enum ExportCommand {
    private static let output = Parameter<String?>.option(
        "output", short: "o", "FILE", .file,
        "Where to; standard output without it. The file must not exist, and only you can read it.")

    static let command = Command(
        "export", "Writes everything that is known of a family as one JSON document.",
        discussion: [
            "As of one moment, and bit by bit: any size will do. No code, token or key is in it. "
                + "It holds the members' preferences, which nobody else may read: so the audit "
                + "trail tells that it was made. docs/operations.md tells the format."
        ],
        parameters: [Options.family, output]
    ) { values in
        let session = try values.session()
        let family = try session.family(values[Options.family])
        let progress = ProgressLine()
        defer { progress.clear() }
        let file = try values[output].map { try NewFile($0) }
        var document = ExportDocument { bytes in
            let isWritten = file?.write(bytes) ?? Terminal.standardOutput.write(bytes)
            guard isWritten else { throw WriteError() }
        }
        do {
            try session.export(family) { piece in
                try document.add(piece)
                progress.show("\(family.name): \(document.count) rows")
            }
            try document.end()
            try file?.close()
        } catch {
            // A part of a document is none.
            file?.remove()
            throw error
        }
        return ExitCode.success
    }
}

/// A document that could not be written to its end.
struct WriteError: Error, CustomStringConvertible {
    let reason: String

    init(_ reason: String = "the document could not be written to its end") {
        self.reason = reason
    }

    var description: String { reason }
}

/// A file that was not there before, for its owner's eyes only.
final class NewFile {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else {
            throw WriteError("\(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Whether all of it was written.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    func close() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL, Glibc.close(descriptor) == 0 else {
            throw WriteError("\(path): \(String(cString: strerror(errno)))")
        }
    }

    func remove() { unlink(path) }
}
