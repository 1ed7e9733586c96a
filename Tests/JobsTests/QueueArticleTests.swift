import Jobs
import Postgres
import TestSupport
import Testing

@Suite("The article First-Queue of Jobs.docc")
struct QueueArticleTests {
    @Test("the article contains only code that is compiled")
    func compiled() throws {
        let code = try DocumentedCode(of: "Sources/Base/Jobs/Jobs.docc/First-Queue.md")
        let missing = try code.missing(from: "Tests/JobsTests/DocumentedQueue.swift")
        #expect(missing.isEmpty && code.count > 4, "\(missing.joined(separator: "\n\n"))")
    }

    @Test("the code of the article enqueues a job once, runs it and stores the schedule")
    func works() throws {
        let queue = try QueueDatabase()
        let notes = Notes()
        let program = DocumentedQueue(
            greeted: { payload in payload == PostgresJSON(utf8: Array(#"{"person": 7}"#.utf8)) },
            log: { event in notes.add(event) })
        let connection = try Connection(queue.test.settings(as: "hearth_api"))
        let id = try program.enqueue(connection)
        #expect(id != nil)
        let second = try program.enqueue(connection)
        #expect(second == nil)
        let pool = Pool(queue.test.settings())
        defer { pool.close() }
        let notifier = program.notify(pool)
        defer { notifier.close() }
        let worker = try program.start(queue.settings)
        try eventually { try queue.ended() == 1 }
        #expect(program.stop(worker))
        let schedules = try queue.count(
            "SELECT count(*) FROM jobs.schedules WHERE name = 'greetings'")
        #expect(schedules == 1)
    }
}
