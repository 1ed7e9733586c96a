import API
import HTTPServer

/// Files and checks that need no session.
enum ConsoleFiles {
    /// Returns the response to a request for one of the files; nil for any other request.
    static func reply(to request: Request) -> Response? {
        guard [.get, .head].contains(request.method) else { return nil }
        switch request.path {
        case "/healthz": return ConsoleReply.text("ok")
        case "/console.css": return file(ConsoleStyle.css, "text/css; charset=utf-8")
        case "/console.js": return file(ConsoleScript.source, "text/javascript; charset=utf-8")
        case "/favicon.ico":
            return Response(
                status: 200,
                headers: Headers([
                    .init(name: "Content-Type", value: "image/svg+xml"),
                    .init(name: "Cache-Control", value: "max-age=86400"),
                ]), body: Array(ConsoleLayout.emblem.text.utf8))
        default: return nil
        }
    }

    private static func file(_ text: String, _ type: String) -> Response {
        Response(
            status: 200,
            headers: Headers([
                .init(name: "Content-Type", value: type),
                .init(name: "Cache-Control", value: "no-cache"),
                .init(name: "X-Content-Type-Options", value: "nosniff"),
            ]), body: Array(text.utf8))
    }
}

/// Responses of the console.
enum ConsoleReply {
    /// Security headers of all console responses: content comes only from the console's own origin,
    /// and responses are not cached.
    static let headers: [Headers.Field] = [
        .init(
            name: "Content-Security-Policy",
            value: "default-src 'none'; img-src 'self'; connect-src 'self'; script-src 'self'; "
                + "style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
        .init(name: "Referrer-Policy", value: "no-referrer"),
        .init(name: "X-Robots-Tag", value: "noindex"),
        .init(name: "X-Content-Type-Options", value: "nosniff"),
        .init(name: "Cross-Origin-Opener-Policy", value: "same-origin"),
        .init(name: "Cache-Control", value: "no-store"),
        .init(name: "Vary", value: "Cookie"),
    ]

    static func text(_ text: String, status: Int = 200) -> Response {
        Response(
            status: status,
            headers: Headers(
                headers + [.init(name: "Content-Type", value: "text/plain; charset=utf-8")]),
            body: Array((text + "\n").utf8))
    }

    static func page(_ html: String, status: Int = 200) -> Response {
        Response(
            status: status,
            headers: Headers(
                headers + [.init(name: "Content-Type", value: "text/html; charset=utf-8")]),
            body: Array(html.utf8))
    }

    /// Returns a file that the browser stores. Its name must need no escaping.
    static func download(_ bytes: [UInt8], named name: String, type: String) -> Response {
        Response(
            status: 200,
            headers: Headers(
                headers + [
                    .init(name: "Content-Type", value: type),
                    .init(
                        name: "Content-Disposition", value: "attachment; filename=\"\(name)\""),
                ]), body: bytes)
    }

    /// Redirects to a path of the console, with GET.
    static func redirect(to path: String, cookie: String? = nil) -> Response {
        var fields = headers + [.init(name: "Location", value: path)]
        if let cookie { fields.append(.init(name: "Set-Cookie", value: cookie)) }
        return Response(status: 303, headers: Headers(fields))
    }
}
