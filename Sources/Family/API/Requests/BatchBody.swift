import JSON

/// The body of a batch. Each of its operations is read by itself, so that one that can't be read is
/// refused alone.
struct BatchBody {
    /// What the batch says besides; each operation is null in it.
    let frame: JSONField
    /// As they were sent.
    let operations: [[UInt8]]

    /// - Throws: 400 for what is not valid JSON besides the operations, or no object.
    init(_ bytes: [UInt8]) throws(Problem) {
        let places = JSONPlaces.elements(of: Self.name, in: bytes)
        do {
            frame = try RequestBody.read(JSONPlaces.document(bytes, withNullAt: places))
        } catch {
            // By the places of the document that was sent.
            _ = try RequestBody.read(bytes)
            throw error
        }
        operations = places.map { Array(bytes[$0]) }
    }

    /// The member with the operations.
    static let name = "operations"
}
