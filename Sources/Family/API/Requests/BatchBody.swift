import JSON

/// The body of a batch. Each operation is parsed separately, so a malformed one is refused alone.
struct BatchBody {
    /// The batch without its operations, each of which is replaced by null.
    let frame: JSONField
    /// Bytes of the operations, as they were sent.
    let operations: [[UInt8]]

    /// - Throws: 400 if the batch without its operations is not valid JSON or not an object.
    init(_ bytes: [UInt8]) throws(Problem) {
        let ranges = JSONLocator.elements(of: Self.name, in: bytes)
        do {
            frame = try RequestBody.read(JSONLocator.document(bytes, withNullAt: ranges))
        } catch {
            // Parses the original document, so that the error has its positions.
            _ = try RequestBody.read(bytes)
            throw error
        }
        operations = ranges.map { Array(bytes[$0]) }
    }

    /// Name of the member with the operations.
    static let name = "operations"
}
