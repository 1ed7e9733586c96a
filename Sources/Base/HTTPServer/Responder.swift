import Glibc
import Synchronization

/// State that all connections of a server share: the handler, and the server's own responses.
final class Responder: Sendable {
    let settings: ServerSettings
    let handler: any Handler
    /// How many requests a thread may take at once.
    let gatherLimit: Int
    private let draining = Atomic(false)

    init<Answering: Handler>(_ settings: ServerSettings, _ handler: Answering) {
        self.settings = settings
        self.handler = handler
        gatherLimit = Answering.Read.self == Never.self ? 1 : max(1, settings.gatherLimit)
    }

    /// Makes every connection end with its next response.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// The bytes of a response.
    func output(_ finished: RequestReader.Finished, _ response: Response) -> SendBuffer {
        let request = finished.request
        var response = response
        let goesOn = finished.keepsAlive && !isDraining
        let persistence: ResponseHead.Persistence =
            goesOn ? finished.isVersion10 ? .kept : .usual : .closed
        let now = time(nil)
        var bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        if bytes == nil {
            response = handler.respond(to: .invalidResponse, in: request)
            bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        }
        if bytes == nil {
            response = Response(status: ServerFault.invalidResponse.status)
            bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        }
        guard let bytes else { return SendBuffer(head: [], body: [], isLast: true) }
        let hasBody = request.method != .head && ![204, 304].contains(response.status)
        return SendBuffer(head: bytes, body: hasBody ? response.body : [], isLast: !goesOn)
    }

    /// The bytes that begin a response without a length; nil if it can't be sent.
    func streamHead(_ response: Response) -> [UInt8]? {
        ResponseHead.bytes(response, .closed, unixSeconds: time(nil), hasLength: false)
    }

    /// Whether a request is answered even while all threads wait.
    func isUrgent(_ request: Request) -> Bool { settings.urgentPaths.contains(request.path) }
}
