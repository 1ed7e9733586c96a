import HTTPServer

/// Finds the endpoint of a request.
struct RouteFinder: Sendable {
    /// An endpoint, and what the path said.
    struct Found {
        let endpoint: Endpoint
        fileprivate let parameters: PathParameters

        /// Where the endpoint's inputs are read from.
        func source(of request: Request) throws(Problem) -> InputSource {
            let operation = endpoint.operation
            var body = RequestBody.none
            let takesJSON = endpoint.takesBody && !operation.takesForm
            if takesJSON {
                body =
                    operation.takesDocument
                    ? try RequestBody.readDocument(request.body)
                    : try RequestBody.read(request.body)
            }
            let source = InputSource(
                parameters: parameters, query: request.query, headers: request.headers, body: body)
            if takesJSON, !operation.takesDocument {
                do {
                    try RequestBody.check(body, allowing: operation.bodyNames)
                } catch {
                    throw error.with(others: operation.wrongFields(in: source))
                }
            }
            return source
        }
    }

    private var router = Router<Endpoint>()
    /// The methods of the paths without parameters.
    private var literal: [[String]: [Method]] = [:]
    /// The endpoints of fixed paths, by the path as sent: most requests are found by one lookup.
    private var exact: [String: [(method: Method, endpoint: Endpoint)]] = [:]

    init(_ table: [Endpoint]) {
        for endpoint in table {
            let pattern = "\(endpoint.pattern)"
            router.add(endpoint.method, pattern, endpoint)
            if !pattern.contains(":") {
                exact[pattern, default: []].append((endpoint.method, endpoint))
                let segments = pattern.dropFirst().split(
                    separator: "/", omittingEmptySubsequences: false)
                literal[segments.map { String($0) }, default: []].append(endpoint.method)
            }
        }
    }

    /// - Throws: 404 or 405.
    ///
    /// A fixed path wins over patterns that it also matches. With a method that only the pattern
    /// has, it is 405.
    func route(of request: Request) throws(Problem) -> Found {
        if let known = exact[request.path]?.first(where: { $0.method == request.method }) {
            return Found(endpoint: known.endpoint, parameters: PathParameters())
        }
        let match = router.match(request.method, request.segments)
        if case .found(let route, let parameters) = match,
            parameters == PathParameters() || literal[request.segments] == nil
        {
            return Found(endpoint: route.endpoint, parameters: parameters)
        }
        if let methods = literal[request.segments] {
            let withHead = methods + (methods.contains(.get) ? [.head] : [])
            throw .methodNotAllowed(withHead.sorted { $0.name < $1.name })
        }
        if case .methodNotAllowed(let methods) = match { throw .methodNotAllowed(methods) }
        throw .routeNotFound
    }
}
