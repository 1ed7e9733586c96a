import Repositories

extension Finding {
    /// Finding when the database generates codes, or counts wrong ones, by another value of a
    /// setting.
    static func notApplied(_ setting: String, wanted: Int, found: Int) -> Finding {
        Finding(
            kind: "code_settings_not_applied",
            message: "the database has \(found) for \(setting), which is \(wanted) here",
            remedy: "restart each hearth-api with this setting; the one that started last counts")
    }

    /// Finding when somebody guesses codes from many accounts and addresses.
    static func automaticApproval(_ state: GuessingState) -> Finding {
        Finding(
            kind: "approval_automatic",
            message: "joining by a code waits for approval in every family since "
                + "\(state.beganAt.map { "\($0)" } ?? "?"): \(state.wrongCodes) wrong codes in the "
                + "last minute, \(state.usual) are usual",
            remedy: "find out in the log of your proxy who sends them, and keep that out; it ends "
                + "by itself minutes after they have")
    }
}
