package import Configuration

extension HearthSettings {
    /// How long new family codes are.
    package static let codeLength = Setting<Int>.defaulted(
        "HEARTH_CODE_LENGTH", .integer(6...8), default: "6",
        "How many characters new family codes have after FAM-. Codes that are there stay good.")

    /// What the database has to know about codes; hearth-api stores it there.
    package static let codes: [any DeclaredSetting] = [codeLength]
}
