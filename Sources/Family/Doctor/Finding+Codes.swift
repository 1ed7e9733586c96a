import Repositories

extension Finding {
    /// The finding that the database has another value of a setting for codes than
    /// ``DoctorExpectations``.
    static func notApplied(_ setting: String, wanted: Int, found: Int) -> Finding {
        Finding(
            kind: "code_settings_not_applied",
            message: "the database has \(found) for \(setting), but it is set to \(wanted) here",
            remedy: "restart each hearth-api with this setting; the last one to start sets it")
    }

    /// The finding that somebody guesses codes from many accounts and addresses.
    static func automaticApproval(_ state: GuessingState) -> Finding {
        Finding(
            kind: "approval_automatic",
            message: "every family has required approval since "
                + "\(state.beganAt.map { "\($0)" } ?? "?"): \(state.wrongCodes) wrong codes in the "
                + "last minute, \(state.usual) are usual",
            remedy: "find the sender in your proxy's log and block it; a few minutes after "
                + "the wrong codes end, approval is optional again")
    }
}
