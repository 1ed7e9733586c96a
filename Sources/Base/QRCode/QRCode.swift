import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004): a square of dark and light modules that cameras read as text.
///
/// A seventh of its modules may be lost or covered (error correction level M).
package struct QRCode: Sendable {
    /// Light modules that have to surround a code, on each side.
    package static let quietZone = 4

    /// Modules a side, without the quiet zone.
    package let size: Int
    /// Row by row; true is dark.
    private let modules: [Bool]

    /// The smallest code for a text.
    ///
    /// - Throws: ``QRCodeError``: `tooLong` beyond what the largest code holds, which is 2,331
    ///   bytes of UTF-8; `outOfMemory`.
    package init(_ text: String) throws(QRCodeError) {
        var bytes = Array(text.utf8)
        // An empty code does not exist; a blank can be read.
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

    /// Whether a module is dark; those of the quiet zone, at places beyond the square, are not.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }
}

/// Why there is no code.
package struct QRCodeError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
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
