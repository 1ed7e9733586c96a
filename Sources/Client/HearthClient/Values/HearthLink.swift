public import Foundation

/// What a link of Hearth's leads to: a universal link, an app's own scheme or a scanned QR code.
///
/// ```swift
/// ContentView().onOpenURL { url in
///     switch HearthLink(url) {
///     case .invitation(let token): invited = token
///     case .familyCode(let code): typedCode = code
///     default: break
///     }
/// }
/// ```
///
/// Whose host the link has is not looked at: a universal link reaches an app only for the hosts
/// that it names, and a token is sent to the app's own Hearth only.
public enum HearthLink: Sendable, Hashable {
    /// `/join?token=`: an invitation.
    case invitation(token: String)
    /// `/join?code=`: a family's code.
    case familyCode(FamilyCode)
    /// `/reset-password?token=`, also in an app's own scheme.
    case resetPassword(token: String)
    /// `/sign-in?token=`: a mailed link.
    case signIn(token: String)

    /// Nil for any other link.
    public init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return nil
        }
        func value(_ name: String) -> String? {
            let found = parts.queryItems?.first { $0.name == name }?.value
            return found.flatMap { $0.isEmpty ? nil : $0 }
        }
        // `app://reset-password?token=` has its page where other links have their host.
        let isWeb = ["http", "https"].contains(parts.scheme?.lowercased() ?? "")
        let page = isWeb ? url.lastPathComponent : parts.host ?? ""
        switch page {
        case "join":
            if let token = value("token") {
                self = .invitation(token: token)
            } else if let code = value("code").flatMap(FamilyCode.init(typed:)) {
                self = .familyCode(code)
            } else {
                return nil
            }
        case "reset-password":
            guard let token = value("token") else { return nil }
            self = .resetPassword(token: token)
        case "sign-in":
            guard let token = value("token") else { return nil }
            self = .signIn(token: token)
        default: return nil
        }
    }
}
