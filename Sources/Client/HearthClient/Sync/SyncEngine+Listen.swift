import Foundation

extension SyncEngine {
    /// Follows the stream of events for as long as the task runs, and wakes the engine by it.
    func listen() async {
        var failures = 0
        var lastID: String?
        while !Task.isCancelled {
            var hasOpened = false
            do {
                for try await event in hearth.events(
                    after: lastID, timeoutSeconds: settings.streamTimeoutSeconds)
                {
                    if !hasOpened {
                        hasOpened = true
                        failures = 0
                        learned = .streaming
                        if mode == .waiting || mode == .polling { set(.streaming) }
                    }
                    // The stream reports nothing that happened before it opened.
                    wake.call()
                    if case .event(let event) = event {
                        lastID = event.id ?? lastID
                        if event.name == "expired" { break }
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                // What failed decides only about how long to wait: the engine's own requests show
                // whether Hearth can be reached.
                failures += 1
            }
            if !hasOpened || failures > 0 { failures = max(failures, 1) }
            if failures >= settings.streamFailureLimit, learned == .streaming || learned == .waiting
            {
                learned = .waiting
                if mode == .streaming { set(.waiting) }
                wake.call()
            }
            let pause = settings.pauseSeconds(
                afterFailures: max(1, failures), chance: .random(in: 0...1))
            // Cancelled: the loop's condition ends it.
            try? await Task.sleep(nanoseconds: UInt64(pause * 1e9))
        }
    }
}

extension Hearth {
    /// What comes by a stream of events.
    enum LiveSignal: Sendable, Hashable {
        /// The stream is open.
        case opened
        case event(ServerEvent)
    }

    /// Opens the stream of events once, and gives what comes until it ends.
    func events(
        after lastID: String?, timeoutSeconds: Double
    ) -> AsyncThrowingStream<LiveSignal, any Error> {
        AsyncThrowingStream { signals in
            let task = Task {
                do {
                    try await follow(after: lastID, timeoutSeconds) { signals.yield($0) }
                    signals.finish()
                } catch {
                    signals.finish(throwing: error)
                }
            }
            signals.onTermination = { _ in task.cancel() }
        }
    }

    private func follow(
        after lastID: String?, _ timeoutSeconds: Double, _ signal: (LiveSignal) -> Void
    ) async throws {
        var request = APIRequest("GET", "/api/live", timeoutSeconds: timeoutSeconds)
        request.headers = ["Accept": "text/event-stream"]
        if let lastID { request.headers["Last-Event-ID"] = lastID }
        let token = try await credentials.accessToken()
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        var parser = ServerEventParser()
        for try await part in transport.exchange(request) {
            switch part {
            case .head(let head):
                if head.status == 401, let token {
                    // The next attempt finds the new one.
                    _ = try await credentials.replacement(for: token)
                }
                guard head.status == 200,
                    head.headers["content-type"]?.hasPrefix("text/event-stream") == true
                else {
                    throw HearthError.unexpectedAnswer(status: head.status, detail: "no stream")
                }
                signal(.opened)
            case .body(let data):
                guard let events = parser.take(data) else {
                    throw HearthError.unexpectedAnswer(status: 200, detail: "a line without end")
                }
                events.forEach { signal(.event($0)) }
            }
        }
        try Task.checkCancellation()
    }
}
