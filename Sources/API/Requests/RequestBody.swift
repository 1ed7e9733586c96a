import JSON

/// A request's body: a JSON object.
///
/// Fields that a route does not know are ignored, but for those that name what only the server
/// decides: whoever sends one believes that it counts, and is told that it does not.
enum RequestBody {
    /// Names of what only the server decides.
    static let privileged: [String] = [
        "user_id", "userId", "family_unit_id", "familyUnitId", "status", "created_by_user_id",
        "createdByUserId", "slot", "parent_user_id", "parentUserId", "household_role",
        "householdRole", "joined_via", "joinedVia", "added_at", "addedAt", "removed_at",
        "removedAt", "removed_by", "removedBy", "family_code", "familyCode", "token", "kind",
        "email", "email_verified", "emailVerified", "is_managed", "isManaged", "member_limit",
        "memberLimit", "actor_user_id", "actorUserId", "invited_by", "invitedBy",
    ]

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
