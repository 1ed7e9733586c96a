package import Configuration

extension HearthSettings {
    /// Length of new family codes, without the prefix.
    package static let codeLength = Setting<Int>.defaulted(
        "HEARTH_CODE_LENGTH", .integer(6...8), default: "6",
        "The number of characters of new family codes after FAM-. Existing codes stay valid.")

    /// Number of wrong codes per minute, in addition to the usual number, above which people who
    /// join by a code wait for approval.
    package static let wrongCodesPerMinute = Setting<Int>.defaulted(
        "HEARTH_WRONG_CODES_A_MINUTE", .integer(1...1_000_000), default: "60",
        "How many wrong family codes per minute above the usual number, over all processes, make "
            + "every family require approval of people who join by its code.")

    /// The settings for codes that hearth-api stores in the database.
    package static let codes: [any DeclaredSetting] = [codeLength, wrongCodesPerMinute]
}
