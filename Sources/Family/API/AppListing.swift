import Crypto

/// The app as people know it: its name, where to get it, and who helps.
package struct AppListing: Sendable {
    package let name: String
    /// Its page in Apple's store; nil where it is in none.
    package let appStoreURL: String?
    /// Its page in Google's store.
    package let playStoreURL: String?
    /// Where pages send people with questions; nil where they name no address.
    package let supportEmail: String?

    package init(
        name: String = "Hearth", appStoreURL: String? = nil, playStoreURL: String? = nil,
        supportEmail: String? = nil
    ) {
        self.name = name
        self.appStoreURL = appStoreURL
        self.playStoreURL = playStoreURL
        self.supportEmail = supportEmail
    }
}

/// An Android app, and the certificates that it may be signed with.
package struct AndroidApp: Sendable, Hashable {
    /// `org.example.family`
    package let package: String
    /// SHA-256 fingerprints, as `keytool` prints them.
    package let fingerprints: [String]

    /// What its passkeys name as where they were used.
    package var passkeyOrigins: [String] {
        fingerprints.map { fingerprint in
            let bytes = fingerprint.split(separator: ":").compactMap { UInt8($0, radix: 16) }
            return "android:apk-key-hash:" + Base64URL.text(bytes)
        }
    }

    /// The apps of `package:fingerprint` pairs, of which several may name one app.
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
