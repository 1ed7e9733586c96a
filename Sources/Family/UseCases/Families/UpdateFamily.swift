package import Domain
import Policy
package import Repositories

/// Changes a family's name, home or way of letting people in.
package struct UpdateFamily: Sendable {
    /// The requested change; nil keeps a value.
    package struct Change: Sendable {
        /// A new place, or none.
        package enum Home: Sendable, Hashable {
            case set(Coordinates)
            case forget
        }

        package var name: FamilyName?
        package var home: Home?
        /// Whether the family approves who joins by its code.
        package var isApprovalRequired: Bool?

        package init(
            name: FamilyName? = nil, home: Home? = nil, isApprovalRequired: Bool? = nil
        ) {
            self.name = name
            self.home = home
            self.isApprovalRequired = isApprovalRequired
        }

        fileprivate var coordinates: Coordinates? {
            if case .set(let coordinates) = home { coordinates } else { nil }
        }
    }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// - Returns: The family after the change.
    /// - Throws: ``Refusal``: `familyNotFound`, or what the policy says.
    package func callAsFunction(
        by context: RequestContext, family: FamilyID, _ change: Change
    ) throws -> ListedFamily {
        try database.change(.familyUpdate, in: .family(family), by: context) { roster, batch in
            try roster.require(roster.facts)
            batch.add(
                Families.update, family, change.name?.text, change.coordinates?.latitude,
                change.coordinates?.longitude, change.home == .forget, change.isApprovalRequired)
            let row = batch.add(Families.one, family)
            return { try $0.row(row) }
        }
    }
}
