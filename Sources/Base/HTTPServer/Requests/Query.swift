/// The parameters behind a path's question mark, decoded as forms are (`+` is a space).
package struct Query: Sendable, Equatable {
    /// A name and a value, decoded.
    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// All parameters, in order; one without `=` has an empty value.
    package let parameters: [Parameter]

    init() { parameters = [] }

    /// Reads `a=1&b=2`; nil if an escape is malformed or does not decode to text.
    package init?(parsing text: Substring) {
        var parameters: [Parameter] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(Substring(parts[0]), plusIsSpace: true),
                let value = PercentEncoding.decode(
                    parts.count > 1 ? Substring(parts[1]) : "", plusIsSpace: true)
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// All values of that name, in order.
    package func values(_ name: String) -> [String] {
        parameters.filter { $0.name == name }.map(\.value)
    }
}

/// The values of a pattern's `:name` segments in a path.
package struct PathParameters: Sendable, Equatable {
    private var values: [(name: String, value: String)] = []

    package init() {}

    /// The decoded segment at `:name`, or nil if the pattern has no such name.
    package subscript(name: String) -> String? {
        values.first { $0.name == name }?.value
    }

    mutating func add(_ name: String, _ value: String) { values.append((name, value)) }

    package static func == (left: PathParameters, right: PathParameters) -> Bool {
        left.values.elementsEqual(right.values) { $0 == $1 }
    }
}
