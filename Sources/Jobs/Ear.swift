import Postgres
import Threads

/// Listens for new jobs with a connection of its own.
///
/// Whether notifications arrive is tried, not believed: now and then a heartbeat notifies the worker itself.
struct Ear {
    private let settings: ConnectionSettings
    private let channel: String
    private let board: Monitor<Board>
    private let lease: Lease

    init(
        _ settings: ConnectionSettings, _ channel: String, _ board: Monitor<Board>, _ lease: Lease
    ) {
        self.settings = settings
        self.channel = channel
        self.board = board
        self.lease = lease
    }

    /// Listens until the worker stops.
    func run() {
        // Without a file descriptor left there is no listening: the worker polls.
        guard
            let listener = try? Listener(settings, channels: [Queue.channel, channel])
        else { return }
        while !lease.isStopping {
            if board.withLock({ $0.takeWantsNewEar() }) { listener.reconnect() }
            guard let event = listener.next(deadline: .after(seconds: 1)) else { continue }
            board.update { heard(event, &$0) }
        }
    }

    /// Notes an event; true when the dispatcher should look.
    private func heard(_ event: Listener.Event, _ board: inout Board) -> Bool {
        switch event {
        case .notification(let notification) where notification.channel == channel:
            board.heardAt = .after(seconds: 0)
            return false
        case .notification(let notification):
            for index in board.lanes.indices
            where board.lanes[index].lane.queue == notification.payload {
                board.lanes[index].mayHaveMore = true
            }
            return true
        case .connected:
            board.wantsBeat = true
            return true
        case .disconnected:
            board.heardAt = nil
            return true
        case .woken:
            return false
        }
    }
}
