extension Database {
    /// Runs `body`, whose refusal of a person's name calls it by `field`.
    ///
    /// Names of people with and without accounts are in one column, so its constraints can't know
    /// the field's name.
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
