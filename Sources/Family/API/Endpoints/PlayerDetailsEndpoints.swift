import Domain
import UseCases

/// What a family notes about its player.
enum PlayerDetailsEndpoints {
    private static let stays = "Stays as it is when it is left out; null or empty takes it away."
    private static let name = Input<Given<PersonName>>.clearable(
        "playerName", .text.orEmpty, stays)
    private static let dateOfBirth = Input<Given<CalendarDate>>.clearable(
        "playerDob", .date.orEmpty, stays)
    private static let graduationYear = Input<Given<Int>>.clearable(
        "graduationYear", .integer(PlayerDetails.allowedGraduationYears),
        "Stays as it is when it is left out; null takes it away.")
    private static let sport = Input<Given<Label>>.clearable("sport", .text.orEmpty, stays)
    private static let position = Input<Given<Label>>.clearable("position", .text.orEmpty, stays)
    private static let refusals: [RefusalCode] = .inOnlyFamily + .byStanding

    static let read = Operation(
        "readPlayerDetails", "Reads what a family has noted about its player.",
        inputs: [Inputs.familyInQuery], answers: [.ok(Shapes.playerDetails)], refusals: refusals
    ) { services, call in
        .of(
            Shapes.playerDetails,
            try ReadPlayerDetails(services.database)(
                by: call.caller, family: call[Inputs.familyInQuery]))
    }

    static let write = Operation(
        "writePlayerDetails",
        "Changes what a family has noted about its player: the fields that are given.",
        inputs: [Inputs.familyInBody, name, dateOfBirth, graduationYear, sport, position],
        answers: [.ok(Shapes.playerDetails)], refusals: refusals, replayNeeds: .playerDetailsRead
    ) { services, call in
        let change = WritePlayerDetails.Change(
            name: try call[name], dateOfBirth: try call[dateOfBirth],
            graduationYear: try call[graduationYear], sport: try call[sport],
            position: try call[position])
        let stored = try WritePlayerDetails(services.database)(
            by: call.caller, family: call[Inputs.familyInBody], change)
        return .of(Shapes.playerDetails, stored, family: call.knownFamily)
    }
}
