/// Parses the requests of one connection from bytes as they arrive.
///
/// It uses neither sockets nor clocks: `append` adds bytes, and `advance` parses as far as
/// possible.
struct RequestReader: Sendable {
    /// The progress of a request.
    enum Progress: Sendable, Equatable {
        /// More bytes must arrive.
        case unfinished
        /// The client waits for `100 Continue`; reported once.
        case continueAwaited
        /// The request is complete; `finish` returns it.
        case complete
    }

    private enum State: Sendable {
        case head
        case body
        case complete
    }

    /// Number of consumed bytes from which the buffer drops them.
    private static let compactingBytes = 16 * 1024

    private let limits: ServerSettings
    private var state = State.head
    /// The received bytes; those from `consumed` on are unread.
    private var pending: [UInt8] = []
    private var consumed = 0
    private var skippedBreaks = 0
    private var scan = HeadScan()
    private var head: RequestHead?
    private var target: RequestTarget?
    private var body: BodyReader?
    /// The legible part of a head that is refused.
    private var legible: RequestHead.Legible?
    /// The reason why the request will be refused, as far as known.
    private var fault: ServerFault?
    /// Whether the end of the request is unknown or not worth waiting for. The connection then has
    /// to close after the refusal.
    private var mustClose = false

    init(_ limits: ServerSettings) { self.limits = limits }

    /// Whether no byte of a request has arrived.
    var isIdle: Bool {
        if case .head = state { return consumed == pending.count }
        return false
    }

    /// Whether the first line and the header fields have arrived.
    var hasHead: Bool {
        if case .head = state { return false }
        return true
    }

    /// Adds bytes that have arrived. Must not be called while a request is complete, which keeps
    /// the number of pending bytes bounded.
    mutating func append(_ bytes: UnsafeRawBufferPointer) { pending.append(contentsOf: bytes) }

    /// Parses as far as the bytes allow.
    mutating func advance() -> Progress {
        if case .head = state {
            skipEmptyLines()
            guard readHead() else { return .unfinished }
            if awaitsContinue { return .continueAwaited }
        }
        if case .body = state { readBody() }
        if case .complete = state { return .complete }
        return .unfinished
    }

    /// A completely read request.
    struct Finished: Sendable {
        let request: Request
        /// The reason for refusing the request, or nil.
        let fault: ServerFault?
        let keepsAlive: Bool
        let isVersion10: Bool
    }

    /// Returns the request, or a placeholder if it was refused, and gets ready for the next one. A
    /// placeholder has what could be read of the target and of the accepted types and languages.
    ///
    /// - Parameter time: Time at which the request had arrived, in nanoseconds of
    ///   ``MonotonicClock``.
    mutating func finish(from peer: PeerAddress, at time: Int? = nil) -> Finished {
        let request = Request(
            head?.method ?? .get, target ?? legible?.target ?? .none,
            head?.headers ?? legible?.headers ?? Headers(),
            fault == nil ? body?.bytes ?? [] : [], peer, trusting: limits.trustedProxies,
            receivedAt: time)
        let finished = Finished(
            request: request, fault: fault,
            keepsAlive: !mustClose && (head?.keepsAlive ?? false),
            isVersion10: head?.isVersion10 ?? false)
        pending.removeFirst(consumed)
        var next = RequestReader(limits)
        swap(&next.pending, &pending)
        self = next
        return finished
    }

    /// Takes a buffer for bytes about to arrive.
    mutating func borrow(_ spare: inout [UInt8]) { swap(&pending, &spare) }

    /// Returns an empty buffer to `spare`, because an idle connection holds no buffer.
    mutating func returnBuffer(_ spare: inout [UInt8]) {
        guard pending.isEmpty else { return }
        if pending.capacity <= Self.compactingBytes { swap(&pending, &spare) }
        pending = []
    }

    // MARK: The head

    /// Skips the line break that some old clients append to a body (RFC 9112 section 2.2); at most
    /// two are accepted.
    private mutating func skipEmptyLines() {
        while skippedBreaks < 2, pending.first == .carriageReturn, pending.count >= 2,
            pending[1] == .lineFeed
        {
            pending.removeFirst(2)
            skippedBreaks += 1
            scan = HeadScan()
        }
    }

