import JSON
import Repositories
import UseCases

/// The JSON document of an audit log export, written entry by entry, one on each line.
struct AuditExportDocument {
    /// Version of the format, raised when a member changes its meaning or is removed.
    private static let version = 1

    private let write: ([UInt8]) throws -> Void
    /// Number of entries written so far.
    private(set) var count = 0

    init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

    func begin(before month: AuditLogMonth) throws {
        let head = """
            {
              "format": "hearth-audit-export",
              "version": \(Self.version),
              "before": "\(month)",
              "entries": [
            """
        try write(Array(head.utf8))
    }

    mutating func add(_ entries: [AdminAuditEntry]) throws {
        var bytes: [UInt8] = []
        for entry in entries {
            var json = JSONWriter()
            json.object { entry.write(to: &$0) }
            bytes += Array((count == 0 ? "\n    " : ",\n    ").utf8) + json.bytes
            count += 1
        }
        try write(bytes)
    }

    /// Writes the end of the document, which states the number of entries; without it the document
    /// is incomplete.
    func end() throws {
        try write(Array("\n  ],\n  \"entryCount\": \(count)\n}\n".utf8))
    }
}
