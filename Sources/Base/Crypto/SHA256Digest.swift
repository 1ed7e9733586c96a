import COpenSSL

/// A SHA-256 digest (FIPS 180-4): 32 bytes, cheap to compare, copy and use as a key.
///
/// The time of `==` depends on the bytes; compare secrets with `constantTimeEqual`.
package struct SHA256Digest: Hashable, Sendable {
    private let words: InlineWords

    private struct InlineWords: Hashable, Sendable {
        var a: UInt64 = 0
        var b: UInt64 = 0
        var c: UInt64 = 0
        var d: UInt64 = 0
    }

    /// Hashes bytes in memory.
    package init(of bytes: Span<UInt8>) {
        var words = InlineWords()
        let done = bytes.withUnsafeBufferPointer { input in
            withUnsafeMutableBytes(of: &words) { output in
                hearth_sha256(
                    input.baseAddress, input.count,
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
        }
        // Fails only without a working libcrypto; the process can't continue then.
        precondition(done == 1, "SHA-256 failed")
        self.words = words
    }

    /// Hashes an array.
    package init(of bytes: [UInt8]) {
        self.init(of: bytes.span)
    }

    /// Hashes the UTF-8 of a string.
    package init(of text: String) {
        self.init(of: Array(text.utf8))
    }

    /// Calls `body` with the 32 bytes, without copying them.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words, body)
    }

    /// A copy of the 32 bytes.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    /// The first of the 32 bytes, for distributing digests over a few shards.
    package var firstByte: UInt8 {
        withUnsafeBytes(of: words) { $0[0] }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hex: String { bytes.hex }
}
