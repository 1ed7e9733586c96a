import CBuild
import Configuration
import Glibc
import Synchronization

/// Metrics of the service, in Prometheus's text format 0.0.4 or OpenMetrics 1.0.
///
/// Everything is declared at the start: names, help, and the values that each label can have, so
/// that no caller can make the set of series grow. Counting takes no lock, only one atomic
/// addition.
package final class Metrics: Sendable {
    private let families = Mutex<[any ExposedMetric]>([])

    /// Creates an empty set of metrics.
    package init() {}

    /// Declares a counter without labels. Its name must end in `_total`.
    package func counter(_ name: StaticString, _ help: StaticString) -> Counter {
        counters(name, help, []).series([])
    }

    /// Declares counters, one for each combination of label values.
    ///
    /// - Parameter shown: The combinations that are shown as 0 before their first count, because an
    ///   alert would miss the first event otherwise. Nil: all values of a single label, and no
    ///   combinations of several labels.
    package func counters(
        _ name: StaticString, _ help: StaticString, _ labels: [MetricLabel],
        shown: [[String]]? = nil
    ) -> MetricFamily<Counter> {
        add(MetricFamily(Header(name, help, type: "counter"), labels, shown: shown) { Counter() })
    }

    /// Declares a gauge without labels.
    package func gauge(_ name: StaticString, _ help: StaticString) -> Gauge {
        gauges(name, help, []).series([])
    }

    /// Declares gauges, one for each combination of label values.
    package func gauges(
        _ name: StaticString, _ help: StaticString, _ labels: [MetricLabel]
    ) -> MetricFamily<Gauge> {
        add(MetricFamily(Header(name, help, type: "gauge"), labels) { Gauge() })
    }

    /// Declares a gauge whose value is queried when metrics are read; nil leaves it out.
    ///
    /// The reading thread calls `value`, which must neither wait nor use a database.
    package func gauge(
        _ name: StaticString, _ help: StaticString, value: @escaping @Sendable () -> Double?
    ) {
        _ = add(SampledFamily(Header(name, help, type: "gauge"), value: value))
    }

    /// Declares a counter that is kept elsewhere and queried when metrics are read; nil leaves it
    /// out.
    package func sampledCounter(
        _ name: StaticString, _ help: StaticString, value: @escaping @Sendable () -> Double?
    ) {
        _ = add(SampledFamily(Header(name, help, type: "counter"), value: value))
    }

    /// Declares gauges whose series and values are queried when metrics are read; an empty list
    /// leaves them out.
    ///
    /// `samples` returns an entry for each series: its label values, in the order of `labels`, and
    /// its value. At most 1,000 entries are used. The reading thread calls `samples`, which must
    /// neither wait nor use a database.
    package func gauges(
        _ name: StaticString, _ help: StaticString, _ labels: [StaticString],
        samples: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        _ = add(SampledSeries(Header(name, help, type: "gauge"), labels, samples: samples))
    }

    /// Declares counters that are kept elsewhere and queried when metrics are read, like
    /// ``gauges(_:_:_:samples:)``.
    package func sampledCounters(
        _ name: StaticString, _ help: StaticString, _ labels: [StaticString],
        samples: @escaping @Sendable () -> [(labels: [String], value: Double)]
    ) {
        _ = add(SampledSeries(Header(name, help, type: "counter"), labels, samples: samples))
    }

    /// Declares histograms of durations, one for each combination of label values.
    ///
    /// `bucketsSeconds` are the upper bounds, ascending.
    package func histograms(
        _ name: StaticString, _ help: StaticString, _ labels: [MetricLabel],
        bucketsSeconds: [Double] = Histogram.requestBucketsSeconds
    ) -> MetricFamily<Histogram> {
        add(
            MetricFamily(Header(name, help, type: "histogram"), labels) {
                Histogram(boundsSeconds: bucketsSeconds)
            })
    }

    /// Returns all metrics, in the order they were declared.
    package func text(in format: MetricsFormat = .prometheus) -> String {
        var text = MetricText(format: format)
        for family in families.withLock({ $0 }) { family.write(to: &text) }
        text.end()
        return text.text
    }

    private func add<Added: ExposedMetric>(_ family: Added) -> Added {
        families.withLock { families in
            let name = family.header.name
            precondition(
                !families.contains { "\($0.header.name)" == "\(name)" }, "\(name) is declared twice"
            )
            families.append(family)
        }
        return family
    }
}

/// A label and all values it can have.
package struct MetricLabel: Sendable {
    let name: StaticString
    let values: [String]

    /// Creates a label with the values it can have. Any other value is counted as `other`, which
    /// need not be listed.
    package init(_ name: StaticString, _ values: [String]) {
        self.name = name
        self.values = values.contains(Self.other) ? values : values + [Self.other]
    }

    static let other = "other"
}

extension Metrics {
    /// Adds metrics of the process itself, under the names that dashboards expect.
    package func addProcess() {
        let started = Double(WallClock.system.now()) / 1000
        gauge("process_start_time_seconds", "Start time, in seconds since 1970.") { started }
        gauge("process_resident_memory_bytes", "Resident memory, in bytes.") {
            // The second number is the resident set in pages. If it can't be read, the metric is
            // left out.
            guard let text = try? TextFile.read("/proc/self/statm", limitBytes: 4096) else {
                return nil
            }
            let words = text.split(separator: " ")
            guard words.count > 1, let pages = Double(words[1]) else { return nil }
            return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
        }
        sampledCounter("process_cpu_seconds_total", "Processor time used, in seconds.") {
            var usage = rusage()
            guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
            return Double(seconds) + Double(micros) / 1e6
        }
    }
}

extension Metrics {
    /// Adds the build information, so that changes in other metrics can be related to releases.
    package func addBuild(version: String) {
        let values = [
            version, Self.buildRevision, Self.swiftVersion,
        ]
        gauges(
            "hearth_build_info", "Build information; always 1.",
            ["version", "revision", "swift_version"]
        ) { [(values, 1)] }
    }

    /// The revision from which the program was built; empty if it is unknown.
    package static var buildRevision: String { String(cString: hearth_build_revision()) }

    /// The compiler's version, as precisely as source code can find out.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4+"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
