import Foundation

/// An event of a stream of server-sent events.
struct ServerEvent: Sendable, Hashable {
    /// Type of the event; `message` if the server sent none.
    var name: String
    var data: String
    /// Last event id of the stream: of this event, or of the latest before it that had one.
    var id: String?
}

/// Incremental parser of server-sent events (the HTML standard's `text/event-stream`).
struct ServerEventParser {
    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isAtBeginning = true
    private var name = ""
    private var data: [String] = []
    private var id: String?

    /// Maximum length of a line. Hearth sends no longer ones, so the stream must be faulty.
    static let maximumLineBytes = 64 * 1024

    /// Parses more bytes and returns the events that they complete; nil if a line is too long.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerEvent]? {
        var events: [ServerEvent] = []
        for byte in bytes {
            let isSecondOfPair = isAfterCarriageReturn && byte == 0x0A
            isAfterCarriageReturn = byte == 0x0D
            if isSecondOfPair { continue }
            if byte == 0x0A || byte == 0x0D {
                if let event = endLine() { events.append(event) }
            } else {
                line.append(byte)
                if line.count > Self.maximumLineBytes { return nil }
            }
        }
        return events
    }

    /// Processes a complete line; returns an event if the line was empty.
    private mutating func endLine() -> ServerEvent? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isAtBeginning, text.unicodeScalars.first == "\u{FEFF}" {
            text.unicodeScalars.removeFirst()
        }
        isAtBeginning = false
        if text.isEmpty {
            defer {
                name = ""
                data = []
            }
            if data.isEmpty { return nil }
            return ServerEvent(
                name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id": if !value.unicodeScalars.contains("\0") { id = String(value) }
        // Ignore comments and unknown fields.
        default: break
        }
        return nil
    }
}

extension SyncEngine {
    /// Follows the event stream until the task is cancelled, and wakes the engine at each event.
    func listen() async {
        var failures = 0
        var lastID: String?
        while !Task.isCancelled {
            var opening: ContinuousClock.Instant?
            do {
                for try await event in hearth.events(
                    after: lastID, timeoutSeconds: settings.streamTimeoutSeconds)
                {
                    if opening == nil {
                        opening = .now
                        onlineMode = .streaming
                        if mode == .waiting || mode == .polling { set(.streaming) }
                    }
                    // Wake at opening too: the stream does not report earlier changes.
                    wake.call()
                    if case .event(let event) = event {
                        lastID = event.id ?? lastID
                        if event.name == "expired" { break }
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                // Stream failures only determine the pause: the engine's own requests show whether
                // Hearth can be reached.
            }
            failures = settings.streamFailures(
                after: failures, openFor: opening.map { .now - $0 } ?? .zero)
            if failures >= settings.streamFailureLimit,
                onlineMode == .streaming || onlineMode == .waiting
            {
                onlineMode = .waiting
                if mode == .streaming { set(.waiting) }
                wake.call()
            }
            let pause = settings.pauseSeconds(
                afterFailures: max(1, failures), chance: .random(in: 0...1))
            // If the task is cancelled, the loop's condition ends it.
            try? await Task.sleep(nanoseconds: UInt64(pause * 1e9))
        }
    }
}

extension Hearth {
    /// A signal of the event stream.
    enum LiveSignal: Sendable, Hashable {
        /// The stream is open.
        case opened
        case event(ServerEvent)
    }

    /// Opens the event stream once and returns its signals until it ends.
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
                    // Refresh the token, so that the next attempt succeeds.
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
