import HTTPServer
import Telemetry
import Threads
import UseCases

/// A request on its way through the handler.
struct Exchange: Sendable {
    let request: Request
    let id: RequestID
    let trace = RequestTrace()
    let start: Int
    /// Nil until it has been found.
    var endpoint: Endpoint?
    /// For logs and metrics.
    var label: StaticString = "unknown"

    init(_ request: Request) {
        self.request = request
        start = request.receivedAt ?? MonotonicClock.nanoseconds()
        id = Self.id(of: request)
    }

    /// The caller's own id for the request if it is harmless, otherwise a new one.
    static func id(of request: Request) -> RequestID {
        let given: RequestID? = request.headers["X-Request-Id"].flatMap { RequestID($0) }
        return given ?? RequestID.fresh()
    }
}
