import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Worker that no longer receives notifications")
struct DeafWorkerTests {
    private let queue: QueueDatabase
    private let relay: NotificationRelay
    private let notes = Notes()

    init() throws {
        queue = try QueueDatabase()
        relay = try NotificationRelay(to: queue.settings)
    }

    /// Starts a worker that sends a heartbeat each second, because a job is due each second.
    private func worker() throws -> Worker {
        let notes = notes
        return try Worker(
            relay.settings(queue.settings),
            queues: [
                QueueConfiguration(
                    name: "work",
                    kinds: ["noop", "tick"].map { JobKind($0) { _, _ in .done } }, threads: 1)
            ],
            schedules: [
                Schedule(name: "ticks", queue: "work", kind: "tick", .every(seconds: 1))
            ], label: "deaf", echoSeconds: 3, observe: { notes.add($0) })
    }

    @Test("a worker polls while notifications are lost, and listens again when they arrive")
    func dropped() throws {
        let worker = try worker()
        try eventually { notes.listening == true }
        relay.drop(true)
        try eventually { notes.listening == false }
        try queue.enqueue(3)
        try eventually {
            try queue.count("SELECT count(*) FROM jobs.history WHERE kind = 'noop'") == 3
        }
        #expect(!worker.isListening)
        relay.drop(false)
        try eventually { notes.listening == true && worker.isListening }
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("a listening session that died silently is replaced")
    func silenced() throws {
        let worker = try worker()
        try eventually { notes.listening == true }
        let before = notes.losses
        relay.silenceListeningSessions()
        // The worker may listen again before the loss is observed.
        try eventually { notes.losses > before }
        try eventually { notes.listening == true && worker.isListening }
        #expect(worker.stop(deadlineSeconds: 60))
    }
}

extension Notes {
    /// Number of times that the worker found that notifications no longer arrive.
    fileprivate var losses: Int {
        count { if case .listening(false) = $0 { true } else { false } }
    }
}
