import HTTPServer
import Postgres
import Telemetry
import UseCases

/// Translates failures into the problems that clients get.
struct FailureTable: Sendable {
    private let services: Services

    init(_ services: Services) { self.services = services }

    /// Returns the problem for a failure. Bugs and outages are logged here, once.
    func problem(_ error: any Error, of exchange: Exchange) -> Problem {
        let id = exchange.id
        switch error {
        case let problem as Problem: return problem
        case is PasswordsBusy: return .unavailable
        case let failure as LinkKeyMissing:
            services.log.error(
                "could not recover an invitation's link", [.requestID(id), .error(failure)])
            return .unavailable
        case let refusal as Refusal:
            // A missing limit is a bug in the route table, not in a request; the tests' builds
            // check it.
            assert(
                exchange.endpoint.declares(refusal),
                "the route table lacks a limit of \(exchange.endpoint.operation.name): \(refusal)")
            services.codeAlarm.count(refusal)
            services.meters.count(refusal)
            return Problem(refusal)
        case let failure as RestFailure where failure.mayHaveChangedData:
            services.log.warning(
                "PostgREST did not confirm a change: its outcome is unknown",
                [.requestID(id), .error(failure)])
            return .outcomeUnknown
        case let failure as RestFailure:
            services.log.warning("PostgREST is unreachable", [.requestID(id), .error(failure)])
            return .unavailable
        case let failure as PostgresError: return outage(failure, id)
        default:
            services.log.error("a request failed", [.requestID(id), .error(error)])
            return .internalFault
        }
    }

    private func outage(_ failure: PostgresError, _ id: RequestID) -> Problem {
        let problem = Problem.of(failure)
        let fields: [LogField] = [.requestID(id), .error(failure)]
        switch problem.code {
        case _ where failure.needsServerRestart:
            services.log.error(
                "restart PostgreSQL: its files were replaced while it was running", fields)
        case .fault(.internal):
            services.log.error("the database returned an unexpected error", fields)
        case .fault(.databaseAway): services.log.error("the database's disk is full", fields)
        case .fault(.databaseBusy): services.log.warning("the database is busy", fields)
        case .fault(.outcomeUnknown):
            services.log.warning("a commit was not confirmed: its outcome is unknown", fields)
        default: services.log.warning("the database is unreachable", fields)
        }
        return problem
    }
}
