package import Domain
package import Postgres

/// A family's notes about its player, as stored.
package struct PlayerNote: RowDecodable, Sendable {
    /// The notes; empty if the subject may not see them.
    package let details: PlayerDetails

    package static let row = RowDecoder {
        (
            name: String?, dateOfBirth: String?, graduationYear: String?, sport: String?,
            position: String?, gender: String?, furtherNames: [String], furtherTexts: [String]
        ) in
        PlayerNote(
            details: PlayerDetails(
                name: name.flatMap { PersonName($0) },
                dateOfBirth: dateOfBirth.flatMap { CalendarDate($0) },
                graduationYear: graduationYear.flatMap { Int($0) },
                sport: sport.flatMap { Label($0) }, position: position.flatMap { Label($0) },
                gender: gender.flatMap { DetailText($0) },
                further: further(furtherNames, furtherTexts)))
    }

    private static func further(_ names: [String], _ texts: [String]) -> [DetailName: DetailText] {
        var details: [DetailName: DetailText] = [:]
        for (name, text) in zip(names, texts) {
            if let name = DetailName(name), let text = DetailText(text) { details[name] = text }
        }
        return details
    }
}

/// Statements about a family's notes about its player.
package enum PlayerNotes {
    static let columns = """
        player_details ->> 'playerName', player_details ->> 'playerDob',
        player_details ->> 'graduationYear', player_details ->> 'sport',
        player_details ->> 'position', player_details ->> 'gender',
        ARRAY(SELECT d.key FROM app.other_player_details(player_details) AS d ORDER BY d.key),
        ARRAY(SELECT d.value FROM app.other_player_details(player_details) AS d ORDER BY d.key)
        """

    /// Returns a family's notes: no row if the subject is not an active member, empty notes if the
    /// subject may not see them.
    package static let read = Statement<PlayerNote, FamilyID>(
        """
        SELECT \(columns)
        FROM app.my_family_list WHERE family_unit_id = $1
        """)

    /// Changes a family's notes. Parameters: family, JSON object of the fields, in which null
    /// removes a field.
    package static let changeDetails = Statement<NoRow, FamilyID, String>(
        "SELECT FROM app.change_player_details($1, $2::text::jsonb)")
}
