public import Foundation

/// What a screen for a person's families shows.
public struct FamilyScreenState: Sendable, Hashable {
    /// Nothing has been read yet: show placeholders.
    public internal(set) var isLoading = true
    /// Something is being done: keep buttons disabled.
    public internal(set) var isWorking = false
    /// The person's families.
    public internal(set) var families: [Family] = []
    /// The name that the person typed for a new family.
    public internal(set) var nameInput = ""
    /// The family that the person has just made.
    public internal(set) var created: CreatedFamily?
    /// A picture of a family's code, as PNG.
    public internal(set) var qrCode: Data?
    /// What the person typed, pasted or scanned.
    public internal(set) var codeInput = ""
    /// The family of the code, to be confirmed before joining.
    public internal(set) var preview: CodePreview?
    /// The family that the person has just joined.
    public internal(set) var joined: JoinedFamily?
    /// The banner to show.
    public internal(set) var notice: ScreenNotice?

    /// The name that was typed; nil while there is none, so that the button stays disabled.
    public var typedName: String? {
        let name = nameInput.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }
    /// Whether the button to make a family is enabled.
    public var canCreate: Bool { typedName != nil && !isWorking }

    /// The family whose code is shown: the one that the person governs, else the first.
    public var ownFamily: Family? {
        families.first { $0.householdRole == .parentAdmin } ?? families.first
    }

    /// The code that was typed; nil until it is one, so that the button stays disabled.
    public var typedCode: FamilyCode? { FamilyCode(typed: codeInput) }
    /// Whether the button to join is enabled.
    public var canJoin: Bool { typedCode != nil && !isWorking }
    /// Whether the person can't have wanted what is typed: shown below the field.
    public var codeMessage: String? {
        codeInput.count >= 10 && typedCode == nil
            ? "Invalid family code format. Codes look like FAM-XXXXXX" : nil
    }

    /// How the code is read out.
    public var codeAccessibilityLabel: String {
        guard let code = ownFamily?.code else { return "No family code" }
        return "Family code: "
            + code.map { $0 == "-" ? "dash" : String($0) }.joined(separator: " ")
    }

    /// What stands where there are no families.
    public var emptyText: String? {
        !isLoading && families.isEmpty
            ? "No families joined yet. Ask a player for their code." : nil
    }
}
