import Basics
import Foundation
import TestSupport
import Testing

@Suite("Gzip compression")
struct GzipTests {
    @Test(
        "the gzip program restores the compressed bytes",
        arguments: [
            [], [7], Array("The same again. ".utf8), [UInt8](repeating: 65, count: 1_000_000),
            (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) },
        ])
    func roundTrip(bytes: [UInt8]) throws {
        let compressed = try Gzip.compress(bytes)
        #expect(compressed.starts(with: [0x1F, 0x8B]))
        #expect(try decompressed(compressed) == bytes)
        if Set(bytes).count == 1, bytes.count > 1000 { #expect(compressed.count < 2000) }
    }

    /// Decompresses with the system's gzip program.
    private func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("gzip-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let input = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        let program = try Subprocess(
            "/usr/bin/gzip", ["-dc"], input: .file(input), output: .pipe(output))
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        try program.wait()
        #expect(program.exitCode == 0)
        return Array(result)
    }
}
