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

    private func worker() throws -> Worker {
        let notes = notes
        return try Worker(
            relay.settings(queue.settings),
            lanes: [
                Lane(queue: "work", kinds: [JobKind("noop") { _, _ in .done }], threads: 1)
            ], label: "deaf", echoSeconds: 1, observe: { notes.add($0) })
    }

    @Test("knows it when its own don't arrive, looks for jobs by itself, and notices their return")
    func dropped() throws {
        let worker = try worker()
        try eventually { notes.listening == true }
        relay.drop(true)
        try eventually { notes.listening == false }
        #expect(!worker.isListening)
        try queue.enqueue(3)
        try eventually { try queue.ended() == 3 }
        relay.drop(false)
        try eventually { notes.listening == true }
        #expect(worker.isListening)
        #expect(worker.stop(deadlineSeconds: 60))
    }

    @Test("listens by another session when the first one has died without a word")
    func silenced() throws {
        let worker = try worker()
        try eventually { notes.listening == true }
        relay.silenceListeningSessions()
        try eventually { notes.listening == false }
        try eventually { notes.listening == true }
        #expect(worker.isListening)
        #expect(worker.stop(deadlineSeconds: 60))
    }
}
