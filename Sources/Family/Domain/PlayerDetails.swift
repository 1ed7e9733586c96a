/// A family's notes about its player, often made before the player joins.
package struct PlayerDetails: Hashable, Sendable {
    /// A player who joins without a name gets this one. Nil, as below, where nothing is noted.
    package var name: PersonName?
    package var dateOfBirth: CalendarDate?
    /// One of ``allowedGraduationYears``.
    package var graduationYear: Int?
    package var sport: Label?
    package var position: Label?
    package var gender: DetailText?
    /// What apps note besides, by the names that they gave it.
    package var further: [DetailName: DetailText]

    /// How many further details there can be; `app.max_further_details` says the same.
    package static let mostFurther = 20

    /// The years that a graduation can be in.
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
