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
