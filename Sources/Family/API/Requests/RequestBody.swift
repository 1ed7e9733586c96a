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

    /// Reads a body; none at all is an object without fields.
    ///
    /// - Parameter allowing: Privileged names that are the subject of the route.
    static func read(_ bytes: [UInt8], allowing: Set<String>) throws(Problem) -> JSONField {
        if bytes.isEmpty { return JSONField(.object(JSONObject())) }
        let document: JSONField
        let object: JSONObject
        do {
            document = JSONField(try JSONValue(parsing: bytes))
            object = try document.object()
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
        for name in privileged where !allowing.contains(name) && object[name] != nil {
            throw Problem(.privilegedField, "`\(name)` can't be set; leave it out.")
        }
        return document
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
