import Basics
import HTTPServer
import Synchronization
import UseCases

/// The stream of server-sent events of an open page: when its part of the console has changed.
///
/// It holds no thread, and reads nothing but its session, twice a minute: the board follows the
/// database for all.
final class ConsoleStream: Sendable {
    private struct State: Sendable {
        /// Version of the part that the page shows.
        var seen: UInt64
        /// Time of the next check of the session.
        var checkAt: Deadline
    }

    private let services: ConsoleServices
    private let token: ConsoleToken
    private let part: ConsoleBoard.Part
    private let id: UInt64
    private let state: Mutex<State>

    /// Opens a stream; nil if there are too many.
    init?(
        _ services: ConsoleServices, _ token: ConsoleToken, of current: UInt128,
        _ part: ConsoleBoard.Part
    ) {
        guard let id = services.board.open(of: current) else { return nil }
        self.services = services
        self.token = token
        self.part = part
        self.id = id
        state = Mutex(
            State(
                seen: services.board.version(of: part),
                checkAt: .after(seconds: services.sessionCheckSeconds)))
    }

    deinit { services.board.close(id) }

    /// The first part of the stream.
    func open() -> WorkOutcome {
        let head = Response(
            status: 200,
            headers: Headers(
                ConsoleReply.headers + [
                    .init(name: "Content-Type", value: "text/event-stream"),
                    .init(name: "X-Accel-Buffering", value: "no"),
                ]))
        return .part(StreamPart(head: head, bytes: Array("retry: 5000\n\n".utf8), next: parked()))
    }

    private func parked() -> ParkedRequest {
        let (known, checkAt) = state.withLock { ($0.seen, $0.checkAt) }
        return ParkedRequest(
            onParked: { [self] resume in
                services.board.park(id, part, known: known, checkAt: checkAt, resume)
            },
            retry: { [self] in step() })
    }

    private func step() -> WorkOutcome {
        services.board.unpark(id)
        if services.board.isStopped { return .part(Self.text(": closed\n\n", next: nil)) }
        if isCheckDue(), hasEnded() {
            return .part(Self.text("event: ended\ndata: \n\n", next: nil))
        }
        let now = services.board.version(of: part)
        let hasChanged = state.withLock { state in
            defer { state.seen = now }
            return state.seen != now
        }
        let text = hasChanged ? "event: change\ndata: \(part.rawValue)\n\n" : ":\n\n"
        return .part(Self.text(text, next: parked()))
    }

    private func isCheckDue() -> Bool {
        state.withLock { state in
            guard state.checkAt.hasPassed else { return false }
            state.checkAt = .after(seconds: services.sessionCheckSeconds)
            return true
        }
    }

    /// Whether the session has ended. A database that does not answer ends no stream; the next
    /// check asks again.
    private func hasEnded() -> Bool {
        do {
            return try services.signIn.session(token) == nil
        } catch {
            return false
        }
    }

    private static func text(_ text: String, next: ParkedRequest?) -> StreamPart {
        StreamPart(bytes: Array(text.utf8), next: next)
    }
}
