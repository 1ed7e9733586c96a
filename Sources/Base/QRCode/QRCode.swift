import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004): a square of dark and light modules that cameras read as text.
///
/// About a seventh of its modules may be lost or covered (error correction level M).
package struct QRCode: Sendable {
    /// Width of the light border around a code, in modules.
    package static let quietZone = 4

    /// Number of modules per side, without the quiet zone.
    package let size: Int
    /// The modules row by row; true is dark.
    private let modules: [Bool]

    /// Creates the smallest code for a text.
    ///
    /// - Throws: ``QRCodeError``: `tooLong` if the text exceeds the capacity of the largest code,
    ///   2,331 bytes of UTF-8; `outOfMemory`.
    package init(_ text: String) throws(QRCodeError) {
        var bytes = Array(text.utf8)
        // An empty code does not exist, but a blank can be encoded.
        if bytes.isEmpty { bytes = [UInt8(ascii: " ")] }
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw QRCodeError(code: errno == ERANGE ? .tooLong : .outOfMemory)
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        // The lowest bit of each byte is the colour; the others are the module's purpose.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map {
            $0 & 1 == 1
        }
    }

    /// Whether a module is dark; those of the quiet zone, outside the square, are not.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }
}

/// The reason why a code can't be created.
package struct QRCodeError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable {
        /// The text does not fit into the largest code.
        case tooLong
        case outOfMemory
        /// The picture could not be compressed.
        case compression
    }

    package let code: Code

    package var description: String {
        switch code {
        case .tooLong: "the text is too long for a QR code"
        case .outOfMemory: "out of memory"
        case .compression: "the picture could not be compressed"
        }
    }
}
