import UseCases

extension DoctorRun {
    /// Finds out whether the database's connections are nearly used up, so that another process, a
    /// migration or an operator may get none.
    mutating func checkConnections() throws {
        let (used, limit) = try session.connections()
        // Four fifths or more.
        if used >= limit - limit / 5 { add(.connectionsScarce(used, of: limit)) }
    }
}

extension Finding {
    /// The finding that few connections to the database are left.
    static func connectionsScarce(_ used: Int, of limit: Int) -> Finding {
        Finding(
            kind: "connections_scarce",
            message: "\(used) of \(limit) connections to the database are in use",
            remedy: "set HEARTH_DATABASE_POOL of each hearth-api so that all processes together "
                + "fit, run fewer processes, or raise max_connections of the server")
    }
}
