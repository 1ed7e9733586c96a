import Basics
import Synchronization

/// All series of one metric name, one for each combination of label values.
///
/// All of them are created at the start. For frequent counting, look a series up once and keep it.
package final class MetricFamily<Kind: Instrument>: ExposedMetric {
    let header: Header
    private let labels: [MetricLabel]
    private let indices: [[String: Int]]
    private let all: [Kind]
    /// Indices of the series that are exposed as 0 before their first count.
    private let shown: Set<Int>

    /// Creates a family.
    ///
    /// - Parameter shown: Label values of the series that are exposed as 0 before their first
    ///   count; nil for the default.
    init(
        _ header: Header, _ labels: [MetricLabel], shown combinations: [[String]]? = nil,
        make: () -> Kind
    ) {
        self.header = header
        self.labels = labels
        let indices = labels.map { label in
            Dictionary(
                label.values.enumerated().map { ($0.element, $0.offset) },
                uniquingKeysWith: { first, _ in first })
        }
        self.indices = indices
        let count = labels.reduce(1) { $0 * $1.values.count }
        precondition(count <= 20_000, "\(header.name) has too many series: \(count)")
        all = (0..<count).map { _ in make() }
        shown =
            combinations.map { Set($0.map { Self.position(of: $0, labels, indices) }) }
            ?? Self.initiallyShown(labels)
    }

    /// Returns the indices of the series that are shown by default before their first count: all
    /// series of a counter with one label, except `other`, so that the first event is visible as a
    /// change. Most combinations of several labels never occur.
    private static func initiallyShown(_ labels: [MetricLabel]) -> Set<Int> {
        if labels.isEmpty { return [0] }
        guard labels.count == 1, Kind.self == Counter.self else { return [] }
        return Set(labels[0].values.indices.filter { labels[0].values[$0] != MetricLabel.other })
    }

    /// The series with these label values, in the order of the labels. An undeclared value is
    /// treated as `other`.
    package subscript(_ values: String...) -> Kind {
        series(values)
    }

    /// Returns the series of all values of the last label, in their order, for the given values of
    /// the other labels.
    package func row(_ values: String...) -> ArraySlice<Kind> {
        let width = labels.last?.values.count ?? 1
        precondition(values.count == labels.count - 1, "\(header.name) has \(labels.count) labels")
        let start = position(of: values) * width
        return all[start..<start + width]
    }

    func series(_ values: [String]) -> Kind {
        precondition(values.count == labels.count, "\(header.name) has \(labels.count) labels")
        return all[position(of: values)]
    }

    /// Returns the index among the series of the first labels.
    private func position(of values: [String]) -> Int {
        Self.position(of: values, labels, indices)
    }

    private static func position(
        of values: [String], _ labels: [MetricLabel], _ indices: [[String: Int]]
    ) -> Int {
        var position = 0
        for (index, value) in values.enumerated() {
            // `other` is the last value, unless it is declared elsewhere in the list.
            let valueIndex = indices[index][value] ?? indices[index][MetricLabel.other] ?? 0
            position = position * labels[index].values.count + valueIndex
        }
        return position
    }

    func write(to text: inout MetricText) {
        text.header(header)
        for (position, series) in all.enumerated()
        where series.isTouched || shown.contains(position) {
            series.write(header.name, labelText(position), to: &text)
        }
    }

    private func labelText(_ position: Int) -> String {
        var rest = position
        var pairs: [String] = []
        for label in labels.reversed() {
            let value = label.values[rest % label.values.count]
            pairs.append("\(label.name)=\"\(MetricText.escaped(value))\"")
            rest /= label.values.count
        }
        return pairs.reversed().joined(separator: ",")
    }
}

/// A gauge whose value is queried when metrics are read.
final class SampledFamily: ExposedMetric {
    let header: Header
    private let value: @Sendable () -> Double?

    init(_ header: Header, value: @escaping @Sendable () -> Double?) {
        self.header = header
        self.value = value
    }

    func write(to text: inout MetricText) {
        guard let value = value() else { return }
        text.header(header)
        text.sample(header.name, "", "", MetricText.number(value))
    }
}

/// Gauges whose labels and values are queried when metrics are read.
final class SampledSeries: ExposedMetric {
    private static let limit = 1_000

    let header: Header
    private let labels: [StaticString]
    private let samples: @Sendable () -> [(labels: [String], value: Double)]

    init(
        _ header: Header, _ labels: [StaticString],
        samples: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        self.header = header
        self.labels = labels
        self.samples = samples
    }

    func write(to text: inout MetricText) {
        let samples = samples().prefix(Self.limit)
        guard !samples.isEmpty else { return }
        text.header(header)
        for sample in samples {
            let pairs = zip(labels, sample.labels)
                .map { "\($0)=\"\(MetricText.escaped($1))\"" }
            text.sample(
                header.name, "", pairs.joined(separator: ","), MetricText.number(sample.value))
        }
    }
}

