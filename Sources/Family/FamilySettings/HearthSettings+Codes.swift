package import Configuration

extension HearthSettings {
    /// How long new family codes are.
    package static let codeLength = Setting<Int>.defaulted(
        "HEARTH_CODE_LENGTH", .integer(6...8), default: "6",
        "How many characters new family codes have after FAM-. Existing codes stay valid.")

    /// From how many wrong codes on joining by a code waits for approval.
    package static let wrongCodesPerMinute = Setting<Int>.defaulted(
        "HEARTH_WRONG_CODES_A_MINUTE", .integer(1...1_000_000), default: "60",
        "How many wrong family codes a minute above the usual number, in all processes together, "
            + "make joining by a code wait for the family's approval.")

    /// What the database has to know about codes; hearth-api stores it there.
    package static let codes: [any DeclaredSetting] = [codeLength, wrongCodesPerMinute]
}
