package import Domain
import JSON
import Policy
import Repositories

// The notes of a family about its player.

extension FamilyService {
    /// Reads a family's notes about its player.
    ///
    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    /// - Throws: ``Refusal``: the family does not exist, or the policy refuses.
    package func readPlayerDetails(by context: RequestContext, family: FamilyID?) throws
        -> PlayerDetails
    {
        try database.read(.playerDetailsRead, in: family, by: context) { family, batch in
            let notes = batch.add(PlayerNotes.read, family)
            return { roster, results in
                try roster.require(roster.facts)
                return try results.row(notes).details
            }
        }
    }

    /// The requested change. An absent field keeps its value, null clears it.
    package struct PlayerDetailsChange: Sendable {
        package var name: PatchValue<PersonName>
        package var dateOfBirth: PatchValue<CalendarDate>
        /// Graduation year, one of ``PlayerDetails/allowedGraduationYears``; any other is refused
        /// as `invalidField`.
        package var graduationYear: PatchValue<Int>
        package var sport: PatchValue<Label>
        package var position: PatchValue<Label>
        package var gender: PatchValue<DetailText>
        /// Details with other names.
        package var further: [DetailName: PatchValue<DetailText>]

        package init(
            name: PatchValue<PersonName> = .absent, dateOfBirth: PatchValue<CalendarDate> = .absent,
            graduationYear: PatchValue<Int> = .absent, sport: PatchValue<Label> = .absent,
            position: PatchValue<Label> = .absent, gender: PatchValue<DetailText> = .absent,
            further: [DetailName: PatchValue<DetailText>] = [:]
        ) {
            self.name = name
            self.dateOfBirth = dateOfBirth
            self.graduationYear = graduationYear
            self.sport = sport
            self.position = position
            self.gender = gender
            self.further = further
        }
    }

    /// Changes a family's notes about its player.
    ///
    /// A player who joins without a name gets the name in the notes.
    ///
    /// Concurrent changes don't overwrite each other: the fields are merged under the family's
    /// lock.
    ///
    /// - Parameter family: The family; nil if the caller is a member of exactly one.
    /// - Returns: The stored fields.
    /// - Throws: ``Refusal``: the family does not exist, the policy refuses, or `invalidField` for
    ///   a year out of range, or for too many details with other names.
    package func writePlayerDetails(
        by context: RequestContext, family: FamilyID?, _ change: PlayerDetailsChange
    ) throws -> PlayerDetails {
        if case .value(let year) = change.graduationYear,
            !PlayerDetails.allowedGraduationYears.contains(year)
        {
            throw Refusal(.invalidField, .field("graduationYear"))
        }
        do {
            return try database.change(.playerDetailsWrite, in: .family(family), by: context) {
                roster, batch in
                try roster.require(roster.facts)
                batch.add(PlayerNotes.changeDetails, roster.family, change.fields)
                let notes = batch.add(PlayerNotes.read, roster.family)
                return { try $0.row(notes).details }
            }
        } catch let refusal as Refusal where refusal.parameter == .field("playerDetails") {
            throw Refusal(
                .invalidField,
                .field(
                    "playerDetails",
                    expected: "the named details and at most \(PlayerDetails.mostFurther) others"),
                underlying: refusal.underlying)
        }
    }
}

extension FamilyService.PlayerDetailsChange {
    /// The given fields as a JSON object, for the database.
    fileprivate var fields: String {
        var json = JSONWriter()
        json.object { json in
            Self.add("playerName", name.map { .string($0.text) }, to: &json)
            Self.add("playerDob", dateOfBirth.map { .string($0.description) }, to: &json)
            Self.add("graduationYear", graduationYear.map { .integer(Int64($0)) }, to: &json)
            Self.add("sport", sport.map { .string($0.text) }, to: &json)
            Self.add("position", position.map { .string($0.text) }, to: &json)
            Self.add("gender", gender.map { .string($0.text) }, to: &json)
            for (name, text) in further.sorted(by: { $0.key.text < $1.key.text }) {
                Self.add(name.text, text.map { .string($0.text) }, to: &json)
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func add(
        _ name: String, _ field: PatchValue<JSONValue>, to json: inout JSONWriter
    ) {
        switch field {
        case .absent: break
        case .null: json.member(name, JSONValue.null)
        case .value(let value): json.member(name, value)
        }
    }
}
