import Basics
import Domain
import Repositories
import Synchronization

/// The points of a period, by the steps of its plots.
struct PlotPoints: Sendable {
    /// Start of the first step, in seconds since 1970, and length of each step in seconds.
    let start, stepSeconds: Int64
    let steps: Int
    let points: [ConsolePoint]

    /// Beginning of the series that count requests up to a duration in seconds.
    private static let latencyPrefix = "latency "

    private func index(of point: ConsolePoint) -> Int? {
        let index = Int((point.at.seconds - start) / stepSeconds)
        return (0..<steps).contains(index) ? index : nil
    }

    /// Returns the values of all steps of a series; those without a point are 0.
    func values(of series: String) -> [Double] {
        var values = [Double](repeating: 0, count: steps)
        for point in points where point.series == series {
            if let index = index(of: point) { values[index] += point.value }
        }
        return values
    }

    /// Returns the milliseconds within which a share of the requests of each step was answered; 0
    /// without requests.
    func latencyMilliseconds(_ share: Double) -> [Double] {
        var buckets = [[Quantile.Bucket]](repeating: [], count: steps)
        for point in points where point.series.hasPrefix(Self.latencyPrefix) {
            let text = String(point.series.dropFirst(Self.latencyPrefix.count))
            guard let index = index(of: point),
                let bound = text == "+Inf" ? Double.infinity : Double(text)
            else { continue }
            buckets[index].append(Quantile.Bucket(bound: bound, count: point.value))
        }
        return buckets.map { (Quantile.value(share, $0) ?? 0) * 1_000 }
    }
}

/// Quantiles of observations that were counted in a histogram.
enum Quantile {
    /// Number of observations up to a bound.
    struct Bucket: Sendable {
        let bound, count: Double
    }

    /// Returns the value that a share of the observations does not exceed, interpolated within its
    /// bucket; the largest finite bound if it lies beyond that, and nil without observations.
    static func value(_ share: Double, _ buckets: [Bucket]) -> Double? {
        let buckets = buckets.sorted { $0.bound < $1.bound }
        guard let total = buckets.last?.count, total > 0 else { return nil }
        let rank = share * total
        var lower = Bucket(bound: 0, count: 0)
        for bucket in buckets {
            if bucket.count >= rank, bucket.count > lower.count {
                guard bucket.bound.isFinite else { return lower.bound }
                let part = (rank - lower.count) / (bucket.count - lower.count)
                return lower.bound + (bucket.bound - lower.bound) * part
            }
            lower = bucket
        }
        return nil
    }
}

/// A plot of values over time: bars in SVG, and a table with the same values.
struct Plot: Sendable {
    let title: String
    /// The value of each step.
    let values: [Double]
    /// Start of the first step, in seconds since 1970, and length of each step in seconds.
    let start, stepSeconds: Int64
    /// Whether the values are levels, such as durations, whose sum means nothing.
    var isLevel = false

    private static let width = 320.0
    private static let height = 84.0

    /// The figure as HTML.
    var html: HTML {
        let highest = values.max() ?? 0
        let most = max(highest, 1)
        let summary: String =
            if !isLevel {
                Self.text(values.reduce(0, +))
            } else if highest > 0 {
                "\(Self.text(highest)) at most"
            } else {
                "none"
            }
        // Without bars there is no scale.
        let scale: HTML =
            highest > 0 ? "<text x=\"0\" y=\"97\">\(Self.text(most)) at most</text>" : ""
        let barWidth = Self.width / Double(max(values.count, 1))
        let bars = values.enumerated().reduce(into: HTML("")) { html, bar in
            guard bar.element > 0 else { return }
            let height = max(1, bar.element / most * Self.height)
            html = """
                \(html)<rect class="bar" x="\(Self.text(Double(bar.offset) * barWidth + 0.5))" \
                y="\(Self.text(Self.height - height))" width="\(Self.text(max(1, barWidth - 1)))" \
                height="\(Self.text(height))"/>
                """
        }
        let rows = values.enumerated().filter { $0.element > 0 }.map { index, value in
            [
                ConsoleParts.time(
                    Timestamp(microseconds: (start + Int64(index) * stepSeconds) * 1_000_000)),
                HTML(stringLiteral: Self.text(value)),
            ]
        }
        return """
            <figure class="plot">
            <figcaption>\(title): \(summary)</figcaption>
            <svg viewBox="0 0 320 100" preserveAspectRatio="none" aria-hidden="true" \
            focusable="false">\(bars)<path class="axis" d="M0 84.5H320"/>\
            \(scale)</svg>
            <details><summary>As a table</summary>
            \(ConsoleParts.table(title, ["From", "Value"], rows, empty: "Nothing in this time."))\
            </details>
            </figure>

            """
    }

    /// Returns a number with at most one decimal.
    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

/// The points of the overview's plots, read at most once a minute however many pages are open.
final class PlotCache: Sendable {
    /// A period that the overview shows.
    enum Period: String, CaseIterable, Sendable {
        case day = "24 hours"
        case week = "7 days"

        var stepSeconds: Int64 { self == .day ? 3_600 : 21_600 }
        var steps: Int { self == .day ? 24 : 28 }
        var step: String { "\(stepSeconds) seconds" }

        /// Returns the start of the first step. The last step is the current one.
        func start(_ now: Int64) -> Int64 {
            (now / stepSeconds + 1 - Int64(steps)) * stepSeconds
        }
    }

    private let caches = Dictionary(
        uniqueKeysWithValues: Period.allCases.map {
            ($0, TimedCache<[ConsolePoint]?>(seconds: 60))
        })

    init() {}

    /// Returns the points of a period, from memory if they were read in the last minute; nil if
    /// they can't be read, or if another page's read takes too long.
    ///
    /// - Parameter read: Reads the points; nil if that fails. Nil is cached as well, so that no
    ///   page waits again for a read that takes too long.
    func points(
        _ period: Period, now: Int64, _ read: () -> [ConsolePoint]?
    ) -> [ConsolePoint]? {
        (try? caches[period]?.value(now: now, read)) ?? nil
    }
}
