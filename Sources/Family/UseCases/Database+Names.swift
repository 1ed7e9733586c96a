extension Database {
    /// Runs `body`, whose refusal of a person's name calls it by `field`.
    ///
    /// Names of people with and without accounts stand in one column: its constraints can't know
    /// which field the name came in.
    func callingNames<Value>(_ field: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as Refusal {
            guard case .field(let name, _)? = error.parameter, Self.names.contains(name) else {
                throw error
            }
            throw Refusal(error.code, .field(field), underlying: error.underlying)
        }
    }

    private static let names: Set<String> = ["fullName", "displayName"]
}
