public import Foundation

/// A change whose outcome its author did not expect, to be shown in a banner.
public struct Conflict: Sendable, Hashable, Identifiable, Codable {
    /// Resolution of the conflict.
    public enum Outcome: Sendable, Hashable, Codable {
        /// Others made a later change to the same values, which is kept.
        case theirsKept
        /// The person's change was later and is kept; it overwrote a change that the person had
        /// not seen.
        case yoursKept
        /// The person's change was overwritten by others, who had not seen it.
        case overwritten
        /// Hearth refused the change, with this code and message.
        case refused(code: String, message: String)
        /// Hearth may have made the change, but sending it again could make it twice. The person
        /// has to look before making it again.
        case unknown
    }

    /// Number of the conflict, in the order in which conflicts became known.
    public let id: Int64
    /// Resolution of the conflict.
    public let outcome: Outcome
    /// Kind of the entity that the change is about.
    public let kind: EntityKind
    /// Id of the entity.
    public let entityID: String
    /// Id of the family.
    public let familyID: FamilyID?
    /// Member who made the other change; nil if unknown.
    public let by: MemberID?
    /// Time of the other change.
    public let at: Date?
    /// Kind of the person's change that was refused, or whose outcome is unknown; nil for other
    /// outcomes.
    public let mutation: MutationKind?
    /// Complete details from Hearth.
    public let details: JSONValue

    /// Creates a value, for previews and tests.
    public init(
        id: Int64, outcome: Outcome, kind: EntityKind, entityID: String,
        familyID: FamilyID? = nil, by: MemberID? = nil, at: Date? = nil,
        mutation: MutationKind? = nil, details: JSONValue = [:]
    ) {
        self.id = id
        self.outcome = outcome
        self.kind = kind
        self.entityID = entityID
        self.familyID = familyID
        self.by = by
        self.at = at
        self.mutation = mutation
        self.details = details
    }
}

extension SQLiteConnection {
    /// Returns the highest number of a stored conflict; 0 if there is none.
    func lastConflict() throws -> Int64 {
        try run("SELECT max(number) FROM conflicts").first?.first?.integer ?? 0
    }

    /// Returns the conflicts in the order in which they became known.
    func conflicts(after number: Int64 = 0) throws -> [Conflict] {
        try run(
            "SELECT number, value FROM conflicts WHERE number > ? ORDER BY number",
            .integer(number)
        ).compactMap { row in
            guard let number = row[0].integer, let data = row[1].blob,
                let value = try? JSONValue(parsing: data)
            else { return nil }
            return Conflict(number, value)
        }
    }

    /// Stores a conflict, at most once for each cause.
    func insertConflict(_ conflict: JSONValue, about key: EntityKey?, cause: String) throws {
        let value: JSONValue = ["key": key?.json ?? .null, "said": conflict]
        try run(
            "INSERT OR IGNORE INTO conflicts (cause, value) VALUES (?, ?)", .text(cause),
            .blob(value.data))
    }
}

extension Conflict {
    fileprivate init(_ number: Int64, _ value: JSONValue) {
        let key = value["key"].flatMap(EntityKey.init)
        let stored = value["said"] ?? .null
        id = number
        outcome =
            switch stored["kept"]?.stringValue {
            case "theirs": .theirsKept
            case "yours": .yoursKept
            case nil where stored["outcome"] == "unknown": .unknown
            case nil where stored["code"] != nil:
                .refused(
                    code: stored["code"]?.stringValue ?? "",
                    message: stored["message"]?.stringValue ?? "")
            default: .overwritten
            }
        kind = key?.kind ?? .unknown("")
        entityID = key?.id ?? ""
        familyID = key.flatMap { $0.family.isEmpty ? nil : FamilyID($0.family) }
        by = (stored["by"] ?? stored["overwrote"]?["by"])?.stringValue.map { MemberID($0) }
        at = (stored["at"] ?? stored["overwrote"]?["at"])?.stringValue.flatMap(Timestamp.date)
        mutation = stored["mutation"]?.stringValue.map { MutationKind(stored: $0) }
        details = stored
    }
}
