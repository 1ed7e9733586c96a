/// A timed step of a request or a job, for a collector of traces.
///
/// Its name and attributes come from the source code and from closed sets of names, or are numbers.
/// Text from people or clients, ids, and parameters of statements never get into a span.
package struct TraceSpan: Sendable {
    /// Kind of a span, by its number in OTLP.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
        case consumer = 5
    }

    /// The value of an attribute.
    package enum Value: Sendable, Equatable {
        case literal(StaticString)
        /// A name from a closed set, such as the code of a refusal or a kind of job.
        case name(String)
        case integer(Int)

        package static func == (a: Value, b: Value) -> Bool {
            switch (a, b) {
            case (.integer(let a), .integer(let b)): a == b
            case (.integer, _), (_, .integer): false
            default: a.text == b.text
            }
        }

        /// The value as text.
        package var text: String {
            switch self {
            case .literal(let text): "\(text)"
            case .name(let name): name
            case .integer(let number): "\(number)"
            }
        }
    }

    /// A named value that describes the step.
    package struct Attribute: Sendable {
        package let name: StaticString
        package let value: Value

        package init(_ name: StaticString, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// Id of the trace; never 0.
    package let trace: UInt128
    /// Id of the span; never 0.
    package let id: UInt64
    /// Id of the span that contains this one; nil for the first span of a trace.
    package let parent: UInt64?
    package let kind: Kind
    package let name: String
    /// Times in nanoseconds since 1970.
    package let start, end: Int
    package let attributes: [Attribute]
    /// The kind of failure, from a closed set; nil if the step did not fail.
    package let failure: String?
}

/// The span of the calling process to which a request belongs.
package struct SpanParent: Sendable {
    /// Id of the trace; never 0.
    package let trace: UInt128
    /// Id of the caller's span; never 0.
    package let span: UInt64
    /// Whether the caller records the trace.
    package let isSampled: Bool

    package init(trace: UInt128, span: UInt64, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }
}
