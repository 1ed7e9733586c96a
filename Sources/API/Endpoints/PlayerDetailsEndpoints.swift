import Domain
import UseCases

/// What a family notes about its player.
enum PlayerDetailsEndpoints {
    private static let name = Input<PersonName?>.optional("playerName", .text)
    private static let dateOfBirth = Input<CalendarDate?>.optional("playerDob", .date)
    private static let graduationYear = Input<Int?>.optional(
        "graduationYear", .integer(PlayerDetails.allowedGraduationYears))
    private static let sport = Input<Label?>.optional("sport", .text)
    private static let position = Input<Label?>.optional("position", .text)
    private static let refusals: [ProblemCode] = .inOnlyFamily + .byStanding

    static let read = Operation(
        "readPlayerDetails", "Reads what a family has noted about its player.",
        inputs: [Inputs.familyInQuery], answers: [.ok(Shapes.playerDetails)], refusals: refusals
    ) { services, call in
        .of(
            Shapes.playerDetails,
            try ReadPlayerDetails(services.database)(
                by: call.requireCaller(), family: call[Inputs.familyInQuery]))
    }

    static let write = Operation(
        "writePlayerDetails", "Replaces what a family has noted about its player.",
        inputs: [Inputs.familyInBody, name, dateOfBirth, graduationYear, sport, position],
        answers: [.ok(Shapes.playerDetails)], refusals: refusals, replayNeeds: .playerDetailsRead
    ) { services, call in
        let details = PlayerDetails(
            name: try call[name], dateOfBirth: try call[dateOfBirth],
            graduationYear: try call[graduationYear], sport: try call[sport],
            position: try call[position])
        let stored = try WritePlayerDetails(services.database)(
            by: call.requireCaller(), family: call[Inputs.familyInBody], details)
        return .of(Shapes.playerDetails, stored, family: call.knownFamily)
    }
}
