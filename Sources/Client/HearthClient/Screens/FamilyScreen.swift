public import Foundation

/// The logic of a screen on which a person sees the family's code, makes and joins families.
@MainActor
public final class FamilyScreen: Screen {
    /// What the screen shows.
    public private(set) var state = FamilyScreenState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Called after each change of the state.
    public var onChange: (@MainActor (FamilyScreenState) -> Void)?

    private let hearth: Hearth
    private let isCreating: Bool

    /// - Parameter isCreating: Whether a person without a family gets one on the first load.
    public init(_ hearth: Hearth, creatingFamily isCreating: Bool = false) {
        self.hearth = hearth
        self.isCreating = isCreating
    }

    /// Reads the families; to be called when the screen appears, and by "pull to refresh".
    public func load() async {
        await attempt {
            var families = try await hearth.families()
            if families.isEmpty, isCreating {
                _ = try await hearth.createFamily()
                families = try await hearth.families()
            }
            state.families = families
        }
        state.isLoading = false
    }

    /// Takes the name that the person types for a new family.
    public func typeName(_ name: String) { state.nameInput = name }

    /// Makes a family of the name that is typed.
    public func create() async {
        guard let name = state.typedName else { return }
        await work {
            if try await hearth.families().isEmpty {
                state.created = try await hearth.createFamily(named: name)
            } else {
                state.created = try await hearth.createAnotherFamily(named: name)
            }
            state.nameInput = ""
            state.families = try await hearth.families()
        }
    }

    /// Draws the code of a family, to be scanned by a person who joins.
    public func drawCode(of family: Family) async {
        await work { state.qrCode = try await hearth.qrCode(of: family.id) }
    }

    /// Takes what the person types, in upper case and at most as long as a code. What is pasted or
    /// scanned may be a whole link.
    public func type(_ text: String) {
        state.codeInput =
            FamilyCode(typed: text)?.text
            ?? String(text.uppercased().prefix(FamilyCode.longestText))
        state.preview = nil
    }

    /// Shows to which family the code belongs.
    public func preview() async {
        guard let code = state.typedCode else { return }
        await work { state.preview = try await hearth.previewCode(code) }
    }

    /// Joins the family of the code.
    public func join() async {
        guard let code = state.typedCode else { return }
        await work {
            let joined = try await hearth.joinFamily(by: code)
            state.joined = joined
            state.codeInput = ""
            state.preview = nil
            state.notice = .success(joined.message)
            state.families = try await hearth.families()
        }
    }

    /// Gives a family a new code. To be confirmed before: the old one stops working.
    public func regenerateCode(of family: Family) async {
        await work {
            try await hearth.regenerateCode(of: family.id)
            state.families = try await hearth.families()
            state.notice = .success("New code generated.")
        }
    }

    /// Leaves a family. To be confirmed before.
    public func leave(_ family: Family) async {
        await work {
            try await hearth.leaveFamily(family.id)
            state.families = try await hearth.families()
            state.notice = .success("You left \(family.name).")
        }
    }

    /// The notice was seen.
    public func dismissNotice() { state.notice = nil }

    private func work(_ body: () async throws -> Void) async {
        state.isWorking = true
        await attempt(body)
        state.isWorking = false
    }

    private func attempt(_ body: () async throws -> Void) async {
        state.notice = nil
        do { try await body() } catch { state.notice = ScreenNotice(error) }
    }
}

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
