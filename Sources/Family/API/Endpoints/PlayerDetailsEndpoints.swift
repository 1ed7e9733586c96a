import Domain
import UseCases

/// A family's notes about its player.
enum PlayerDetailsEndpoints {
    private static let unchangedIfMissing =
        "If missing, it stays unchanged; null or empty clears it."
    private static let name = Input<PatchValue<PersonName>>.clearable(
        "playerName", .text.orEmpty, unchangedIfMissing)
    private static let dateOfBirth = Input<PatchValue<CalendarDate>>.clearable(
        "playerDob", .date.orEmpty, unchangedIfMissing)
    private static let graduationYear = Input<PatchValue<Int>>.clearable(
        "graduationYear", .integer(PlayerDetails.allowedGraduationYears).orDigits,
        unchangedIfMissing)
    private static let sport = Input<PatchValue<Label>>.clearable(
        "sport", .text.orEmpty, unchangedIfMissing)
    private static let position = Input<PatchValue<Label>>.clearable(
        "position", .text.orEmpty, unchangedIfMissing)
    private static let gender = Input<PatchValue<DetailText>>.clearable(
        "gender", .text.orEmpty, unchangedIfMissing)
    private static let named: [any DeclaredInput] = [
        Inputs.familyInBody, name, dateOfBirth, graduationYear, sport, position, gender,
    ]
    private static let further = Input<[DetailName: PatchValue<DetailText>]>.others(
        besides: named, .text, .text.orEmpty,
        "Further details, at most \(PlayerDetails.mostFurther), under names that the app chooses; "
            + "null or empty clears one.")
    private static let refusals: [RefusalCode] = .inOnlyFamily + .byStanding

    static let read = Operation(
        "readPlayerDetails", "Reads a family's notes about its player.",
        inputs: [Inputs.familyInQuery], responses: [.ok(Shapes.playerDetails)], refusals: refusals
    ) { services, call in
        .of(
            Shapes.playerDetails,
            try services.families.readPlayerDetails(
                by: call.context, family: call[Inputs.familyInQuery]))
    }.taggedByContent

    static let write = Operation(
        "writePlayerDetails",
        "Changes a family's notes about its player; only the given fields change.",
        inputs: named + [further],
        responses: [.ok(Shapes.playerDetails)], refusals: refusals,
        replayNeeds: [.playerDetailsRead]
    ) { services, call in
        let change = FamilyService.PlayerDetailsChange(
            name: try call[name], dateOfBirth: try call[dateOfBirth],
            graduationYear: try call[graduationYear], sport: try call[sport],
            position: try call[position], gender: try call[gender], further: try call[further])
        let stored = try services.families.writePlayerDetails(
            by: call.context, family: call[Inputs.familyInBody], change)
        return .of(Shapes.playerDetails, stored, family: call.knownFamily)
    }
}
