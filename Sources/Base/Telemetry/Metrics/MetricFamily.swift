/// The series of one name, one for each combination of its labels' values.
///
/// All are made at the start. Look a series up once and keep it where counting is frequent.
package final class MetricFamily<Kind: Instrument>: ExposedMetric {
    let header: Header
    private let labels: [MetricLabel]
    private let indices: [[String: Int]]
    private let all: [Kind]

    init(_ header: Header, _ labels: [MetricLabel], make: () -> Kind) {
        self.header = header
        self.labels = labels
        indices = labels.map { label in
            Dictionary(
                label.values.enumerated().map { ($0.element, $0.offset) },
                uniquingKeysWith: { first, _ in first })
        }
        let count = labels.reduce(1) { $0 * $1.values.count }
        precondition(count <= 20_000, "\(header.name) has too many series: \(count)")
        all = (0..<count).map { _ in make() }
    }

    /// The series with these values, in the order of the labels; an undeclared value counts as
    /// `other`.
    package subscript(_ values: String...) -> Kind {
        series(values)
    }

    func series(_ values: [String]) -> Kind {
        precondition(values.count == labels.count, "\(header.name) has \(labels.count) labels")
        var position = 0
        for (index, value) in values.enumerated() {
            // `other` is always the last value, if it isn't declared elsewhere.
            let known = indices[index][value] ?? indices[index][MetricLabel.other] ?? 0
            position = position * labels[index].values.count + known
        }
        return all[position]
    }

    /// With several labels, and for histograms, only series that ever counted are shown, because
    /// most combinations never occur. Counters with one label begin at 0, so that the first event
    /// is visible as a change.
    func write(to text: inout MetricText) {
        text.header(header)
        let showsZeros = labels.isEmpty || (labels.count == 1 && Kind.self == Counter.self)
        for (position, series) in all.enumerated() {
            let isOther = labels.count == 1 && labels[0].values[position] == MetricLabel.other
            if series.isTouched || (showsZeros && !isOther) {
                series.write(header.name, labelText(position), to: &text)
            }
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

/// A gauge that is asked when metrics are read.
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

/// Gauges that are asked, with their labels, when metrics are read.
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

/// All series of one name.
protocol ExposedMetric: Sendable {
    var header: Header { get }
    func write(to text: inout MetricText)
}

/// The header of the series of one name.
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

/// Lines of Prometheus's text format.
package struct MetricText {
    private(set) var text = ""

    mutating func header(_ header: Header) {
        text += "# HELP \(header.name) \(header.help)\n# TYPE \(header.name) \(header.type)\n"
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

    /// `1`, not `1.0`; infinities and NaN as the format spells them.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }
}
