import HTTPServer
import Telemetry
import Basics

/// Adds the headers of every response.
struct ResponseHeaders: ExitStage {
    let site: PublicSite

    func leave(_ exchange: Exchange, _ reply: Reply, _ response: inout Response) {
        if let location = reply.location {
            response.headers.add("Location", site.baseURL + location)
        }
        response.headers.add("X-Request-Id", exchange.id.description)
        if let tag = reply.tag {
            response.headers.add("ETag", tag)
            response.headers.add("Cache-Control", "private, no-cache")
        } else if let seconds = reply.cacheSeconds {
            response.headers.add("Cache-Control", "public, max-age=\(seconds)")
        } else {
            response.headers.add("Cache-Control", "no-store")
        }
        response.headers.add("X-Content-Type-Options", "nosniff")
    }
}

/// Allows pages of the configured origins to read the response.
struct CORSHeaders: ExitStage {
    let cors: CORS

    func leave(_ exchange: Exchange, _ reply: Reply, _ response: inout Response) {
        cors.mark(&response, to: exchange.request)
    }
}

/// Counts and logs the request.
struct RequestRecord: ExitStage {
    let meters: RequestMeters
    let log: Log

    func leave(_ exchange: Exchange, _ reply: Reply, _ response: inout Response) {
        let status = response.status
        if exchange.isRefusedByServer {
            // Nothing has measured how long the server read it.
            meters.count(exchange, status, nanoseconds: nil)
            log.info(
                "the HTTP server refused a request",
                [
                    .requestID(exchange.id), .method(exchange.request.method.logged),
                    .status(status),
                ] + (reply.code.map { [.code($0.rawValue)] } ?? []))
            return
        }
        if let family = reply.family { exchange.trace.record(family: family) }
        let nanoseconds = MonotonicClock.nanoseconds() - exchange.start
        if reply.code == .fault(.keysPending) {
            meters.countKeysPending()
        } else {
            meters.count(exchange, status, nanoseconds: nanoseconds)
        }
        exchange.endTrace(status, reply.code, nanoseconds: nanoseconds)
        log.info("request") {
            exchange.describe(status, reply.code, microseconds: nanoseconds / 1_000, in: &$0)
        }
    }
}

extension Exchange {
    /// Ends the request's trace, if it is traced.
    fileprivate func endTrace(_ status: Int, _ code: ProblemCode?, nanoseconds: Int) {
        guard let recording = received.recording else { return }
        let method = request.method.logged
        var attributes: [TraceSpan.Attribute] = [
            .init("http.request.method", .literal(method)),
            .init("http.route", .literal(endpoint.pattern)),
            .init("http.response.status_code", .integer(status)),
        ]
        if let code { attributes.append(.init("hearth.code", .name(code.rawValue))) }
        recording.end(
            "\(method) \(endpoint.pattern)", .server, start: start, end: start + nanoseconds,
            attributes, failure: status >= 500 ? code?.rawValue ?? "\(status)" : nil)
    }
}
