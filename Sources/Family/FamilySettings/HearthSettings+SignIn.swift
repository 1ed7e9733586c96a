package import Configuration

extension HearthSettings {
    /// File with the keys that sign Hearth's own tokens.
    package static let signingKeysFile = Setting<String?>.optional(
        "HEARTH_SIGNING_KEYS_FILE", .file,
        "The private keys, in PEM, that sign Hearth's own tokens. The first key signs; tokens "
            + "signed with the others are still accepted. Default: none; only tokens of other "
            + "issuers are accepted, and nobody can sign in with Hearth itself.")
    /// The enabled sign-in methods.
    package static let signInWays = Setting<[String]>.defaulted(
        "HEARTH_SIGN_IN", .someOf(["exchange", "email", "password", "passkey"]),
        default: "exchange,email,password,passkey",
        "The ways in which people can sign in, if HEARTH_SIGNING_KEYS_FILE is set.")

    /// The name of the app as people know it.
    package static let appName = Setting<String>.defaulted(
        "HEARTH_APP_NAME", .text, default: "Hearth",
        "The name of the app in e-mails and on pages.")
    /// The URL scheme of the app's own links.
    package static let appScheme = Setting<String?>.optional(
        "HEARTH_APP_SCHEME", .scheme,
        "The scheme of links that open the app. Pages then have a button that opens it, and "
            + "e-mails also contain the link to reset a password as "
            + "SCHEME://reset-password?token=... Default: none.")

    /// The domain that passkeys are registered for.
    package static let passkeyDomain = Setting<String?>.optional(
        "HEARTH_PASSKEY_DOMAIN", .domain,
        "The domain of passkeys: the host of HEARTH_PUBLIC_URL, or a parent domain that your web "
            + "apps share. If you change it, existing passkeys stop working. Default: the host.")
    /// The origins where passkeys may be used.
    package static let passkeyOrigins = Setting<[String]?>.optional(
        "HEARTH_PASSKEY_ORIGINS", .passkeyOrigins,
        "Where passkeys may be used, besides HEARTH_PUBLIC_URL and the apps of "
            + "HEARTH_ANDROID_APPS: web apps, and further Android apps as android:apk-key-hash: "
            + "and the SHA-256 of their certificate in base64url. Default: none.")

    /// The settings for signing in.
    package static let signIn: [any DeclaredSetting] = [
        signingKeysFile, signInWays, passkeyDomain, passkeyOrigins,
    ]
    /// Folder with the operator's own e-mail templates.
    package static let mailTemplates = Setting<String?>.optional(
        "HEARTH_MAIL_TEMPLATES", .folder,
        "A folder with texts of e-mails that replace Hearth's own: LANGUAGE/NAME.subject.txt, "
            + "NAME.txt and NAME.html. 'hearth-admin mail texts' writes a folder to start from. "
            + "Default: none.")

    /// The accent colour of pages and of buttons in e-mails.
    package static let appAccent = Setting<String?>.optional(
        "HEARTH_APP_ACCENT", .text,
        "The accent colour of pages and e-mails, such as #1d5f8a. It needs a contrast of 4.5 on "
            + "white. On dark pages it is lightened; to choose that colour too, give both: "
            + "#1d5f8a,#7cc0ea. Default: Hearth's own.")

    /// The settings for the app's appearance in e-mails.
    package static let app: [any DeclaredSetting] = [
        appName, appScheme, mailTemplates, appAccent,
    ]
}

extension Expectation where Value == [String] {
    /// Origins as browsers and Android send them.
    fileprivate static let passkeyOrigins = Expectation(
        "origins such as https://app.example.org, or android:apk-key-hash: and 43 characters of "
            + "base64url, separated by commas"
    ) { word in
        let parts = word.split { $0 == "," || $0.isWhitespace }.map { String($0) }
        let areExpected = parts.allSatisfy { part in
            let android = "android:apk-key-hash:"
            guard part.hasPrefix(android) else {
                return Expectation<[String]>.origins.value(of: part) != nil
            }
            let hash = part.dropFirst(android.count).utf8
            return hash.count == 43
                && hash.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                        || "-_".utf8.contains($0)
                }
        }
        return !parts.isEmpty && areExpected ? parts : nil
    }
}

extension Expectation where Value == String {
    /// A domain name in lower case.
    fileprivate static let domain = Expectation("a domain such as example.org") { word in
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        let arePlain = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy {
                    (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
        let isNumber = labels.last?.utf8.allSatisfy { (48...57).contains($0) } ?? true
        return arePlain && !isNumber && word.utf8.count <= 253 ? word : nil
    }

    /// Schemes of browsers and systems. No app has them, and some of them run scripts.
    private static let notOfApps: Set = [
        "about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "intent",
        "javascript", "mailto", "sms", "tel", "vbscript", "view-source", "ws", "wss",
    ]

    /// A URL scheme (RFC 3986 section 3.1) other than the web's.
    fileprivate static let scheme = Expectation("a scheme such as example-app") { word in
        let bytes = Array(word.lowercased().utf8)
        let isPlain = bytes.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || "+-.".utf8.contains($0)
        }
        guard let first = bytes.first, (97...122).contains(first), isPlain,
            !notOfApps.contains(word.lowercased())
        else { return nil }
        return word.lowercased()
    }
}
