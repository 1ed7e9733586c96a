import Glibc
import Synchronization

/// What all connections of a server share: the handler, and what is said when it has no say.
final class Responder: Sendable {
    let settings: ServerSettings
    private let handler: @Sendable (Request) -> Response
    private let batcher: ReadBatcher?
    private let onFault: @Sendable (ServerFault, Request) -> Response
    private let draining = Atomic(false)

    init(
        _ settings: ServerSettings, handler: @escaping @Sendable (Request) -> Response,
        batcher: ReadBatcher?,
        onFault: @escaping @Sendable (ServerFault, Request) -> Response
    ) {
        self.settings = settings
        self.handler = handler
        self.batcher = batcher
        self.onFault = onFault
    }

    /// Makes every connection end with its next response.
    func beginDraining() {
        draining.store(true, ordering: .sequentiallyConsistent)
    }

    var isDraining: Bool { draining.load(ordering: .sequentiallyConsistent) }

    /// How many requests a thread may take at once.
    var gatherLimit: Int { batcher == nil ? 1 : max(1, settings.gatherLimit) }

    /// Whether a request may gain by being answered together with others.
    func canJoin(_ request: Request) -> Bool { batcher?.admits(request) ?? false }

    /// What answers a request.
    struct Answer {
        let head: [UInt8]
        /// The response's own, which many answers may share.
        let body: [UInt8]
        /// Whether the connection goes on behind it.
        let goesOn: Bool
    }

    func answer(_ finished: RequestReader.Finished) -> Answer {
        let request = finished.request
        return answer(finished, finished.fault.map { onFault($0, request) } ?? handler(request))
    }

    /// The answers to requests that `canJoin` let in; nil for those that have to be answered alone.
    func answer(together several: [RequestReader.Finished]) -> [Answer?] {
        guard let batcher else { return several.map { _ in nil } }
        return zip(several, batcher.answer(several.map(\.request))).map { finished, response in
            response.map { answer(finished, $0) }
        }
    }

    private func answer(_ finished: RequestReader.Finished, _ response: Response) -> Answer {
        let request = finished.request
        var response = response
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
        guard let bytes else { return Answer(head: [], body: [], goesOn: false) }
        let hasBody = request.method != .head && ![204, 304].contains(response.status)
        return Answer(head: bytes, body: hasBody ? response.body : [], goesOn: goesOn)
    }

    /// Whether a request is answered even while all threads wait.
    func isUrgent(_ request: Request) -> Bool { settings.urgentPaths.contains(request.path) }
}
