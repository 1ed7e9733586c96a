import CZlib

extension QRCode {
    /// Draws the code as a PNG in black and white, including the quiet zone (RFC 2083).
    ///
    /// - Parameter scale: Pixels per module, at least 1.
    /// - Throws: ``QRCodeError``: `compression`.
    package func png(scale: Int) throws(QRCodeError) -> [UInt8] {
        precondition(scale > 0, "a module needs at least one pixel")
        let side = (size + 2 * Self.quietZone) * scale
        var header = Self.bigEndian(UInt32(side)) + Self.bigEndian(UInt32(side))
        // One bit per pixel, greyscale; deflate, the standard filters, not interlaced.
        header += [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk("IHDR", header)
            + Self.chunk("IDAT", try Self.compressed(pixels(scale: scale)))
            + Self.chunk("IEND", [])
    }

    /// Returns the rows, each after its filter type 0.
    private func pixels(scale: Int) -> [UInt8] {
        let side = size + 2 * Self.quietZone
        var pixels: [UInt8] = []
        for row in 0..<side {
            var line = [UInt8](repeating: 0, count: (side * scale + 7) / 8)
            for pixel in 0..<(side * scale) {
                let isDark = isDark(
                    row: row - Self.quietZone, column: pixel / scale - Self.quietZone)
                if !isDark { line[pixel / 8] |= 0x80 >> UInt8(pixel % 8) }
            }
            for _ in 0..<scale { pixels += [0] + line }
        }
        return pixels
    }

    private static func compressed(_ bytes: [UInt8]) throws(QRCodeError) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(count))
        guard compress2(&compressed, &count, bytes, uLong(bytes.count), 9) == Z_OK else {
            throw QRCodeError(code: .compression)
        }
        return Array(compressed.prefix(Int(count)))
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(type.utf8) + data
        let checksum = crc32(0, content, UInt32(content.count))
        return bigEndian(UInt32(data.count)) + content
            + bigEndian(UInt32(truncatingIfNeeded: checksum))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