    /// Whether the head has arrived, or can't be parsed.
    private mutating func readHead() -> Bool {
        // TLS, for example: no further bytes can make this a request.
        if let first = pending.first, !first.isTokenCharacter, first != .carriageReturn {
            refuse(RequestHead.malformedLine, afterReading: 0)
            return true
        }
        let finding = pending.withUnsafeBytes { scan.advance(over: $0) }
        switch finding {
        case .end(let count) where count <= limits.headerLimitBytes:
            readHead(length: count)
        case .unfinished where pending.count <= limits.headerLimitBytes:
            return false
        case .bareLineFeed(let offset) where offset < limits.headerLimitBytes:
            refuse(.malformed("A line does not end in CR and LF."), afterReading: offset)
        case .end, .unfinished, .bareLineFeed:
            refuse(
                .headersTooLarge(limitBytes: limits.headerLimitBytes),
                afterReading: limits.headerLimitBytes)
        }
        return true
    }

    private mutating func readHead(length count: Int) {
        consumed = count
        do throws(ServerFault) {
            let head = try pending.withBytes { (bytes) throws(ServerFault) in
                try RequestHead(bytes.part(0..<count), fieldsLimit: limits.headerFieldsLimit)
            }
            self.head = head
            target = head.target
            if target == nil { fault = RequestHead.malformedTarget }
            body = BodyReader(
                try BodyFraming(head), limitBytes: limits.bodyLimitBytes,
                trailersLimit: limits.headerFieldsLimit, storesBody: fault == nil)
            state = .body
        } catch {
            refuse(error)
        }
    }

    /// Refuses the request.
    ///
    /// - Parameter count: Number of bytes of the head that were read before the fault was found;
    ///   nil for the whole head. What follows them is ignored, because how much of it has arrived
    ///   is chance.
    private mutating func refuse(_ fault: ServerFault, afterReading count: Int? = nil) {
        self.fault = fault
        if head == nil {
            legible = pending.withUnsafeBytes { bytes in
                RequestHead.legible(in: bytes.part(0..<min(count ?? bytes.count, bytes.count)))
            }
        }
        mustClose = true
        state = .complete
    }

    // MARK: The body

    /// Whether the client has announced a body and waits for `100 Continue`.
    private var awaitsContinue: Bool {
        guard case .body = state, let body, head?.awaitsContinue == true else { return false }
        return !body.isAtEnd && !body.isTooLong && consumed == pending.count
    }

    private mutating func readBody() {
        // Moved out while it changes, because otherwise each piece would copy the whole body.
        var reader: BodyReader?
        swap(&reader, &body)
        defer { swap(&reader, &body) }
        do throws(ServerFault) {
            let count = try pending.withBytes { (bytes) throws(ServerFault) in
                try reader?.read(bytes.part(consumed..<bytes.count)) ?? 0
            }
            consume(count)
        } catch {
            refuse(error)
            return
        }
        guard let reader else { return }
        if reader.isTooLong, fault == nil {
            fault = .bodyTooLarge(limitBytes: limits.bodyLimitBytes)
            // A client that waits for `100 Continue` has not sent the body yet and can be refused
            // before it does.
            mustClose = head?.awaitsContinue == true && !reader.isAtEnd
        }
        if reader.exceedsLimit { refuse(.bodyTooLarge(limitBytes: limits.bodyLimitBytes)) }
        if reader.isAtEnd || mustClose { state = .complete }
    }

    private mutating func consume(_ count: Int) {
        consumed += count
        if consumed == pending.count {
            pending.removeAll(keepingCapacity: true)
            consumed = 0
        } else if consumed > Self.compactingBytes {
            pending.removeFirst(consumed)
            consumed = 0
        }
    }
}

extension RequestHead {
    /// Whether the connection may serve another request (RFC 9112 section 9.3).
    fileprivate var keepsAlive: Bool {
        if case .absent = headers.single("Connection") { return !isVersion10 }
        let words = headers.values("Connection").joined(separator: ",").split(separator: ",")
        let options = words.map { word in word.filter { $0 != " " && $0 != "\t" } }
        if options.contains(where: { $0.isSameToken(as: "close") }) { return false }
        return !isVersion10 || options.contains { $0.isSameToken(as: "keep-alive") }
    }

    fileprivate var awaitsContinue: Bool {
        !isVersion10 && headers["Expect"]?.isSameToken(as: "100-continue") == true
    }
}

/// Collects a request's body as it arrives, as far as it is needed.
struct BodyReader: Sendable {
    /// A body up to this many times the limit is read and discarded, so that the client can read
    /// the refusal. A longer body is not read.
    private static let discardFactor = 16

