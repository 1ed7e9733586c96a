import HTTPServer

/// What an address serves.
package enum Exposure: Sendable {
    /// Everything.
    case whole
    /// All but what is served to operators at an address of their own.
    case clients
    /// Only health and metrics.
    case operators

    /// Paths that must respond even while every thread waits for the database; they don't need it.
    package static let urgentPaths: Set<String> = ["/healthz", "/metrics"]

    private static let operations = ["healthz", "readyz", "metrics"]
    private static let operatorsOnly = ["readyz", "metrics"]

    /// - Throws: 404 for what is not served here.
    func check(_ request: Request) throws(Problem) {
        let name = request.segments.count == 1 ? request.segments[0] : ""
        switch self {
        case .whole: return
        case .clients: if Self.operatorsOnly.contains(name) { throw .routeNotFound }
        case .operators: if !Self.operations.contains(name) { throw .routeNotFound }
        }
    }
}
