import Postgres
import Basics

/// Listens for new jobs with a connection of its own.
///
/// The worker does not assume that notifications arrive: it checks by notifying itself with some
/// heartbeats.
struct NotificationListener {
    private let settings: ConnectionSettings
    private let channel: String
    private let state: Monitor<WorkerState>
    private let lease: Lease

    init(
        _ settings: ConnectionSettings, _ channel: String, _ state: Monitor<WorkerState>,
        _ lease: Lease
    ) {
        self.settings = settings
        self.channel = channel
        self.state = state
        self.lease = lease
    }

    /// Listens until the worker stops.
    func run() {
        let listener = Listener(settings, channels: [Queue.channel, channel])
        while !lease.isStopping {
            if state.withLock({ $0.takeWantsNewListener() }) { listener.reconnect() }
            guard let event = listener.next(deadline: .after(seconds: 1)) else { continue }
            state.update { handle(event, &$0) }
        }
    }

    /// Records an event; returns true if the dispatcher should act.
    private func handle(_ event: Listener.Event, _ state: inout WorkerState) -> Bool {
        switch event {
        case .notification(let notification) where notification.channel == channel:
            state.lastEchoAt = .after(seconds: 0)
            return false
        case .notification(let notification):
            for index in state.queues.indices
            where state.queues[index].configuration.name == notification.payload {
                state.queues[index].mayHaveMore = true
            }
            return true
        case .connected:
            state.wantsHeartbeat = true
            return true
        case .disconnected:
            state.lastEchoAt = nil
            return true
        }
    }
}
