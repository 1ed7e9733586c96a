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
