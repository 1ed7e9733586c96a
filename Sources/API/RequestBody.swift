import Domain
import JSON

/// A request's body: a JSON object whose fields are read by name.
///
/// Fields that a route does not know are ignored, but for those that name what only the server
/// decides: whoever sends one believes that it counts, and is told that it does not.
struct RequestBody {
    private let fields: JSONField

    private static let privileged = [
        "user_id", "userId", "family_unit_id", "status", "created_by_user_id", "createdByUserId",
        "slot", "parent_user_id", "parentUserId", "household_role", "joined_via", "joinedVia",
        "removed_at", "removed_by", "family_code", "token",
    ]

    /// - Parameter allowing: Privileged names that are the subject of the route.
    init(_ bytes: [UInt8], allowing: Set<String> = []) throws(Problem) {
        if bytes.isEmpty {
            fields = JSONField(.object(JSONObject()))
            return
        }
        do {
            let document = JSONField(try JSONValue(parsing: bytes))
            let object = try document.object()
            for name in Self.privileged where object[name] != nil && !allowing.contains(name) {
                throw Problem(
                    400, "privileged_field", "`\(name)` can't be set; leave it out.")
            }
            fields = document
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(400, "invalid_body", "\(error).")
        }
    }

    /// The text of a field, nil when it is missing or null.
    func text(_ name: String) throws(Problem) -> String? {
        try read(name) { field throws(JSONError) in try field.string() }
    }

    /// The text of a field that must be there.
    func requiredText(_ name: String) throws(Problem) -> String {
        guard let text = try text(name) else {
            throw Problem(400, "missing_field", "`\(name)` is missing: expected a string.")
        }
        return text
    }

    /// Text of a bounded length, nil when it is missing or null.
    func bounded<Text: BoundedText>(_ name: String, as _: Text.Type) throws(Problem) -> Text? {
        guard let given = try text(name) else { return nil }
        guard let text = Text(given) else {
            let lengths = Text.allowedLengths
            throw Problem.invalidField(
                name, "\(lengths.lowerBound) to \(lengths.upperBound) characters long")
        }
        return text
    }

    /// One of a set of words, nil when it is missing or null.
    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, as _: Word.Type
    ) throws(Problem) -> Word? where Word.RawValue == String {
        guard let given = try text(name) else { return nil }
        guard let word = Word(rawValue: given) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
            throw Problem.invalidField(name, words)
        }
        return word
    }

    private func read<Value>(
        _ name: String, _ read: (JSONField) throws(JSONError) -> Value
    ) throws(Problem) -> Value? {
        do {
            guard let field = try fields[name].ifPresent else { return nil }
            return try read(field)
        } catch {
            throw Problem(400, "invalid_field", "\(error).")
        }
    }
}
