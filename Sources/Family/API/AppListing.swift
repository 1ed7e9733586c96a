import Crypto

/// The app as pages present it: its name, its store pages, and the address for support.
package struct AppListing: Sendable {
    package let name: String
    /// Its page in Apple's store; nil if it is not there.
    package let appStoreURL: String?
    /// Its page in Google's store; nil if it is not there.
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
