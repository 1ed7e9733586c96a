/// A route: the endpoint of a method and a path pattern.
package struct Route<Endpoint: Sendable>: Sendable {
    package let method: Method
    /// The pattern as given, such as `/api/family/members/:memberId`: the label for metrics.
    package let pattern: String
    package let endpoint: Endpoint
}

/// Finds the route of a request.
///
/// Patterns consist of literal segments and `:name` segments, which match any single segment that
/// is not empty. If several patterns match a path, one with a literal wins over one with a
/// parameter at the first segment where they differ, whatever their methods. `HEAD` finds the route
/// of `GET` unless it has its own.
package struct Router<Endpoint: Sendable>: Sendable {
    /// The outcome of a lookup.
    package enum Match: Sendable {
        case found(Route<Endpoint>, PathParameters)
        /// The path exists, but not with this method; `allow` lists its methods, sorted, for
        /// `Allow`.
        case methodNotAllowed(allow: [Method])
        case notFound
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var routes: [(names: [String], route: Route<Endpoint>)] = []
    }

    private var nodes = [Node()]

    /// All routes, in the order in which they were added.
    package private(set) var routes: [Route<Endpoint>] = []

    /// Creates a router without routes.
    package init() {}

    /// Adds a route. It is a programming error, and ends the process, if a pattern does not begin
    /// with a slash, has a duplicate or empty parameter name, or already exists with this method.
    package mutating func add(_ method: Method, _ pattern: String, _ endpoint: Endpoint) {
        precondition(pattern.hasPrefix("/"), "\(pattern) does not begin with a slash")
        var node = 0
        var names: [String] = []
        for segment in pattern.dropFirst().split(
            separator: "/", omittingEmptySubsequences: false)
        {
            if segment.hasPrefix(":") {
                let name = String(segment.dropFirst())
                precondition(!name.isEmpty && !names.contains(name), "\(pattern): name \(segment)")
                names.append(name)
                node = nodes[node].parameter ?? addNode { $0[node].parameter = $1 }
            } else {
                let literal = String(segment)
                node = nodes[node].literals[literal] ?? addNode { $0[node].literals[literal] = $1 }
            }
        }
        precondition(
            !nodes[node].routes.contains { $0.route.method == method },
            "\(method.name) \(pattern) is declared twice")
        let route = Route(method: method, pattern: pattern, endpoint: endpoint)
        nodes[node].routes.append((names, route))
        routes.append(route)
    }

    /// Returns the route for a method and a path's decoded segments.
    package func match(_ method: Method, _ segments: [String]) -> Match {
        var values: [String] = []
        guard let node = search(0, segments[...], &values) else { return .notFound }
        let routes = nodes[node].routes
        let found =
            routes.first { $0.route.method == method }
            ?? (method == .head ? routes.first { $0.route.method == .get } : nil)
        if let found {
            var parameters = PathParameters()
            for (name, value) in zip(found.names, values) { parameters.add(name, value) }
            return .found(found.route, parameters)
        }
        var allowed = Set(routes.map(\.route.method.name))
        if allowed.contains(Method.get.name) { allowed.insert(Method.head.name) }
        return .methodNotAllowed(allow: allowed.sorted().map { Method($0) })
    }

    /// Finds the first node with routes: depth first, literals before parameters; visits each node
    /// of the tree at most once.
    private func search(
        _ index: Int, _ segments: ArraySlice<String>, _ values: inout [String]
    ) -> Int? {
        let node = nodes[index]
        guard let segment = segments.first else { return node.routes.isEmpty ? nil : index }
        let rest = segments.dropFirst()
        if let next = node.literals[segment], let found = search(next, rest, &values) {
            return found
        }
        guard let next = node.parameter, !segment.isEmpty else { return nil }
        values.append(segment)
        if let found = search(next, rest, &values) { return found }
        values.removeLast()
        return nil
    }

    private mutating func addNode(_ link: (inout [Node], Int) -> Void) -> Int {
        nodes.append(Node())
        link(&nodes, nodes.count - 1)
        return nodes.count - 1
    }
}
