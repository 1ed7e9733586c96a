import Jobs
import Postgres
import TestSupport
import Testing

@Suite("A worker that notifications no longer reach")
struct DeafWorkerTests {
    private let queue: QueueDatabase
    private let relay: NotificationRelay
    private let notes = Notes()

    init() throws {
        queue = try QueueDatabase()
        relay = try NotificationRelay(to: queue.settings)
    }

    /// One that has a heartbeat each second, since it has a job each second.
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

    @Test("knows it when its own don't arrive, looks for jobs by itself, and notices their return")
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

    @Test("listens by another session when the first one has died without a word")
    func silenced() throws {
        let worker = try worker()
        try eventually { notes.listening == true }
        let before = notes.losses
        relay.silenceListeningSessions()
        // It may listen again before anybody sees that it didn't.
        try eventually { notes.losses > before }
        try eventually { notes.listening == true && worker.isListening }
        #expect(worker.stop(deadlineSeconds: 60))
    }
}

extension Notes {
    /// How often notifications were found not to arrive any more.
    fileprivate var losses: Int {
        count { if case .listening(false) = $0 { true } else { false } }
    }
}
