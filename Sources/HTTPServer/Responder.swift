import Glibc
import Synchronization

/// What all connections of a server share: the handler, and what is said when it has no say.
final class Responder: Sendable {
    let settings: ServerSettings
    private let handler: @Sendable (Request) -> Response
    private let onFault: @Sendable (ServerFault, Request) -> Response
    private let draining = Atomic(false)

    init(
        _ settings: ServerSettings, handler: @escaping @Sendable (Request) -> Response,
        onFault: @escaping @Sendable (ServerFault, Request) -> Response
    ) {
        self.settings = settings
        self.handler = handler
        self.onFault = onFault
    }

    /// Makes every connection end with its next response.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// The bytes that answer a request, and whether the connection goes on behind them.
    func answer(_ finished: RequestReader.Finished) -> (bytes: [UInt8], goesOn: Bool) {
        let request = finished.request
        var response = finished.fault.map { onFault($0, request) } ?? handler(request)
        let goesOn = finished.keepsAlive && !isDraining
        let persistence: ResponseHead.Persistence =
            goesOn ? finished.isVersion10 ? .kept : .usual : .closed
        let now = time(nil)
        var bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        if bytes == nil {
            response = onFault(.invalidResponse, request)
            bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        }
        if bytes == nil {
            response = Response(status: ServerFault.invalidResponse.status)
            bytes = ResponseHead.bytes(response, persistence, unixSeconds: now)
        }
        guard var bytes else { return ([], false) }
        if request.method != .head, response.status != 204, response.status != 304 {
            bytes += response.body
        }
        return (bytes, goesOn)
    }

    /// Whether a request is answered even while all threads wait.
    func isUrgent(_ request: Request) -> Bool { settings.urgentPaths.contains(request.path) }
}
