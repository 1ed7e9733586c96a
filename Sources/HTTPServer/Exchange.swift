/// One request while it arrives: gathers its parts, and knows what is wrong with it.
struct Exchange {
    /// A body up to this many times the limit is read and thrown away, so that the client gets to
    /// read why it was refused; with a longer one the connection is closed at once.
    private static let patience = 16

    private let target: String
    private let limits: ServerSettings
    private(set) var isHeadComplete = false
    private var method = Method.get
    private var headers = Headers()
    private var parsed: RequestTarget?
    private var body: [UInt8] = []
    private var discardedBytes = 0

    /// Why this request will be refused, as far as is known.
    private(set) var fault: ServerFault?
    /// Whether the refusal can't wait for the body, and the connection has to end with it.
    private(set) var isBeyondRepair = false

    /// A request whose first line has arrived.
    init(target: String, limits: ServerSettings) {
        self.target = target
        self.limits = limits
    }

    /// Takes the head, once.
    mutating func receiveHead(_ method: String, _ headers: Headers, version: String) {
        isHeadComplete = true
        self.method = Method(method)
        self.headers = headers
        parsed = RequestTarget(target)
        let size = headers.fields.reduce(target.utf8.count + method.utf8.count + 14) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        if size > limits.headerLimitBytes {
            refuseAtOnce(.headersTooLarge(limitBytes: limits.headerLimitBytes))
        } else if let detail = framingMistake(version) {
            refuseAtOnce(.malformed(detail))
        } else if parsed == nil {
            fault = .malformed("The request's target is malformed.")
        } else {
            checkAnnouncedLength()
        }
    }

    /// Takes a piece of the body; false if enough is enough and the connection must be closed.
    mutating func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        if fault == nil, body.count + piece.count <= limits.bodyLimitBytes {
            body.append(contentsOf: piece)
            return true
        }
        if fault == nil { fault = .bodyTooLarge(limitBytes: limits.bodyLimitBytes) }
        discardedBytes += body.count + piece.count
        body = []
        return discardedBytes <= limits.bodyLimitBytes * Self.patience
    }

    /// The request as it has arrived so far; without a target if that is malformed.
    func request(from peer: PeerAddress) -> Request {
        Request(method, parsed ?? .none, headers, body, peer)
    }

    private mutating func refuseAtOnce(_ fault: ServerFault) {
        self.fault = fault
        isBeyondRepair = true
    }

    /// Where two readers could disagree about where a request ends, someone behind a shared proxy
    /// can smuggle one past it (RFC 9112 section 11.2): nothing that leaves room for that is read.
    private func framingMistake(_ version: String) -> String? {
        if !headers.fields.allSatisfy({
            !$0.name.isEmpty && $0.name.utf8.allSatisfy(\.isTokenCharacter)
        }) {
            return "A header's name is malformed."
        }
        if headers.single("Host") == .repeated { return "The Host header is repeated." }
        let length = headers.single("Content-Length")
        if length == .repeated { return "The Content-Length header is repeated." }
        switch headers.single("Transfer-Encoding") {
        case .absent: return nil
        case .once(let coding) where coding.isSameToken(as: "chunked"):
            if length != .absent {
                return "Content-Length and Transfer-Encoding exclude each other."
            }
            return version == "HTTP/1.0" ? "Transfer-Encoding is unknown to HTTP/1.0." : nil
        case .once, .repeated: return "The Transfer-Encoding header must be `chunked`."
        }
    }

    private mutating func checkAnnouncedLength() {
        guard let length = headers["Content-Length"].flatMap({ UInt64($0) }),
            length > UInt64(limits.bodyLimitBytes)
        else { return }
        fault = .bodyTooLarge(limitBytes: limits.bodyLimitBytes)
        // Who asks first has sent nothing yet, and can be told before it does.
        isBeyondRepair =
            headers["Expect"] != nil
            || length > UInt64(limits.bodyLimitBytes) * UInt64(Self.patience)
    }
}

extension RequestTarget {
    /// What stands for a target that has no meaning.
    fileprivate static let none = RequestTarget(path: "", segments: [], query: Query())

    private init(path: String, segments: [String], query: Query) {
        self.path = path
        self.segments = segments
        self.query = query
    }
}

extension UInt8 {
    /// Whether RFC 9110 section 5.6.2 allows it in a token.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
