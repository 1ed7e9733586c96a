public import Foundation

/// The logic of a screen that shows the family's code, and on which people create and join
/// families.
@MainActor
public final class FamilyScreen: Screen {
    /// Content of the screen.
    public private(set) var state = FamilyScreenState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (FamilyScreenState) -> Void)?

    private let hearth: Hearth
    private let isCreating: Bool

    /// - Parameter isCreating: If true, the first load creates a family for a person who has none.
    public init(_ hearth: Hearth, creatingFamily isCreating: Bool = false) {
        self.hearth = hearth
        self.isCreating = isCreating
    }

    /// Loads the families. Call it when the screen appears, and for "pull to refresh".
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

    /// Sets the name that the person types for a new family.
    public func typeName(_ name: String) { state.nameInput = name }

    /// Creates a family with the typed name.
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

    /// Loads a family's code as a QR code, which a person who joins can scan.
    public func drawCode(of family: Family) async {
        await work { state.qrCode = try await hearth.qrCode(of: family.id) }
    }

    /// Sets the code that the person types, in upper case and cut to the longest code. Pasted or
    /// scanned text may be a whole link.
    public func type(_ text: String) {
        state.codeInput =
            FamilyCode(typed: text)?.text
            ?? String(text.uppercased().prefix(FamilyCode.longestText))
        state.preview = nil
    }

    /// Shows the family that the code belongs to.
    public func preview() async {
        guard let code = state.typedCode else { return }
        await work { state.preview = try await hearth.previewCode(code) }
    }

    /// Joins the family that the code belongs to.
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

    /// Replaces a family's code. Ask for confirmation first: the old code stops working.
    public func regenerateCode(of family: Family) async {
        await work {
            try await hearth.regenerateCode(of: family.id)
            state.families = try await hearth.families()
            state.notice = .success("New code generated.")
        }
    }

    /// Leaves a family. Ask for confirmation first.
    public func leave(_ family: Family) async {
        await work {
            try await hearth.leaveFamily(family.id)
            state.families = try await hearth.families()
            state.notice = .success("You left \(family.name).")
        }
    }

    /// Dismisses the notice.
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

/// Content of a screen for a person's families.
public struct FamilyScreenState: Sendable, Hashable {
    /// Whether nothing has been loaded yet: show placeholders.
    public internal(set) var isLoading = true
    /// Whether an action is in progress: disable buttons.
    public internal(set) var isWorking = false
    /// The person's families.
    public internal(set) var families: [Family] = []
    /// Name that the person typed for a new family.
    public internal(set) var nameInput = ""
    /// Family that the person has just created.
    public internal(set) var created: CreatedFamily?
    /// A family's code as a QR code, in PNG.
    public internal(set) var qrCode: Data?
    /// Code that the person typed, pasted or scanned.
    public internal(set) var codeInput = ""
    /// Family that the code belongs to, to be confirmed before joining.
    public internal(set) var preview: CodePreview?
    /// Family that the person has just joined, with the outcome.
    public internal(set) var joined: JoinedFamily?
    /// Banner to show.
    public internal(set) var notice: ScreenNotice?

    /// The typed name, trimmed; nil while it is empty, so that the button stays disabled.
    public var typedName: String? {
        let name = nameInput.trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : name
    }
    /// Whether the button to create a family is enabled.
    public var canCreate: Bool { typedName != nil && !isWorking }

    /// Family whose code is shown: the one that the person governs, else the first.
    public var ownFamily: Family? {
        families.first { $0.householdRole == .parentAdmin } ?? families.first
    }

    /// The typed code; nil until it is complete, so that the button stays disabled.
    public var typedCode: FamilyCode? { FamilyCode(typed: codeInput) }
    /// Whether the button to join is enabled.
    public var canJoin: Bool { typedCode != nil && !isWorking }
    /// Message below the field while the typed text can't be a code; else nil.
    public var codeMessage: String? {
        codeInput.count >= 10 && typedCode == nil
            ? "Invalid family code format. Codes look like FAM-XXXXXX" : nil
    }

    /// Accessibility label of the code, spelled out.
    public var codeAccessibilityLabel: String {
        guard let code = ownFamily?.code else { return "No family code" }
        return "Family code: "
            + code.map { $0 == "-" ? "dash" : String($0) }.joined(separator: " ")
    }

    /// Text to show if there are no families.
    public var emptyText: String? {
        !isLoading && families.isEmpty
            ? "No families joined yet. Ask a player for their code." : nil
    }
}