/// All series of one metric name.
protocol ExposedMetric: Sendable {
    var header: Header { get }
    func write(to text: inout MetricText)
}

/// Name, help and type of a metric.
struct Header: Sendable {
    let name: StaticString
    let help: StaticString
    let type: StaticString

    init(_ name: StaticString, _ help: StaticString, type: StaticString) {
        self.name = name
        self.help = help
        self.type = type
    }
}

/// Metrics in one of the text formats.
package struct MetricText {
    let format: MetricsFormat
    private(set) var text = ""

    init(format: MetricsFormat) { self.format = format }

    mutating func header(_ header: Header) {
        var name = "\(header.name)"
        // OpenMetrics names a counter without the suffix of its sample.
        if format == .openMetrics, "\(header.type)" == "counter", name.hasSuffix("_total") {
            name.removeLast("_total".count)
        }
        text += "# HELP \(name) \(header.help)\n# TYPE \(name) \(header.type)\n"
    }

    /// Ends the text as the format requires.
    mutating func end() {
        if format == .openMetrics { text += "# EOF\n" }
    }

    mutating func sample(
        _ name: StaticString, _ suffix: String, _ labels: String, _ value: String
    ) {
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)\(suffix)\(braces) \(value)\n"
    }

    static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the upper bound of a bucket, which is written as `1.0` in OpenMetrics.
    func bound(_ value: Double) -> String {
        format == .openMetrics ? String(value) : Self.number(value)
    }

    /// Returns `1` rather than `1.0`, and infinities and NaN as the formats spell them.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }
}

/// A number that only increases.
package final class Counter: Instrument {
    private let counts = StripedCounts(1)

    init() {}

    /// Increases the counter. `amount` must not be negative.
    package func add(_ amount: Int = 1) { counts.add(amount) }

    /// The total so far.
    package var current: Int { counts.sum() }

    /// Whether anything has been counted.
    package var isTouched: Bool { current != 0 }

    /// Writes the counter's sample.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        text.sample(name, "", labels, String(current))
    }
}

/// A number that goes up and down.
package final class Gauge: Instrument {
    private let value = Atomic<Int>(0)

    init() {}

    /// Sets the value.
    package func set(_ new: Int) {
        value.store(new, ordering: .relaxed)
    }

    /// The current value.
    package var current: Int { value.load(ordering: .relaxed) }

    /// Whether the value is not 0.
    package var isTouched: Bool { current != 0 }

    /// Writes the gauge's sample.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        text.sample(name, "", labels, String(current))
    }
}

/// Distribution of durations.
package final class Histogram: Instrument {
    /// Bounds for requests, which take from a tenth of a millisecond to seconds.
    package static let requestBucketsSeconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let boundsSeconds: [Double]
    private let boundsNanoseconds: [Int]
    /// Counters: one for each bound, one for longer durations, and last their sum in nanoseconds.
    private let counts: StripedCounts

    init(boundsSeconds: [Double]) {
        precondition(
            !boundsSeconds.isEmpty && zip(boundsSeconds, boundsSeconds.dropFirst()).allSatisfy(<),
            "the bounds of a histogram must ascend")
        self.boundsSeconds = boundsSeconds
        boundsNanoseconds = boundsSeconds.map { Int(($0 * 1e9).rounded()) }
        counts = StripedCounts(boundsSeconds.count + 2)
    }

    /// Records one observation.
    package func observe(nanoseconds: Int) {
        // There are few bounds and most values are below the first ones, so a linear scan is faster
        // than a binary search.
        var index = 0
        while index < boundsNanoseconds.count, nanoseconds > boundsNanoseconds[index] { index += 1 }
        counts.add(1, to: index)
        counts.add(nanoseconds, to: boundsNanoseconds.count + 1)
    }

    /// Whether anything has been observed.
    package var isTouched: Bool { (0...boundsSeconds.count).contains { counts.sum($0) != 0 } }

    /// Writes the histogram's samples. The count is the sum of the buckets written, so that they
    /// agree while other threads count; the sum of durations may be a few observations ahead or
    /// behind.
    package func write(_ name: StaticString, _ labels: String, to text: inout MetricText) {
        let comma = labels.isEmpty ? "" : ","
        var total = 0
        for index in 0...boundsSeconds.count {
            total += counts.sum(index)
            let bound =
                index < boundsSeconds.count ? text.bound(boundsSeconds[index]) : "+Inf"
            text.sample(name, "_bucket", "\(labels)\(comma)le=\"\(bound)\"", String(total))
        }
        let sum = Double(counts.sum(boundsSeconds.count + 1)) / 1e9
        text.sample(name, "_sum", labels, MetricText.number(sum))
        text.sample(name, "_count", labels, String(total))
    }
}

/// A counter, gauge or histogram.
package protocol Instrument: AnyObject, Sendable {
    /// Whether the metric's value shows that it has been used.
    var isTouched: Bool { get }
    /// Writes the samples.
    func write(_ name: StaticString, _ labels: String, to text: inout MetricText)
}
