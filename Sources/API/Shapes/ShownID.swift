import Domain
import Repositories

// Ids as clients see them: those of managed members are marked, so that apps know who can't sign
// in.

extension ID {
    /// The id of a user or member.
    func shown(isManaged: Bool) -> String { isManaged ? "managed_\(self)" : description }
}
