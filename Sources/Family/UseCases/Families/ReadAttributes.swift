package import Domain
import Policy
import Repositories

/// Reads what apps keep about a family.
package enum ReadAttributes {
    /// A JSON object in UTF-8, and how often it was changed.
    package struct Attributes: Sendable {
        package let document: [UInt8]
        /// 0 where nothing was stored.
        package let version: Int64

        init(_ stored: FamilyAttributes?) {
            document = stored?.document.utf8 ?? Array("{}".utf8)
            version = stored?.version ?? 0
        }
    }

    /// `{}` where nothing was stored.
    package static func reading(by caller: Caller, family: FamilyID) -> Read<Attributes> {
        Read(by: caller) { batch in
            let row = batch.add(Families.one, family)
            let stored = batch.add(FamilyAttributes.read, family)
            return { answers, subject in
                _ = try ReadFamily.require(.attributesRead, of: try answers.first(row), subject)
                return Attributes(try answers.first(stored))
            }
        }
    }
}
