package import Configuration

extension HearthSettings {
    /// Address of the app in Apple's App Store.
    package static let appStoreURL = Setting<String?>.optional(
        "HEARTH_APP_STORE_URL", .webAddress,
        "The app's page in Apple's App Store. Pages send people without the app there. Default: "
            + "none.")
    /// Address of the app in Google Play.
    package static let playStoreURL = Setting<String?>.optional(
        "HEARTH_PLAY_STORE_URL", .webAddress,
        "The app's page in Google Play, used like HEARTH_APP_STORE_URL. Default: none.")
    /// E-mail address for support.
    package static let supportEmail = Setting<String?>.optional(
        "HEARTH_SUPPORT_EMAIL", .supportAddress,
        "The e-mail address for questions, shown on pages. Default: none.")
    /// Android apps that open links.
    package static let androidApps = Setting<[String]?>.optional(
        "HEARTH_ANDROID_APPS", .androidApps,
        "The Android apps that open links to Hearth's pages and use its passkeys: "
            + "PACKAGE:FINGERPRINT, where FINGERPRINT is the SHA-256 fingerprint of the signing "
            + "certificate as keytool prints it. Default: none.")

    /// File with the app's logo.
    package static let appLogoFile = Setting<String?>.optional(
        "HEARTH_APP_LOGO_FILE", .file,
        "The app's logo on pages: a PNG, WebP or SVG file of at most 100 KiB. Default: Hearth's "
            + "emblem.")
    /// Links at the end of each page.
    package static let appLinks = Setting<[String]?>.optional(
        "HEARTH_APP_LINKS", .namedLinks,
        "Links at the end of each page, separated by commas: a name, a space and an address, such "
            + "as 'Privacy https://example.org/privacy, Terms of use https://example.org/terms'. "
            + "Default: none.")
    /// Sign-in links of a demonstration.
    package static let demoLinksFile = Setting<String?>.optional(
        "HEARTH_DEMO_LINKS_FILE", .file,
        "The sign-in links of a demonstration, as scripts/run --demo writes them. Whoever has a "
            + "link is signed in as its person, so HEARTH_PUBLIC_URL must name this machine. "
            + "Default: none.")

    /// Settings for the app's pages.
    package static let pages: [any DeclaredSetting] = [
        appStoreURL, playStoreURL, supportEmail, androidApps, appLogoFile, appLinks,
        demoLinksFile,
    ]
}

extension Expectation where Value == [String] {
    private static let mostLinks = 8
    private static let longestName = 40

    /// Names, each with the address of a web page.
    fileprivate static let namedLinks = Expectation(
        "up to 8 names of at most 40 characters, each followed by a space and an address such as "
            + "https://example.org/privacy, separated by commas"
    ) { word in
        let links = word.split(separator: ",", omittingEmptySubsequences: false).map { link in
            link.split(whereSeparator: \.isWhitespace)
        }
        let areExpected = links.allSatisfy { words in
            guard words.count > 1, let address = words.last else { return false }
            let name = words.dropLast().joined(separator: " ")
            return name.count <= longestName && !name.unicodeScalars.contains { $0.value < 0x20 }
                && Expectation<String>.webAddress.value(of: String(address)) != nil
        }
        guard areExpected, links.count <= mostLinks else { return nil }
        return links.map { $0.joined(separator: " ") }
    }
}

extension Expectation where Value == String {
    /// An address of a web page.
    fileprivate static let webAddress = Expectation(
        "an address such as https://apps.example.org/family"
    ) { word in
        let isPlain = word.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !"\"'<>\\".utf8.contains($0)
        }
        let host = word.dropFirst("https://".count).prefix { $0 != "/" }
        return isPlain && word.hasPrefix("https://") && host.contains(".") ? word : nil
    }

    /// An e-mail address for a `mailto:` link.
    fileprivate static let supportAddress = Expectation("an e-mail address") {
        word in
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = word.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || "@.-_+".utf8.contains($0)
        }
        guard isPlain, parts.count == 2, !parts[0].isEmpty, parts[1].contains("."),
            !parts[1].hasPrefix("."), !parts[1].hasSuffix(".")
        else { return nil }
        return word
    }
}
