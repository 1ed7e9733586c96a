package import Domain
import Postgres
import Repositories

/// What a member of a family likes, in the words of an app.
package struct MemberPreferences: Sendable {
    package let user: UserID
    /// Whether they are those of a child without an account.
    package let isManaged: Bool
    package let family: FamilyID
    /// A JSON object in UTF-8; `{}` where nothing was stored.
    package let document: [UInt8]
    /// Nil where nothing was stored.
    package let updatedAt: Timestamp?

    init(of owner: FamilyMember, _ stored: StoredPreferences?) {
        self.init(owner.user, isManaged: owner.isManaged, in: owner.family, stored)
    }

    init(_ user: UserID, isManaged: Bool, in family: FamilyID, _ stored: StoredPreferences?) {
        self.user = user
        self.isManaged = isManaged
        self.family = family
        document = stored?.document.utf8 ?? Array("{}".utf8)
        updatedAt = stored?.updatedAt
    }
}
