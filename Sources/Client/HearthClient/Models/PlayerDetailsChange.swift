/// What `Hearth.updatePlayerDetails(_:in:)` changes. What is not given stays.
public struct PlayerDetailsChange: Sendable, Hashable {
    /// The player's name.
    public var playerName: Edit<String>
    /// The date of birth, such as `2009-05-31`.
    public var dateOfBirth: Edit<String>
    /// The year in which the player leaves school.
    public var graduationYear: Edit<Int>
    /// The sport.
    public var sport: Edit<String>
    /// The position in a team.
    public var position: Edit<String>
    /// The gender, in the family's own word.
    public var gender: Edit<String>
    /// What else the app notes, by name: at most 20 texts of 200 characters.
    public var further: [String: Edit<String>]

    /// A change; nothing unless it is named.
    public init(
        playerName: Edit<String> = .keep, dateOfBirth: Edit<String> = .keep,
        graduationYear: Edit<Int> = .keep, sport: Edit<String> = .keep,
        position: Edit<String> = .keep, gender: Edit<String> = .keep,
        further: [String: Edit<String>] = [:]
    ) {
        self.playerName = playerName
        self.dateOfBirth = dateOfBirth
        self.graduationYear = graduationYear
        self.sport = sport
        self.position = position
        self.gender = gender
        self.further = further
    }

    func body(in family: FamilyID?) -> JSONValue {
        var members = further.mapValues { JSONValue.edit($0) { .string($0) } }
        members.merge([
            "familyId": family.map { .string($0.rawValue) },
            "playerName": .edit(playerName) { .string($0) },
            "playerDob": .edit(dateOfBirth) { .string($0) },
            "graduationYear": .edit(graduationYear) { .integer($0) },
            "sport": .edit(sport) { .string($0) },
            "position": .edit(position) { .string($0) },
            "gender": .edit(gender) { .string($0) },
        ]) { $1 }
        return .body(members)
    }
}
