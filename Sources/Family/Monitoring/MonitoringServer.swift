package import Configuration
import FamilySettings
import HTTPServer
import JSON
import Synchronization
package import Telemetry
package import UseCases

/// Serves `/metrics`, `/healthz` and `/readyz`, and nothing else.
package final class MonitoringServer: Sendable {
    private let metrics: Metrics
    private let readiness: CheckReadiness
    private let log: Log
    private let draining = Atomic(false)
    private let lastState = Mutex(CheckReadiness.State.ready)
    private let server = Mutex<Server?>(nil)

    package init(
        _ address: ListenAddress, _ metrics: Metrics, _ readiness: CheckReadiness, _ log: Log
    ) throws {
        self.metrics = metrics
        self.readiness = readiness
        self.log = log
        var http = ServerSettings()
        http.host = address.host
        http.port = address.port
        http.settingName = HearthSettings.metricsListen.declaration.name
        // Two, so that scrapes go on while a readiness check waits for the database.
        http.threads = 2
        let handler = FunctionHandler { [weak self] request in
            self?.respond(to: request) ?? Response(status: 503)
        }
        let server = try Server(http, handler: handler) {
            log.error("the metrics server reported an error", [.error($0)])
        }
        self.server.withLock { $0 = server }
        log.info("serving metrics", [.listen(address.with(port: server.port))])
    }

    /// Makes `/readyz` return 503 from now on.
    package func beginDraining() { draining.store(true, ordering: .relaxed) }

    package func stop() { server.withLock { $0 }?.stop() }

    private func respond(to request: Request) -> Response {
        guard ["/metrics", "/healthz", "/readyz"].contains(request.path) else {
            return Response(status: 404)
        }
        guard [.get, .head].contains(request.method) else {
            return Response(
                status: 405, headers: Headers([.init(name: "Allow", value: "GET, HEAD")]))
        }
        switch request.path {
        case "/metrics": return metricsResponse(accepting: request.headers.values("Accept"))
        case "/healthz": return Self.status("ok")
        default:
            if draining.load(ordering: .relaxed) { return Self.status("draining", 503) }
            let state = readiness.check()
            let hasChanged = lastState.withLock { last in
                defer { last = state }
                return last != state
            }
            if hasChanged, state != .ready {
                log.error(
                    "this process is not ready from now on: /readyz returns 503",
                    [.reason(state.reason)])
            }
            return Self.status("\(state.reason)", state == .ready ? 200 : 503)
        }
    }

    private func metricsResponse(accepting headers: [String]) -> Response {
        let format = MetricsFormat(accepting: headers)
        return Response(
            status: 200,
            headers: Headers([.init(name: "Content-Type", value: format.contentType)]),
            body: Array(metrics.text(in: format).utf8))
    }

    private static func status(_ word: String, _ status: Int = 200) -> Response {
        var json = JSONWriter()
        json.object { $0.member("status", word) }
        var headers = Headers([.init(name: "Content-Type", value: "application/json")])
        if status == 503 { headers.add("Retry-After", "1") }
        return Response(status: status, headers: headers, body: json.bytes)
    }
}
