import Synchronization

/// A number that only grows.
package final class Counter: Instrument {
    private let value = Atomic<Int>(0)

    init() {}

    /// Adds to it. `amount` is not negative.
    package func add(_ amount: Int = 1) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The total so far.
    package var current: Int { value.load(ordering: .relaxed) }

    /// Whether anything was counted.
    package var isTouched: Bool { current != 0 }

    /// Writes its samples.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        text.sample(name, "", labels, String(current))
    }
}

/// A number that goes up and down.
package final class Gauge: Instrument {
    private let value = Atomic<Int>(0)

    init() {}

    /// Sets it.
    package func set(_ new: Int) {
        value.store(new, ordering: .relaxed)
    }

    /// The current value.
    package var current: Int { value.load(ordering: .relaxed) }

    /// Whether anything was counted.
    package var isTouched: Bool { current != 0 }

    /// Writes its samples.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        text.sample(name, "", labels, String(current))
    }
}

/// How often something took how long.
package final class Histogram: Instrument {
    /// Bounds for requests, which take from a tenth of a millisecond to seconds.
    package static let requestBucketsSeconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let boundsSeconds: [Double]
    private let boundsNanoseconds: [Int]
    /// One for each bound, and the last for what is beyond them.
    private let counts: [Counter]
    private let sumNanoseconds = Atomic<Int>(0)

    init(boundsSeconds: [Double]) {
        precondition(
            !boundsSeconds.isEmpty && zip(boundsSeconds, boundsSeconds.dropFirst()).allSatisfy(<),
            "the bounds of a histogram ascend")
        self.boundsSeconds = boundsSeconds
        boundsNanoseconds = boundsSeconds.map { Int(($0 * 1e9).rounded()) }
        counts = (0...boundsSeconds.count).map { _ in Counter() }
    }

    /// Counts one that took so long.
    package func observe(nanoseconds: Int) {
        // There are few bounds and most values are below the first ones, so a linear scan beats a
        // search.
        var index = 0
        while index < boundsNanoseconds.count, nanoseconds > boundsNanoseconds[index] { index += 1 }
        counts[index].add()
        sumNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// Whether anything was counted.
    package var isTouched: Bool { counts.contains { $0.isTouched } }

    /// Writes its samples. The count is that of the buckets shown, so that they agree while others
    /// count; the sum of durations may be a few observations ahead or behind.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        let comma = labels.isEmpty ? "" : ","
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count.current
            let bound =
                index < boundsSeconds.count ? MetricText.number(boundsSeconds[index]) : "+Inf"
            text.sample(name, "_bucket", "\(labels)\(comma)le=\"\(bound)\"", String(total))
        }
        let sum = Double(sumNanoseconds.load(ordering: .relaxed)) / 1e9
        text.sample(name, "_sum", labels, MetricText.number(sum))
        text.sample(name, "_count", labels, String(total))
    }
}

/// An instrument of a metric.
package protocol Instrument: AnyObject, Sendable {
    /// Whether it ever counted, as far as its values show.
    var isTouched: Bool { get }
    /// Writes its samples.
    func write(_ name: StaticString, _ labels: String, to text: inout MetricText)
}
