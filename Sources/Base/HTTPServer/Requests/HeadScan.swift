import Glibc

/// Finds the end of a request's head while it arrives, without looking at a byte twice.
struct HeadScan: Sendable {
    enum Finding: Equatable {
        /// More has to arrive.
        case unfinished
        /// The head, its empty line included, is this many bytes long.
        case end(Int)
        /// A line does not end in CR LF, so two readers could disagree about where it ends.
        case bareLineFeed(at: Int)
    }

    /// The number of scanned bytes.
    private var scanned = 0
    private var lineStart = 0

    /// Looks at what has arrived, from the request's first byte on.
    mutating func look(at bytes: UnsafeRawBufferPointer) -> Finding {
        while scanned < bytes.count {
            let rest = bytes.part(scanned..<bytes.count)
            guard let base = rest.baseAddress,
                let found = memchr(base, Int32(UInt8.lineFeed), rest.count)
            else {
                scanned = bytes.count
                return .unfinished
            }
            let lineFeed = scanned + (UnsafeRawPointer(found) - base)
            guard lineFeed > lineStart, bytes[lineFeed - 1] == .carriageReturn else {
                return .bareLineFeed(at: lineFeed)
            }
            let isEmpty = lineFeed - 1 == lineStart
            scanned = lineFeed + 1
            lineStart = scanned
            if isEmpty { return .end(scanned) }
        }
        return .unfinished
    }
}
