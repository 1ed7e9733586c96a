import Postgres

/// What the database's refusals mean: a constraint's name, or the reason that one of its functions
/// gives in that place, to the error that a caller is told.
enum DatabaseRefusals {
    private static let codes: [String: UseCaseError.Code] = [
        "not_signed_in": .refused(.notSignedIn),
        "not_while_acting": .refused(.notWhileActing),
        "player_has_family": .playerHasFamily,
        "family_members_player_in_one_family": .playerHasFamily,
        "family_members_active_has_slot": .familyFull(limit: nil),
        "too_many_families": .tooManyFamilies,
    ]

    /// The use case's error for a refusal that is foreseen; nil for everything else, which is a
    /// fault or an outage.
    static func meaning(of error: PostgresError) -> UseCaseError? {
        guard let name = error.constraint, let code = codes[name] else { return nil }
        return UseCaseError(code, underlying: error)
    }
}
