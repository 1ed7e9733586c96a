/// Details that a family stores about its player, often before the player joins.
package struct PlayerDetails: Hashable, Sendable {
    /// The name given to a player who joins without one. Nil if unknown, like all properties below.
    package var name: PersonName?
    package var dateOfBirth: CalendarDate?
    /// The year of graduation, within ``allowedGraduationYears``.
    package var graduationYear: Int?
    package var sport: Label?
    package var position: Label?
    package var gender: DetailText?
    /// Further details that apps store, by the names they chose.
    package var further: [DetailName: DetailText]

    /// Maximum number of further details; `app.max_other_details` has the same value.
    package static let mostFurther = 20

    /// The years allowed for a graduation.
    package static let allowedGraduationYears = 1900...2199

    package init(
        name: PersonName? = nil, dateOfBirth: CalendarDate? = nil, graduationYear: Int? = nil,
        sport: Label? = nil, position: Label? = nil, gender: DetailText? = nil,
        further: [DetailName: DetailText] = [:]
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