    private let limitBytes: Int
    /// The bytes of the body so far; dropped if the body is not needed.
    private(set) var bytes: [UInt8] = []
    private var storesBody: Bool
    private var readBytes = 0
    private var decoding: Decoding

    /// The way in which the end of the body is found.
    private enum Decoding: Sendable {
        case length(UInt64)
        case chunked(ChunkDecoder)
    }

    /// Whether the body exceeds the limit, as announced or as received.
    private(set) var isTooLong = false

    /// Creates a reader that stores the body only if `storesBody` is true.
    init(_ framing: BodyFraming, limitBytes: Int, trailersLimit: Int, storesBody: Bool) {
        decoding =
            switch framing {
            case .length(let length): .length(length)
            case .chunked: .chunked(ChunkDecoder(trailersLimit: trailersLimit))
            }
        self.limitBytes = limitBytes
        self.storesBody = storesBody
        if case .length(let length) = framing, length > UInt64(limitBytes) { discard() }
    }

    /// Whether the body is too long to read to its end. Framing is included: a chunk of one byte
    /// can have a kilobyte of framing.
    var exceedsLimit: Bool {
        if case .length(let length) = decoding, length > UInt64(discardLimitBytes) { return true }
        return readBytes > discardLimitBytes
    }

    private var discardLimitBytes: Int { limitBytes * Self.discardFactor }

    /// Whether the body is complete.
    var isAtEnd: Bool {
        switch decoding {
        case .length(let length): UInt64(readBytes) == length
        case .chunked(let chunks): chunks.isAtEnd
        }
    }

    /// Reads the bytes that have arrived, and returns the number of bytes consumed.
    mutating func read(_ arrived: UnsafeRawBufferPointer) throws(ServerFault) -> Int {
        let count: Int
        switch decoding {
        case .length(let length):
            count = min(Int(clamping: length) - readBytes, arrived.count)
            store(arrived.part(0..<count))
        case .chunked(var chunks):
            count = try chunks.read(arrived, byteLimit: discardLimitBytes - readBytes) { store($0) }
            decoding = .chunked(chunks)
        }
        readBytes += count
        return count
    }

    private mutating func store(_ piece: UnsafeRawBufferPointer) {
        if bytes.count + piece.count > limitBytes { discard() }
        if storesBody { bytes.append(contentsOf: piece) }
    }

    private mutating func discard() {
        isTooLong = true
        storesBody = false
        bytes = []
    }
}

/// The way in which the end of a request's body is determined (RFC 9112 section 6).
enum BodyFraming: Sendable, Equatable {
    /// Number of bytes; 0 if no body was announced.
    case length(UInt64)
    case chunked

    /// If two parsers disagree about where a request ends, an attacker behind a shared proxy can
    /// smuggle a request past it (RFC 9112 section 11.2). Such requests are refused.
    init(_ head: RequestHead) throws(ServerFault) {
        let length = head.headers.single("Content-Length")
        if length == .repeated {
            throw .malformed("The Content-Length header is repeated.")
        }
        switch head.headers.single("Transfer-Encoding") {
        case .absent: self = .length(try Self.number(length))
        case .once(let coding) where coding.isSameToken(as: "chunked"):
            guard length == .absent else {
                throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
            }
            guard !head.isVersion10 else {
                throw .malformed("Transfer-Encoding is unknown to HTTP/1.0.")
            }
            self = .chunked
        case .once, .repeated:
            throw .malformed("The Transfer-Encoding header must be `chunked`.")
        }
    }

    /// Parses at most 18 digits: no sign, no list, no blank.
    private static func number(_ length: Headers.Occurrence) throws(ServerFault) -> UInt64 {
        guard case .once(let text) = length else { return 0 }
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(text)
        else { throw .malformed("The Content-Length header is malformed.") }
        return number
    }
}

/// Memory of one thread for what it reads from clients and sends to them.
final class Scratch {
    /// The maximum size of one read; nearly every request is smaller.
    private static let usualBytes = 16 * 1024

    /// Buffer that received bytes are read into.
    let bytes: UnsafeMutableRawBufferPointer
    /// Memory for requests that arrive in one piece, as nearly all do.
    var spare: [UInt8] = []
    /// The head of the response that was written last. It is nearly always sent at once. If not,
    /// the connection stores it, and the next head gets new memory.
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
