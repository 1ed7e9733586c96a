import Basics
import HTTPServer
import Synchronization
import UseCases

/// The stream of server-sent events of an open page: which parts of the console have changed.
///
/// It holds no thread, and reads nothing but its session: the board follows the database for all.
final class ConsoleStream: Sendable {
    private let services: ConsoleServices
    private let token: ConsoleToken
    private let id: UInt64
    private let seen: Mutex<ConsoleBoard.Versions>

    /// Opens a stream; nil if there are too many.
    init?(_ services: ConsoleServices, _ token: ConsoleToken, of current: UInt128) {
        guard let id = services.board.open(of: current) else { return nil }
        self.services = services
        self.token = token
        self.id = id
        seen = Mutex(services.board.versions)
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
        let known = seen.withLock { $0 }
        return ParkedRequest(
            onParked: { [self] resume in services.board.park(id, known, resume) },
            retry: { [self] in step() })
    }

    private func step() -> WorkOutcome {
        services.board.unpark(id)
        if services.board.isStopped {
            return .part(StreamPart(bytes: Array(": closed\n\n".utf8), next: nil))
        }
        // A database that does not answer ends no page; the next comment checks again.
        let hasEnded: Bool
        do {
            hasEnded = try services.signIn.session(token) == nil
        } catch {
            hasEnded = false
        }
        if hasEnded {
            return .part(StreamPart(bytes: Array("event: ended\ndata: \n\n".utf8), next: nil))
        }
        let now = services.board.versions
        let changed = seen.withLock { seen in
            defer { seen = now }
            return ConsoleBoard.Part.allCases.filter { now[$0] != seen[$0] }
        }
        let names = changed.map(\.rawValue).joined(separator: " ")
        let text = changed.isEmpty ? ":\n\n" : "event: change\ndata: \(names)\n\n"
        return .part(StreamPart(bytes: Array(text.utf8), next: parked()))
    }
}
