import DomainCore
public import Foundation

/// A family's code, such as `FAM-7K2Q9D`, in the one form in which Hearth writes it.
public struct FamilyCode: Sendable, Hashable, CustomStringConvertible {
    /// `FAM-` and six to eight letters or digits.
    public let text: String

    /// Reads a code that somebody typed, pasted or scanned: in any letter case and width, with or
    /// without `FAM-`, with digits of any script, with blanks or dashes in it, or as Hearth's own
    /// link to join. Nil if it is none, so a button can stay disabled until it is one.
    public init?(typed: String) {
        if let url = URL(string: typed.trimmingCharacters(in: .whitespacesAndNewlines)),
            url.scheme != nil, url.host != nil
        {
            guard case .familyCode(let code)? = HearthLink(url) else { return nil }
            self = code
            return
        }
        guard let code = DomainCore.FamilyCode(typed) else { return nil }
        text = code.text
    }

    /// `FAM-` and six to eight letters or digits.
    public var description: String { text }

    /// How many characters the longest code has, its prefix included.
    static let longestText = "FAM-".count + DomainCore.FamilyCode.lengths.upperBound
}

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
