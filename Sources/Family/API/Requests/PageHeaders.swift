/// The headers of pages for people: they run no scripts, load nothing from other sites and send
/// nothing to them.
enum PageHeaders {
    static let all: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
        ("X-Robots-Tag", "noindex"),
    ]
}
