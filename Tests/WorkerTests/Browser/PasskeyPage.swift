import HTTPServer
import Synchronization

/// A page of another server on this machine, with a form that `/passkeys.js` drives.
final class PasskeyPage: Sendable {
    private let server: Server
    /// Origin of the page, for which the browser's passkeys are valid.
    var origin: String { "http://localhost:\(server.port)" }

    /// - Parameters:
    ///   - form: Attributes of the page's form.
    ///   - api: The origin of the script and its options.
    init(form: String, api: String) throws {
        var settings = ServerSettings()
        settings.port = 0
        let page = """
            <!doctype html><title>Passkeys</title>
            <form method="get" action="/sent" hidden \(form)>
            <input type="hidden" name="credential"><button>Go</button>
            <p data-passkey-failure hidden>It failed.</p></form>
            <script src="\(api)/passkeys.js" defer></script>
            """
        let policy = "default-src 'none'; script-src \(api); connect-src \(api); form-action 'self'"
        let handler = FunctionHandler { request in
            let body = request.path == "/page" ? page : "<!doctype html><title>Sent</title>"
            return Response(
                status: 200,
                headers: Headers([
                    .init(name: "Content-Type", value: "text/html"),
                    .init(name: "Content-Security-Policy", value: policy),
                ]), body: Array(body.utf8))
        }
        server = try Server(settings, handler: handler) { _ in }
    }

    deinit { server.stop() }
}
