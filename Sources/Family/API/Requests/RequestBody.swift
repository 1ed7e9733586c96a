import JSON

/// A request's body: a JSON object.
///
/// Unknown fields are ignored, except fields that only the server decides. A client that sends one
/// expects it to have an effect, so it gets an error.
enum RequestBody {
    /// Fields that only the server decides, in both spellings.
    static let privileged: [String] = [
        "userId", "familyUnitId", "status", "createdByUserId", "slot", "parentUserId",
        "householdRole", "joinedVia", "addedAt", "removedAt", "removedBy", "familyCode", "token",
        "kind", "email", "emailVerified", "isManaged", "memberLimit", "actorUserId", "invitedBy",
    ].flatMap { name in [name] + (Spelling.other(of: name).map { [$0] } ?? []) }

    /// The body of a request that has none: an object without fields.
    static let none = JSONField(.object(JSONObject()))

    /// Reads a body; none at all is an object without fields.
    ///
    /// ``check(_:allowing:)`` comes next.
    static func read(_ bytes: [UInt8]) throws(Problem) -> JSONField {
        bytes.isEmpty ? none : try readDocument(bytes)
    }

    /// Refuses fields that only the server decides.
    ///
    /// - Parameter allowing: Privileged names that are the subject of the route.
    static func check(_ body: JSONField, allowing: Set<String>) throws(Problem) {
        guard case .object(let object)? = body.value else { return }
        let given = privileged.filter { !allowing.contains($0) && object[$0] != nil }
        guard let first = given.first else { return }
        throw refusal(of: first).with(others: given.flatMap { refusal(of: $0).wrongFields })
    }

    private static func refusal(of name: String) -> Problem {
        .field(name, "`\(name)` can't be set; leave it out.", .privilegedField)
    }
}

extension RequestBody {
    /// Reads a body whose fields are the client's business.
    static func readDocument(_ bytes: [UInt8]) throws(Problem) -> JSONField {
        do {
            let document = JSONField(try JSONValue(parsing: bytes))
            _ = try document.object()
            return document
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
    }
}
