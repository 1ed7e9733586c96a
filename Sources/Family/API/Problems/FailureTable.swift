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
            return Problem(refusal).describingCodes(as: services.formOfCodes)
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

// Translates failures other than refusals into problems: those of the database and the HTTP server.

extension Problem {
    /// Returns the problem with the form of the site's own family codes, if its message names the
    /// form of codes of six characters.
    fileprivate func describingCodes(as form: String) -> Problem {
        guard code == .refusal(.codeMalformed) else { return self }
        var problem = Problem(code, message.replacing("FAM-XXXXXX", with: form), headers)
        problem.wrongFields = wrongFields
        return problem
    }

    /// Returns the problem for a failure between Hearth and its database: a temporary outage or a
    /// bug, without details.
    static func of(_ error: PostgresError) -> Problem {
        switch error.code {
        case .commitUnknown: outcomeUnknown
        case _ where error.isOfFullDisk: databaseAway
        case _ where error.isOfBusyServer: databaseBusy
        case .connectionFailed, .connectionLost, .deadlineExceeded, .poolExhausted, .poolClosed:
            unavailable
        case .server where error.needsServerRestart: unavailable
        case .server where error.sqlState == .readOnlyTransaction || error.isRetriable: unavailable
        case .server, .decoding, .unexpectedRows, .settings: internalFault
        }
    }

    /// Returns the problem for a fault that the HTTP server found.
    static func of(_ fault: ServerFault) -> Problem {
        switch fault {
        case .malformed: Problem(.malformedRequest, fault.detail)
        case .bodyTooLarge: Problem(.bodyTooLarge, fault.detail)
        case .headersTooLarge, .tooManyHeaders, .tooManyTrailers, .trailersTooLarge:
            Problem(.headersTooLarge, fault.detail)
        case .invalidResponse: internalFault
        }
    }

    static let unavailable = Problem(
        .unavailable, "The service is not available at the moment. Please try again.",
        headers: [("Retry-After", "1")])

    /// Problem for a change whose outcome is unknown.
    static let outcomeUnknown = Problem(
        .outcomeUnknown, "It is not known whether this was stored. Check before you try again.",
        headers: [("Retry-After", "1")])

    static let databaseAway = Problem(
        .databaseAway, "Nothing can be stored at the moment. Please try again later.",
        headers: [("Retry-After", "10")])

    static let databaseBusy = Problem(
        .databaseBusy, "The service is busy at the moment. Please try again.",
        headers: [("Retry-After", "1")])

    /// Returns the problem for a token whose key could not be fetched.
    static func keysUnavailable(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            .unavailable, "The token can't be checked at the moment. Please try again.",
            headers: [("Retry-After", "\(seconds)")])
    }

    /// Returns the problem for a token whose key is not known yet.
    static func keysPending(retryAfterSeconds seconds: Int) -> Problem {
        Problem(
            .keysPending, "The token can't be checked yet. Please try again.",
            headers: [("Retry-After", "\(seconds)")])
    }

    static let internalFault = Problem(
        .internal, "Something went wrong on our side. Tell us the requestId.")

    static let routeNotFound = Problem(.notFound, "There is nothing at this address.")

    static func methodNotAllowed(_ allowed: [Method]) -> Problem {
        let names = allowed.map(\.name).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "This address accepts only \(names).",
            headers: [("Allow", names)])
    }
}
