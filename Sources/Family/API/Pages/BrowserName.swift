package import Domain

/// A readable name of a browser, such as `Firefox, Linux`. It is only displayed.
package struct BrowserName {
    /// The name; nil for an unknown browser.
    package let label: Label?
    /// The device's system, such as `iPhone`; nil for an unknown one.
    let system: String?

    // Browsers also name those that they imitate, so the first match counts.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    package init(_ userAgent: String) {
        func name(_ known: [(mark: String, name: String)]) -> String? {
            known.first { userAgent.contains($0.mark) }?.name
        }
        system = name(Self.systems)
        let parts = [name(Self.browsers), system].compactMap { $0 }
        label = parts.isEmpty ? nil : Label(parts.joined(separator: ", "))
    }
}
