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
