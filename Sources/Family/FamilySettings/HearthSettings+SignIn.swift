package import Configuration

extension HearthSettings {
    /// The keys of Hearth's own tokens.
    package static let signingKeysFile = Setting<String?>.optional(
        "HEARTH_SIGNING_KEYS_FILE", .file,
        "The private keys that Hearth signs its own tokens with, in PEM. The first one signs; "
            + "tokens of the others are still accepted. Default: none; only tokens of other "
            + "issuers are accepted, and nobody can sign in here.")
    /// The ways to sign in.
    package static let signInWays = Setting<[String]>.defaulted(
        "HEARTH_SIGN_IN", .someOf(["exchange", "email", "password", "passkey"]),
        default: "exchange,email,password,passkey",
        "The ways in which people can sign in, where HEARTH_SIGNING_KEYS_FILE is set.")

    /// What people call the app.
    package static let appName = Setting<String>.defaulted(
        "HEARTH_APP_NAME", .text, default: "Hearth",
        "What people call the app, in e-mails and on pages.")
    /// The scheme of the app's own links.
    package static let appScheme = Setting<String?>.optional(
        "HEARTH_APP_SCHEME", .scheme,
        "The scheme of links that open the app: e-mails have the link to reset a password as "
            + "SCHEME://reset-password?token=... as well. Default: none.")

    /// Signing in.
    package static let signIn: [any DeclaredSetting] = [signingKeysFile, signInWays]
    /// What e-mails say of the app.
    package static let app: [any DeclaredSetting] = [appName, appScheme]
}

extension Expectation where Value == String {
    /// The scheme of a URL (RFC 3986 section 3.1), other than the web's.
    fileprivate static let scheme = Expectation("a scheme such as example-app") { word in
        let bytes = Array(word.lowercased().utf8)
        let isPlain = bytes.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || "+-.".utf8.contains($0)
        }
        guard let first = bytes.first, (97...122).contains(first), isPlain,
            !["http", "https", "javascript", "data", "file"].contains(word.lowercased())
        else { return nil }
        return word.lowercased()
    }
}
