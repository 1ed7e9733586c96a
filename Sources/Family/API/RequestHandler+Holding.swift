import Postgres

extension RequestHandler {
    /// Runs `body`, which may change something, and holds its answer until standbys have the
    /// change.
    ///
    /// A refusal is held as well: where the answer to a change was lost, the refusal of the
    /// repeated request is what tells that it was made. A failure of ours tells nothing.
    func held(unless isRead: Bool, _ body: () throws -> Reply) throws -> Reply {
        let answer = Result { try body() }
        let isFailure =
            switch answer {
            case .success(let reply): reply.status >= 500
            case .failure(let error): error is PostgresError
            }
        if !isRead, !isFailure, holdsAnswers { services.held.hold() }
        return try answer.get()
    }
}
