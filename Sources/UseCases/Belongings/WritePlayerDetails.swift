package import Domain
import Policy
import Repositories

/// Replaces what a family has noted about its player.
package struct WritePlayerDetails: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// When a player joins who has no name yet, it gets the one that is noted.
    ///
    /// - Parameter family: Which one; nil is enough for a member of exactly one.
    /// - Returns: What is stored.
    package func callAsFunction(
        by caller: Caller, family: FamilyID?, _ details: PlayerDetails
    ) throws -> PlayerDetails {
        if let year = details.graduationYear,
            !PlayerDetails.allowedGraduationYears.contains(year)
        {
            throw UseCaseError(.malformed("graduationYear"))
        }
        return try database.change(.playerDetailsWrite, in: .family(family), by: caller) {
            roster, batch in
            try roster.require(roster.facts)
            batch.add(
                PlayerNotes.write, roster.family, details.name?.text,
                details.dateOfBirth?.description, details.graduationYear.map { Int32($0) },
                details.sport?.text, details.position?.text)
            let note = batch.add(PlayerNotes.read, roster.family)
            return { try $0.row(note).details }
        }
    }
}
