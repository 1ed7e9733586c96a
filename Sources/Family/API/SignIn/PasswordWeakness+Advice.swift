import UseCases

extension PasswordWeakness {
    /// Explanation of the weakness and of what would help, for people.
    var advice: String {
        switch self {
        case .length: "A password has 8 to 256 characters."
        case .commonWord:
            "This password is too easy to guess: it is a common word or password. "
                + "Put several words together that don't belong together."
        case .ownWord:
            "This password is too easy to guess: it contains your name or address. "
                + "Leave them out."
        case .repetition:
            "This password is too easy to guess: it repeats itself. "
                + "Put several words together that don't belong together."
        case .sequence:
            "This password is too easy to guess: it is a sequence such as abc or 123. "
                + "Put several words together that don't belong together."
        case .keyboardPattern:
            "This password is too easy to guess: its keys lie in a row. "
                + "Put several words together that don't belong together."
        case .date:
            "This password is too easy to guess: it is a date or a year. Leave dates out."
        case .tooShort, .other:
            "This password is too easy to guess. Make it longer, or add another word."
        }
    }
}
