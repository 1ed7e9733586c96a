/// What a family notes about its player.
public struct PlayerDetails: Sendable, Hashable {
    /// The player's name.
    public let playerName: String?
    /// The date of birth, such as `2009-05-31`.
    public let dateOfBirth: String?
    /// The year in which the player leaves school.
    public let graduationYear: Int?
    /// The sport.
    public let sport: String?
    /// The position in a team.
    public let position: String?
    /// The gender, in the family's own word.
    public let gender: String?
    /// What else the app noted, by name.
    public let further: [String: String]
}

extension PlayerDetails: FieldsDecodable {
    init(_ fields: Fields) {
        playerName = fields.textIfThere("playerName")
        dateOfBirth = fields.textIfThere("playerDob")
        graduationYear = fields["graduationYear"]?.intValue
        sport = fields.textIfThere("sport")
        position = fields.textIfThere("position")
        gender = fields.textIfThere("gender")
        further = fields.texts(
            besides: [
                "playerName", "playerDob", "graduationYear", "sport", "position", "gender",
            ])
    }
}
