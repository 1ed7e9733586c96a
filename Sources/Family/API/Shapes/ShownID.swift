import Domain
import Repositories

// Ids as clients see them. Ids of managed members have a prefix, so that apps know who can't sign
// in.

extension ID {
    /// The id of a user or member.
    func shown(isManaged: Bool) -> String { isManaged ? "managed_\(self)" : description }

    /// Appends the same.
    func append(to text: inout [UInt8], isManaged: Bool) {
        if isManaged { text += "managed_".utf8 }
        append(to: &text)
    }
}

extension Format {
    /// A UUID in any letter case.
    static func id<Entity>() -> Format where Value == ID<Entity> {
        Format(.uuid, "a UUID") { ID($0) }
    }

    /// A UUID, or `managed_` and a UUID, in any letter case.
    static func shownID<Entity>() -> Format where Value == ID<Entity> {
        Format(.shownID, "an id: a UUID, or managed_ and a UUID") { text in
            let isMarked = text.prefix(8).lowercased() == "managed_"
            return ID(isMarked ? String(text.dropFirst(8)) : text)
        }
    }
}
