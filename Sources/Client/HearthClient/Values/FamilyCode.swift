import DomainCore
public import Foundation

/// A family's code, such as `FAM-7K2Q9D`, in Hearth's canonical form.
public struct FamilyCode: Sendable, Hashable, CustomStringConvertible {
    /// The code: `FAM-` and six to eight letters or digits.
    public let text: String

    /// Parses a code that somebody typed, pasted or scanned: in any letter case and width, with or
    /// without `FAM-`, with digits of any script, with blanks or dashes, or as Hearth's own join
    /// link. Returns nil if it is not a code, so that a button can stay disabled until it is one.
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

    /// The code: `FAM-` and six to eight letters or digits.
    public var description: String { text }

    /// Length of the longest code, including its prefix.
    static let longestText = "FAM-".count + DomainCore.FamilyCode.lengths.upperBound
}

extension FamilyCode: Codable {
    /// Decodes the code from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let typed = try container.decode(String.self)
        guard let code = FamilyCode(typed: typed) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a family code, such as FAM-7K2Q9D")
        }
        self = code
    }

    /// Encodes the code as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The destination of a Hearth link: a universal link, an app's own scheme or a scanned QR code.
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
/// The host is not checked: a universal link reaches an app only for the hosts that the app
/// declares, and a token is sent only to the app's own Hearth. An app can store a link until the
/// person has signed in.
public enum HearthLink: Sendable, Hashable, Codable {
    /// An invitation: `/join?token=`.
    case invitation(token: String)
    /// A family's code: `/join?code=`.
    case familyCode(FamilyCode)
    /// A password reset: `/reset-password?token=`, which may be in an app's own scheme.
    case resetPassword(token: String)
    /// A mailed sign-in link: `/sign-in?token=`.
    case signIn(token: String)

    /// Parses a link; returns nil for any other URL.
    public init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return nil
        }
        func value(_ name: String) -> String? {
            let found = parts.queryItems?.first { $0.name == name }?.value
            return found.flatMap { $0.isEmpty ? nil : $0 }
        }
        // In `app://reset-password?token=` the page is where other links have their host.
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
