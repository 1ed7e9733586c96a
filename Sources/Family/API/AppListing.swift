import Basics
import Crypto
package import Domain

/// The operator's branding of the pages: accent colour, logo, and links at the end of each page.
package struct AppLook: Sendable {
    package let accent: AccentColors?
    package let logo: AppLogo?
    package let links: [AppLink]
    /// The style of all pages.
    let style: PreparedDocument

    package init(accent: AccentColors? = nil, logo: AppLogo? = nil, links: [AppLink] = []) {
        self.accent = accent
        self.logo = logo
        self.links = links
        style = accent.map { Self.style($0) } ?? Self.plainStyle
    }

    private static let plainStyle = style(nil)

    private static func style(_ accent: AccentColors?) -> PreparedDocument {
        PreparedDocument(
            mediaType: "text/css; charset=utf-8",
            bytes: Array((PageStyle.css + FamilyStyle.css + colors(accent)).utf8))
    }

    /// Returns the rules that replace Hearth's own colours.
    private static func colors(_ accent: AccentColors?) -> String {
        guard let accent else { return "" }
        func rule(_ color: AccentColors.Color) -> String {
            ":root { --accent: \(color.hex); --press: \(color.hex); --house: \(color.hex); }"
        }
        return """
            \(rule(accent.light))
            @media (prefers-color-scheme: dark) { \(rule(accent.dark)) }

            """
    }
}

/// A link at the end of each page, such as to the privacy policy.
package struct AppLink: Sendable, Equatable {
    let name: String
    let address: String

    /// Parses a name and an address, separated by a space.
    package init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count > 1, let address = words.last else { return nil }
        name = words.dropLast().joined(separator: " ")
        self.address = String(address)
    }
}

/// The operator's logo, which pages show in place of Hearth's emblem.
package struct AppLogo: Sendable {
    /// The picture, with headers that prevent browsers from running scripts in it.
    let document: PreparedDocument

    /// Maximum size of the file.
    package static let limitBytes = 100 * 1_024

    /// The reason why a file can't be the logo.
    package struct Mistake: Error, Equatable {
        package let sentence: String

        package init(sentence: String) { self.sentence = sentence }
    }

    /// - Parameter bytes: A PNG, WebP or SVG file.
    package init(_ bytes: [UInt8]) throws(Mistake) {
        let mediaType: String
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            mediaType = "image/png"
        } else if bytes.starts(with: Array("RIFF".utf8)),
            bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
        {
            mediaType = "image/webp"
        } else {
            try Self.checkSVG(bytes)
            mediaType = "image/svg+xml"
        }
        // An SVG opened by its own address is a document of this site, so it must not run scripts.
        document = PreparedDocument(
            mediaType: mediaType, bytes: bytes, cacheSeconds: 3_600,
            headers: [
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; sandbox"
                )
            ])
    }

    /// Refuses elements that a picture does not need, or that could run or load something. The
    /// response's headers would block them anyway; the refusal informs the operator.
    private static func checkSVG(_ bytes: [UInt8]) throws(Mistake) {
        guard let text = String(validating: bytes, as: UTF8.self)?.lowercased(),
            text.contains(/<svg[\s>]/), text.contains("</svg>")
        else { throw Mistake(sentence: "it is no PNG, WebP or SVG picture") }
        let parts = [
            "<script", "<foreignobject", "<iframe", "<!doctype", "<!entity", "javascript:",
            "<?xml-stylesheet", "@import",
        ]
        if let part = parts.first(where: { text.contains($0) }) {
            throw Mistake(sentence: "the SVG contains '\(part)', which a logo does not need")
        }
        if text.contains(/[\s"'\/]on[a-z]+\s*=/) {
            throw Mistake(sentence: "the SVG contains an event handler, which a logo does not need")
        }
        if text.contains(/(href|src)\s*=\s*["']?\s*[^"'#\s]/)
            || text.contains(/url\(\s*["']?[^"'#\s]/)
        {
            throw Mistake(sentence: "the SVG refers to another file, which a logo must not")
        }
    }
}

/// The app as pages present it: its name, its store pages, and the address for support.
package struct AppListing: Sendable {
    package let name: String
    /// The app's page in Apple's store; nil if the app is not there.
    package let appStoreURL: String?
    /// The app's page in Google's store; nil if the app is not there.
    package let playStoreURL: String?
    /// Address for people's questions; nil if pages show none.
    package let supportEmail: String?
    /// Scheme of links that open the app; nil if it has none.
    package let scheme: String?
    /// The operator's branding of the pages.
    package let look: AppLook

    package init(
        name: String = "Hearth", appStoreURL: String? = nil, playStoreURL: String? = nil,
        supportEmail: String? = nil, scheme: String? = nil, look: AppLook = AppLook()
    ) {
        self.name = name
        self.appStoreURL = appStoreURL
        self.playStoreURL = playStoreURL
        self.supportEmail = supportEmail
        self.scheme = scheme
        self.look = look
    }
}

/// An Android app, and the certificates that may sign it.
package struct AndroidApp: Sendable, Hashable {
    /// Name of the app's package, such as `org.example.family`.
    package let package: String
    /// SHA-256 fingerprints of the certificates, as `keytool` prints them.
    package let fingerprints: [String]

    /// Origins that the app's passkeys report.
    package var passkeyOrigins: [String] {
        fingerprints.map { fingerprint in
            let bytes = fingerprint.split(separator: ":").compactMap { UInt8($0, radix: 16) }
            return "android:apk-key-hash:" + Base64URL.text(bytes)
        }
    }

    /// Parses `package:fingerprint` pairs, several of which may name the same app.
    package static func all(of pairs: [String]) -> [AndroidApp] {
        var apps: [AndroidApp] = []
        for pair in pairs {
            let parts = pair.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (name, fingerprint) = (String(parts[0]), parts[1].uppercased())
            let known = apps.firstIndex { $0.package == name }
            let others = known.map { apps.remove(at: $0).fingerprints } ?? []
            apps.append(AndroidApp(package: name, fingerprints: others + [fingerprint]))
        }
        return apps
    }
}
