package import Domain
import Policy
package import Repositories

/// Reads a family of the caller's.
///
/// Also the way to find out whether the caller is still in it.
package enum ReadFamily {
    /// - Throws: ``Refusal``: `familyNotFound` unless the caller is an active member.
    package static func reading(by context: RequestContext, family: FamilyID) -> Read<ListedFamily>
    {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            return { try Self.require(.familyRead, of: try $0.first(row), $1) }
        }
    }

    /// The family, if it is there and `action` is allowed.
    static func require(
        _ action: Action, of family: ListedFamily?, _ subject: Subject
    ) throws(Refusal) -> ListedFamily {
        guard let family else {
            try subject.facts(nil).require(action)
            throw Refusal(.familyNotFound)
        }
        try family.facts(of: subject).require(action)
        return family
    }
}
