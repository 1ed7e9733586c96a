/// The logic of a screen on which people sign in: with a mailed code, a password, a passkey or the
/// token of an identity provider such as Apple.
///
/// ```
///  address -- sendCode() --> code -- submitCode() --> signed in
///     |                        ^
///     +-- signInByPassword(), signIn(with:) ------------> signed in
///     +-- signUp() ------------+
/// ```
@MainActor
public final class SignInScreen: Screen {
    /// Content of the screen.
    public private(set) var state = SignInScreenState() {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (SignInScreenState) -> Void)?

    private let account: Account
    /// The ticket that belongs to the last code.
    private var ticket: SignInTicket?
    /// Language of banners.
    var language = SentenceLanguage.current

    /// - Parameter account: The account of this device, which stores the session.
    public init(_ account: Account) { self.account = account }

    /// Shows whether somebody is signed in already. Needs no network.
    public func load() async {
        do {
            let session = try await account.session
            state.signedIn = session?.userID
        } catch {
            state.notice = ScreenNotice(error, in: language)
        }
        state.isLoading = false
    }

    /// Sets the address that the person types.
    public func type(email: String) { state.emailInput = email }

    /// Sets the code that the person types or pastes.
    public func type(code: String) { state.codeInput = code }

    /// Sets the name and the side of a person who is signing up.
    public func type(name: String, role: MemberRole) {
        state.nameInput = name
        state.roleInput = role
    }

    // MARK: By a mailed code

    /// Mails a code to the typed address; afterwards the screen asks for the code. Called again, it
    /// mails another code.
    public func sendCode() async {
        guard state.canSendCode else { return }
        await work {
            ticket = try await account.requestCode(email: state.address)
            state.codeInput = ""
            state.step = .code
        }
    }

    /// Signs in with the typed code. After too many wrong ones, the screen asks for the address
    /// again.
    public func submitCode() async {
        guard let ticket, state.canSubmitCode else { return }
        await work {
            do {
                finish(try await account.signIn(ticket, code: state.codeInput))
            } catch let error as HearthError where error.code == .codeExpired {
                startOver()
                throw error
            }
        }
    }

    /// Asks for the address again.
    public func startOver() {
        ticket = nil
        state.codeInput = ""
        state.step = .address
    }

    /// Signs in with the link of an e-mail that the app has opened (`HearthLink.signIn`).
    public func open(linkToken: String) async {
        await work { finish(try await account.signIn(linkToken: linkToken)) }
    }

    // MARK: By a password

    /// Signs in with the typed address and a password.
    public func signIn(password: String) async {
        guard state.canSendCode else { return }
        await work {
            finish(try await account.signIn(email: state.address, password: password))
        }
    }

    /// Requests an account with a password; afterwards the screen asks for the mailed code.
    public func signUp(password: String) async {
        guard state.canSendCode, let role = state.roleInput else { return }
        await work {
            ticket = try await account.signUp(
                email: state.address, password: password, fullName: state.nameInput, role: role)
            state.codeInput = ""
            state.step = .code
        }
    }

    /// Mails a link with which the password can be changed.
    public func requestPasswordReset() async {
        guard state.canSendCode else { return }
        await work {
            try await account.requestPasswordReset(email: state.address)
            state.notice = .success(ScreenSentence.linkMailed.text(in: language))
        }
    }

    // MARK: By a passkey or a provider

    /// Returns the options with which the system asks the person for a passkey; nil if they can't
    /// be loaded, which the notice explains.
    public func passkeyOptions() async -> PasskeyOptions? {
        var options: PasskeyOptions?
        await work { options = try await account.passkeyOptions() }
        return options
    }

    /// Signs in with the passkey that the person has chosen.
    public func signIn(with passkey: PasskeyCredential) async {
        await work { finish(try await account.signIn(with: passkey)) }
    }

    /// Signs in with the token of an identity provider, such as the identity token of an
    /// `ASAuthorizationAppleIDCredential`.
    public func signIn(with token: ProviderToken) async {
        await work { finish(try await account.signIn(with: token)) }
    }

    /// Shows that the system's dialog for a passkey or a provider has failed. Don't call it if the
    /// person has cancelled the dialog.
    public func fail(_ error: any Error) {
        state.notice = ScreenNotice(
            HearthError.signInFailed(underlying: error), in: language)
    }

    // MARK: Signing out

    /// Signs out: at once on this device.
    public func signOut() async {
        await work {
            defer {
                state.signedIn = nil
                startOver()
            }
            try await account.signOut()
        }
    }

    /// Dismisses the notice.
    public func dismissNotice() { state.notice = nil }

    private func finish(_ signedIn: SignedIn) {
        startOver()
        state.emailInput = ""
        state.isNew = signedIn.isNew
        state.needsNameOrRole = signedIn.profile?.lacksNameOrRole ?? false
        state.signedIn = signedIn.session.userID
    }

    private func work(_ body: () async throws -> Void) async {
        state.isWorking = true
        state.notice = nil
        do { try await body() } catch { state.notice = ScreenNotice(error, in: language) }
        state.isWorking = false
    }
}

/// Content of a screen for signing in.
public struct SignInScreenState: Sendable, Hashable {
    /// Step that the screen shows.
    public enum Step: Sendable, Hashable {
        /// Address, password, passkey and providers.
        case address
        /// The mailed code.
        case code
    }

    /// Whether the stored session has not been read yet.
    public var isLoading = true
    /// Whether an action is in progress: disable buttons.
    public var isWorking = false
    /// Step that the screen shows.
    public var step = Step.address
    /// The person who is signed in; nil while nobody is.
    public var signedIn: UserID?
    /// Whether the sign-in has created the account.
    public var isNew = false
    /// Whether to ask the person for name and role next, as `FamilyScreen.introduce(name:role:)`
    /// does. After a restart of the app, `FamilyScreenState.profile` says the same.
    public var needsNameOrRole = false
    /// Address that the person types.
    public var emailInput = ""
    /// Code that the person types.
    public var codeInput = ""
    /// Name that a person types when signing up.
    public var nameInput = ""
    /// Side that a person chooses when signing up.
    public var roleInput: MemberRole?
    /// Banner to show.
    public var notice: ScreenNotice?

    /// Creates the state before loading; for previews, set the properties.
    public init() {}

    /// The typed address, trimmed.
    public var address: String { emailInput.filter { !$0.isWhitespace } }
    /// Whether buttons that need an address are enabled.
    public var canSendCode: Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        return !isWorking && parts.count == 2 && !parts[0].isEmpty
            && parts[1].split(separator: ".").count > 1
    }
    /// Whether the button that signs in with the code is enabled.
    public var canSubmitCode: Bool {
        !isWorking && codeInput.filter(\.isNumber).count == 6
    }
}
