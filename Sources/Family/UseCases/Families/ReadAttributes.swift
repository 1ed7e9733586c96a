package import Domain
import Policy
import Repositories

/// Reads what apps keep about a family.
package enum ReadAttributes {
    /// A JSON object in UTF-8; `{}` where nothing was stored.
    package static func reading(by context: RequestContext, family: FamilyID) -> Read<[UInt8]> {
        Read(by: context) { batch in
            let row = batch.add(Families.one, family)
            let stored = batch.add(FamilyAttributes.read, family)
            return { answers, subject in
                _ = try ReadFamily.require(.attributesRead, of: try answers.first(row), subject)
                return try answers.first(stored)?.value.utf8 ?? Array("{}".utf8)
            }
        }
    }
}
