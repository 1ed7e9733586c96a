/// A thread's buffers for reading from clients and writing to them.
final class Scratch {
    /// Maximum size of one read; nearly every request is smaller.
    private static let usualBytes = 16 * 1024

    /// Buffer for received bytes.
    let bytes: UnsafeMutableRawBufferPointer
    /// Buffer for requests that arrive in one piece, which nearly all do.
    var spare: [UInt8] = []
    /// The head of the last response. It is nearly always sent at once; if not, the connection
    /// keeps it, and the next head gets a new buffer.
    private(set) var head: [UInt8] = []

    init(byteCount: Int = usualBytes) {
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit { bytes.deallocate() }

    /// Writes the head of a response; false if it can't be sent as HTTP.
    func write(
        _ response: Response, _ persistence: ResponseHead.Persistence, unixSeconds: Int
    ) -> Bool {
        ResponseHead.write(response, persistence, unixSeconds: unixSeconds, to: &head)
    }
}
