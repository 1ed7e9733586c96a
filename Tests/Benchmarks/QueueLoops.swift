import Dispatch
import Glibc
import Jobs
import Postgres
import Synchronization
import TestSupport
import Basics

/// Runs empty jobs with one worker; each loop prints one line of figures.
func benchmarkQueue(_ arguments: [String]) throws {
    let usage = """
        usage: benchmarks queue drain URL JOBS BATCH | pickup URL SAMPLES | steady URL SECONDS RATE
        """
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    guard arguments.count > 2, let first = numbers.first else {
        print(usage)
        exit(64)
    }
    let settings = try ConnectionSettings(url: arguments[1])
    switch (arguments[0], numbers.count) {
    case ("drain", 2): try drain(settings, jobs: first, batch: numbers[1])
    case ("pickup", 1): try pickUp(settings, samples: first)
    case ("steady", 2): try keepSteady(settings, seconds: first, rate: numbers[1])
    default:
        print(usage)
        exit(64)
    }
}

/// Works through the existing jobs in batches; prints jobs per second from the first to the last.
private func drain(_ settings: ConnectionSettings, jobs: Int, batch: Int) throws {
    let count = Atomic<Int>(0)
    let began = Atomic<Int>(0)
    let kind = JobKind("noop", recordsStart: false) { _, _ in
        count.wrappingAdd(1, ordering: .relaxed)
        return .done
    }
    let worker = try Worker(
        settings,
        queues: [QueueConfiguration(name: "bench", kinds: [kind], threads: 1, batch: batch)],
        label: "bench",
        observe: { event in
            if case .claimed = event {
                _ = began.compareExchange(
                    expected: 0, desired: MonotonicClock.nanoseconds(), ordering: .relaxed)
            }
        })
    let connection = try Connection(settings)
    let left = Statement<Scalar<Bool>>(
        "SELECT EXISTS (SELECT FROM jobs.live WHERE queue = 'bench')")
    try lookAgain(every: 1_000) { count.load(ordering: .relaxed) >= jobs }
    try lookAgain(every: 1_000) { try connection.run(left).first?.value != true }
    let seconds = Double(MonotonicClock.nanoseconds() - began.load(ordering: .relaxed)) / 1e9
    _ = worker.stop(deadlineSeconds: 5)
    print(Int(Double(jobs) / seconds))
}

/// Enqueues one job at a time for an idle worker; prints the median and the 99th percentile of the
/// time from the end of the enqueuing transaction to the job's start, in milliseconds. The first
/// ten jobs, which also create connections and plans, are not measured.
private func pickUp(_ settings: ConnectionSettings, samples: Int) throws {
    struct NotBegun: Error {}
    let started = Atomic<Int>(0)
    let hasStarted = DispatchSemaphore(value: 0)
    let kind = JobKind("noop") { _, _ in
        started.store(MonotonicClock.nanoseconds(), ordering: .releasing)
        hasStarted.signal()
        return .done
    }
    let worker = try Worker(
        settings,
        queues: [QueueConfiguration(name: "bench", kinds: [kind], threads: 1, batch: 100)],
        label: "bench", observe: { _ in })
    try lookAgain(every: 10_000) { worker.isListening }
    let pool = Pool(settings)
    let notifier = JobNotifier(pool)
    let connection = try Connection(settings)
    var times: [Double] = []
    for number in -10..<samples {
        var batch = Batch()
        batch.enqueue(job)
        _ = try connection.send(batch, writes: true)
        let enqueued = MonotonicClock.nanoseconds()
        notifier.notifyWorkers("bench")
        guard hasStarted.wait(timeout: .now() + 60) == .success else { throw NotBegun() }
        let start = started.load(ordering: .acquiring)
        if number >= 0 { times.append(start > enqueued ? Double(start - enqueued) / 1e6 : 0) }
        // Pauses, because the worker must be idle, for random times that don't align with its own
        // waits.
        usleep(UInt32.random(in: 30_000...60_000))
    }
    _ = worker.stop(deadlineSeconds: 5)
    pool.close()
    print(percentile(times, 50), percentile(times, 99))
}

/// Enqueues jobs at a fixed rate; prints the percentage that was done, and the median and 99th
/// percentile of the claiming round trips, in milliseconds.
private func keepSteady(_ settings: ConnectionSettings, seconds: Int, rate: Int) throws {
    let count = Atomic<Int>(0)
    let journeys = Mutex<[Double]>([])
    let kind = JobKind("noop", recordsStart: false) { _, _ in
        count.wrappingAdd(1, ordering: .relaxed)
        return .done
    }
    let worker = try Worker(
        settings,
        queues: [QueueConfiguration(name: "bench", kinds: [kind], threads: 1, batch: 100)],
        label: "bench",
        observe: { event in
            if case .claimed(_, _, let seconds) = event {
                journeys.withLock { $0.append(seconds * 1e3) }
            }
        })
    let pool = Pool(settings)
    let notifier = JobNotifier(pool)
    let connection = try Connection(settings)
    // Twenty transactions a second.
    let perTick = rate / 20
    let start = MonotonicClock.nanoseconds()
    var offered = 0
    for tick in 0..<seconds * 20 {
        var batch = Batch()
        for _ in 0..<perTick { batch.enqueue(job) }
        if perTick > 0 {
            _ = try connection.send(batch, writes: true)
            notifier.notifyWorkers("bench")
        }
        offered += perTick
        let next = start + (tick + 1) * 50_000_000
        let present = MonotonicClock.nanoseconds()
        // Keeps the rate: there is nothing to do until the next tick.
        if next > present { usleep(UInt32((next - present) / 1000)) }
    }
    // Gives the last jobs a moment to finish.
    usleep(250_000)
    let done = count.load(ordering: .relaxed)
    _ = worker.stop(deadlineSeconds: 5)
    pool.close()
    let times = journeys.withLock { $0 }
    print(percent(done, offered), percentile(times, 50), percentile(times, 99))
}

private var job: NewJob {
    NewJob(queue: "bench", kind: "noop", payload: PostgresJSON(utf8: Array("{\"n\":1}".utf8)))
}

private func percentile(_ values: [Double], _ part: Int) -> String {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return "-" }
    let value = sorted[min(sorted.count - 1, sorted.count * part / 100)]
    return "\((value * 100).rounded() / 100)"
}

private func percent(_ part: Int, _ whole: Int) -> String {
    "\((Double(part) * 1000 / Double(max(1, whole))).rounded() / 10)"
}

/// Polls a condition at the given interval, for ten minutes at most. A plain sleep, because a wait
/// on an event would have to be signalled by the measured code.
private func lookAgain(every microseconds: UInt32, _ hasComeAbout: () throws -> Bool) throws {
    struct TooLate: Error {}
    let deadline = Deadline.after(seconds: 600)
    while try !hasComeAbout() {
        if deadline.hasPassed { throw TooLate() }
        usleep(microseconds)
    }
}
