import Glibc
import Synchronization

/// Chooses the requests and jobs that are traced, and passes their spans on.
package final class Tracer: Sendable {
    /// Maximum traces per second that callers can demand with a header, which anybody can send.
    /// Further requests are sampled like all others.
    package static let demandedPerSecond = 10

    private struct Demand {
        var second = 0
        var count = 0
    }

    private let oneIn: UInt64
    private let take: @Sendable ([TraceSpan]) -> Void
    private let demand = Mutex(Demand())
    /// Number of requests and jobs that have begun, counted from a random number.
    private let begun = Atomic<UInt64>(UInt64.random(in: 0...UInt64.max))

    /// - Parameters:
    ///   - oneIn: One in this many requests and jobs is traced; at least 1.
    ///   - take: Receives the spans of a trace that has ended. Threads that serve requests call it,
    ///     so it must not wait.
    package init(oneIn: Int, take: @escaping @Sendable ([TraceSpan]) -> Void) {
        precondition(oneIn > 0, "`oneIn` must be at least 1")
        self.oneIn = UInt64(oneIn)
        self.take = take
        TraceScope.activate()
    }

    /// Begins the trace of a request or a job; nil if it is not sampled.
    ///
    /// - Parameter caller: The span that a request belongs to. A trace that its caller doesn't
    ///   record isn't recorded here either.
    package func begin(for caller: SpanParent? = nil) -> TraceRecording? {
        guard let caller else {
            let number = begun.wrappingAdd(1, ordering: .relaxed).newValue
            guard Self.mixed(number) % oneIn == 0 else { return nil }
            return TraceRecording(
                trace: .random(in: 1...UInt128.max), parent: nil, take: take)
        }
        guard caller.isSampled else { return nil }
        let isChosen = UInt64(truncatingIfNeeded: caller.trace) % oneIn == 0 || mayDemand()
        return isChosen
            ? TraceRecording(trace: caller.trace, parent: caller.span, take: take) : nil
    }

    private func mayDemand() -> Bool {
        let second = MonotonicClock.nanoseconds() / 1_000_000_000
        return demand.withLock { demand in
            if demand.second != second { demand = Demand(second: second) }
            demand.count += 1
            return demand.count <= Self.demandedPerSecond
        }
    }

    /// Spreads consecutive numbers evenly: SplitMix64 (Steele, Lea, Flood 2014).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var value = number &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// The spans of one request or job that is traced.
package final class TraceRecording: Sendable {
    /// Maximum number of spans, so that a long batch can't fill the memory.
    package static let spanLimit = 128

    package let trace: UInt128
    /// The span of the request or the job.
    package let root: UInt64
    private let parent: UInt64?
    private let take: @Sendable ([TraceSpan]) -> Void
    /// Nanoseconds to add to a monotonic time to get nanoseconds since 1970.
    private let offset: Int
    /// The steps so far; nil once the request or job has ended.
    private let steps = Mutex<[TraceSpan]?>([])

    init(trace: UInt128, parent: UInt64?, take: @escaping @Sendable ([TraceSpan]) -> Void) {
        self.trace = trace
        self.parent = parent
        self.take = take
        root = .random(in: 1...UInt64.max)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        offset = time.tv_sec * 1_000_000_000 + time.tv_nsec - MonotonicClock.nanoseconds()
    }

    /// Records a step that has ended. Times are monotonic nanoseconds.
    package func add(
        _ name: StaticString, _ kind: TraceSpan.Kind = .internal, start: Int, end: Int,
        _ attributes: [TraceSpan.Attribute] = [], failure: String? = nil
    ) {
        let span = TraceSpan(
            trace: trace, id: .random(in: 1...UInt64.max), parent: root, kind: kind,
            name: "\(name)", start: start + offset, end: end + offset, attributes: attributes,
            failure: failure)
        steps.withLock { steps in
            if steps.map({ $0.count < Self.spanLimit }) ?? false { steps?.append(span) }
        }
    }

    /// Records the end of the request or the job, and passes all spans on. Only the first call has
    /// an effect.
    package func end(
        _ name: String, _ kind: TraceSpan.Kind, start: Int, end: Int,
        _ attributes: [TraceSpan.Attribute],
        failure: String? = nil
    ) {
        let steps = steps.withLock { steps in
            defer { steps = nil }
            return steps
        }
        guard let steps else { return }
        let span = TraceSpan(
            trace: trace, id: root, parent: parent, kind: kind, name: name, start: start + offset,
            end: end + offset, attributes: attributes, failure: failure)
        take([span] + steps)
    }
}

/// The traced requests or jobs that the current thread is working on. A round trip to the database
/// that several requests share is a step of each of them.
package enum TraceScope {
    @TaskLocal private static var recordings: [TraceRecording] = []
    /// Whether the process has a tracer. Without one, nothing but this is read.
    private static let isActive = Atomic<Bool>(false)

    static func activate() { isActive.store(true, ordering: .relaxed) }

    /// The recordings of the current thread; empty if nothing is traced.
    package static var current: [TraceRecording] {
        isActive.load(ordering: .relaxed) ? recordings : []
    }

    /// Runs work whose steps belong to a recording; with nil, they belong to the current ones.
    package static func within<Value>(
        _ recording: TraceRecording?, _ work: () throws -> Value
    ) rethrows -> Value {
        guard let recording else { return try work() }
        return try $recordings.withValue([recording]) { try work() }
    }

    /// Runs work whose steps belong to several recordings.
    package static func within<Value>(
        _ shared: [TraceRecording], _ work: () throws -> Value
    ) rethrows -> Value {
        if shared.isEmpty { return try work() }
        return try $recordings.withValue(shared) { try work() }
    }
}
