public import Foundation

/// What became of a change in another way than its author saw it: what a banner shows.
public struct Conflict: Sendable, Hashable, Identifiable {
    /// What was decided.
    public enum Outcome: Sendable, Hashable {
        /// Others changed the same later; theirs is kept.
        case theirsKept
        /// Yours was later and is kept; it undid a change that you had not seen.
        case yoursKept
        /// Yours was undone by others, who had not seen it.
        case overwritten
        /// Hearth refused it, in these words.
        case refused(code: String, message: String)
    }

    /// Its place in the order in which conflicts became known.
    public let id: Int64
    /// What was decided.
    public let outcome: Outcome
    /// What kind of thing it is about.
    public let kind: ThingKind
    /// The id of the thing.
    public let thingID: String
    /// The family.
    public let familyID: FamilyID?
    /// Who made the other change, if that is known.
    public let by: MemberID?
    /// When the other change was made.
    public let at: Date?
    /// All that Hearth said.
    public let details: JSONValue
}

extension SQLiteConnection {
    /// The number of the last conflict that there ever was.
    func lastConflict() throws -> Int64 {
        try run("SELECT max(number) FROM conflicts").first?.first?.integer ?? 0
    }

    /// In the order in which they became known.
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

    /// Notes a conflict, once for a cause.
    func note(_ conflict: JSONValue, about key: ThingKey?, cause: String) throws {
        let value: JSONValue = ["key": key?.json ?? .null, "said": conflict]
        try run(
            "INSERT OR IGNORE INTO conflicts (cause, value) VALUES (?, ?)", .text(cause),
            .blob(value.data))
    }
}

extension Conflict {
    fileprivate init(_ number: Int64, _ value: JSONValue) {
        let key = value["key"].flatMap(ThingKey.init)
        let said = value["said"] ?? .null
        id = number
        outcome =
            switch said["kept"]?.stringValue {
            case "theirs": .theirsKept
            case "yours": .yoursKept
            case nil where said["code"] != nil:
                .refused(
                    code: said["code"]?.stringValue ?? "",
                    message: said["message"]?.stringValue ?? "")
            default: .overwritten
            }
        kind = key?.kind ?? .unknown("")
        thingID = key?.id ?? ""
        familyID = key.flatMap { $0.family.isEmpty ? nil : FamilyID($0.family) }
        by = (said["by"] ?? said["overwrote"]?["by"])?.stringValue.map { MemberID($0) }
        at = (said["at"] ?? said["overwrote"]?["at"])?.stringValue.flatMap(Timestamp.date)
        details = said
    }
}
