import HTTPServer
import Configuration
import FamilySettings
import Telemetry

/// Serves `/metrics`, and nothing else.
struct MetricsServer {
    private let server: Server

    init(_ address: ListenAddress, _ metrics: Metrics, _ log: Log) throws {
        var http = ServerSettings()
        http.host = address.host
        http.port = address.port
        http.givenAs = HearthSettings.metricsListen.declaration.name
        http.threads = 1
        let handler = FunctionHandler { request in
            guard request.method == .get, request.path == "/metrics" else {
                return Response(status: 404)
            }
            var headers = Headers()
            headers.add("Content-Type", Metrics.contentType)
            return Response(status: 200, headers: headers, body: Array(metrics.text().utf8))
        }
        server = try Server(http, handler: handler) {
            log.error("the metrics server reports an error", [.error($0)])
        }
        log.info("metrics are served", [.listen(address.with(port: server.port))])
    }

    func stop() { server.stop() }
}
