/// Memory of one thread for what it reads from clients and sends to them.
final class Scratch {
    /// The maximum size of one read; nearly every request is smaller.
    private static let usualBytes = 16 * 1024

    /// Where the system puts what has arrived.
    let bytes: UnsafeMutableRawBufferPointer
    /// Memory for requests that arrive at once, which nearly all do.
    var spare: [UInt8] = []
    /// The head of the response that was written last. Sent at once nearly always; if not, the
    /// connection keeps it, and the next head has memory of its own.
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
