/// Gathers a request's body while it arrives, as far as it is wanted.
struct BodyReader: Sendable {
    /// A body up to this many times the limit is read and thrown away, so that the client gets to
    /// read why it was refused; a longer one is not worth waiting for.
    private static let patience = 16

    private let limitBytes: Int
    /// The bytes of the body so far; dropped if the body is not needed.
    private(set) var bytes: [UInt8] = []
    private var isWanted: Bool
    private var readBytes = 0
    private var decoding: Decoding

    /// How the end of the body is found.
    private enum Decoding: Sendable {
        case length(UInt64)
        case chunked(ChunkDecoder)
    }

    /// Whether the body is longer than the limit, as announced or as it came.
    private(set) var isTooLong = false

    /// A body that is kept only if it `isWanted`.
    init(_ framing: BodyFraming, limitBytes: Int, trailersLimit: Int, isWanted: Bool) {
        decoding =
            switch framing {
            case .length(let length): .length(length)
            case .chunked: .chunked(ChunkDecoder(trailersLimit: trailersLimit))
            }
        self.limitBytes = limitBytes
        self.isWanted = isWanted
        if case .length(let length) = framing, length > UInt64(limitBytes) { giveUp() }
    }

    /// Whether its end is too far away to wait for. The framing counts too: chunks of one byte can
    /// carry a kilobyte each.
    var isHopeless: Bool {
        if case .length(let length) = decoding, length > UInt64(mostBytes) { return true }
        return readBytes > mostBytes
    }

    private var mostBytes: Int { limitBytes * Self.patience }

    /// Whether it has come to its end.
    var isAtEnd: Bool {
        switch decoding {
        case .length(let length): UInt64(readBytes) == length
        case .chunked(let chunks): chunks.isAtEnd
        }
    }

    /// Reads as much of it as has arrived, and returns how many bytes that were.
    mutating func read(_ arrived: UnsafeRawBufferPointer) throws(ServerFault) -> Int {
        let count: Int
        switch decoding {
        case .length(let length):
            count = min(Int(clamping: length) - readBytes, arrived.count)
            keep(arrived.part(0..<count))
        case .chunked(var chunks):
            count = try chunks.read(arrived, patience: mostBytes - readBytes) { keep($0) }
            decoding = .chunked(chunks)
        }
        readBytes += count
        return count
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        if bytes.count + piece.count > limitBytes { giveUp() }
        if isWanted { bytes.append(contentsOf: piece) }
    }

    private mutating func giveUp() {
        isTooLong = true
        isWanted = false
        bytes = []
    }
}
