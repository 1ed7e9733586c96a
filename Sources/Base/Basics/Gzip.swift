import CZlib

/// Compresses data that is sent many times (RFC 1952).
package enum Gzip {
    /// Compresses at zlib's highest level; for data prepared once, not for each request.
    ///
    /// - Throws: ``GzipError`` if memory can't be allocated.
    package static func compress(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window, plus 16 for a gzip header instead of zlib's own.
        let begun = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { throw GzipError(code: begun) }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
        let ended = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard ended == Z_STREAM_END else { throw GzipError(code: ended) }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}

/// zlib's error code when compressing fails.
package struct GzipError: Error, Sendable, Equatable {
    package let code: Int32
}
