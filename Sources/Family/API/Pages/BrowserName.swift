import Domain

/// What people call a browser: `Firefox, Linux`. Nothing depends on it.
struct BrowserName {
    /// Nil for a browser that is not known.
    let label: Label?
    /// The device's system, such as `iPhone`; nil for one that is not known.
    let system: String?

    // Browsers name those that they want to be taken for as well: the first that is found counts.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
    ]

    init(_ userAgent: String) {
        func name(_ known: [(mark: String, name: String)]) -> String? {
            known.first { userAgent.contains($0.mark) }?.name
        }
        system = name(Self.systems)
        let parts = [name(Self.browsers), system].compactMap { $0 }
        label = parts.isEmpty ? nil : Label(parts.joined(separator: ", "))
    }
}
