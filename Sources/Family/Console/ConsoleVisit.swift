import API
import Basics
import Domain
import HTTPServer
import Policy
import Postgres
import Repositories
import UseCases

/// A request for a page of the console, with the operator who sends it.
struct ConsoleVisit: Sendable {
    let services: ConsoleServices
    let request: Request
    let parameters: PathParameters
    /// The session's token; nil if the browser has sent none.
    let token: ConsoleToken?
    /// The operator of the session; nil if nobody is signed in.
    let `operator`: ConsoleOperator?
    /// The operator whom the trusted proxy names in this request.
    let proxied: ConsoleProxy.Claim
    /// The fields of an accepted form.
    var form: FormBody?
    /// The text in the search field of the page; nil if it is empty.
    var searchText: String?
    /// The code of a refusal that the page shows beside its form; nil for none.
    private let shownRefusal = Lock<String?>(nil)

    init(
        _ services: ConsoleServices, _ request: Request, _ parameters: PathParameters
    ) throws {
        self.services = services
        self.request = request
        self.parameters = parameters
        token = Cookies(request.headers).value(Self.cookieName(services.site))
            .flatMap { ConsoleToken($0) }
        let claim = services.proxy?.claim(in: request, now: services.now()) ?? .nobody
        proxied = claim
        `operator` = try token.flatMap { try Self.session($0, services, claim) }
    }

    /// The code of the refusal that the page shows; nil for none.
    var shownCode: String? { shownRefusal.withLock { $0 } }

    /// Records a refusal that the page shows beside its form, for the log and the trace.
    func record(_ refusal: OperatorRefusal) {
        shownRefusal.withLock { $0 = refusal.reason }
    }

    // MARK: Cookie

    /// The cookie's name. `__Host-` keeps other hosts from setting it, but browsers require https
    /// for it.
    static func cookieName(_ site: PublicSite) -> String {
        site.isSecure ? "__Host-hearth-console" : "hearth-console"
    }

    /// Returns the header that sets the session's cookie, or removes it.
    func cookie(_ token: ConsoleToken?) -> String {
        "\(Self.cookieName(services.site))=\(token?.text ?? ""); Path=/; HttpOnly; SameSite=Lax"
            + (services.site.isSecure ? "; Secure" : "")
            + "; Max-Age=\(token == nil ? 0 : services.signIn.sessionHours * 3_600)"
    }

    // MARK: Parameters

    /// Returns a parameter of the address; nil if it is missing, empty or repeated.
    func parameter(_ name: String) -> String? {
        let values = request.query.values(name)
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return value
    }

    /// Returns a field of the form without blanks around it; nil if it is missing or empty.
    func field(_ name: String) -> String? {
        guard let value = form?.value(name)?.trimmed, !value.isEmpty else { return nil }
        return value
    }

    /// Returns the id in the path.
    func id<Entity>(_: Entity.Type, _ name: String = "id") throws -> ID<Entity> {
        guard let id = parameters[name].flatMap({ ID<Entity>($0) }) else {
            throw ConsoleAbsence(sentence: "There is no such page: the id is malformed.")
        }
        return id
    }

    /// The path with its parameters.
    var address: String {
        let query = request.query.parameters.map {
            "\(URLText.encoded($0.name))=\(URLText.encoded($0.value))"
        }
        return request.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The path of the console to continue at; the overview if none was named.
    var returnPath: String {
        guard let path = form?.value("return") ?? parameter("return"), path.hasPrefix("/"),
            path.utf8.count <= 1_000, path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !path.hasPrefix("//"), !path.contains("\\")
        else { return "/" }
        return path
    }

    /// The page of a list that the URL's parameter `after` asks for.
    func page(limit: Int = ConsoleVisit.rowsPerPage) throws -> OperatorPageRequest {
        try OperatorPageRequest(cursor: parameter("after"), limit: limit)
    }

    /// The number after which the page of a list begins that is ordered by numbers; nil at the
    /// beginning.
    func pageNumber() throws -> Int64? {
        guard let text = parameter("after") else { return nil }
        guard let number = Int64(text), number > 0 else { throw ConsoleMistake.cursor }
        return number
    }

    /// Number of rows of a list.
    static let rowsPerPage = 50

    // MARK: Forms

    /// Returns the fields of a form that a page of the console sent.
    ///
    /// - Parameter needsSession: If true, the form must carry the token of this session.
    func acceptedForm(needsSession: Bool) -> FormBody? {
        guard FormOrigin.isOwn(request, of: services.site),
            case .once(let type) = request.headers.single("Content-Type"),
            type.prefix(while: { $0 != ";" }).lowercased() == "application/x-www-form-urlencoded",
            let form = FormBody(parsing: request.body)
        else { return nil }
        guard needsSession else { return form }
        guard let token, let sent = form.value(ConsoleParts.tokenField), token.accepts(form: sent)
        else { return nil }
        return form
    }

    /// Name of the browser that sent the request, such as for the list of sessions; nil if unknown.
    var browser: Label? { BrowserName(request.headers["User-Agent"] ?? "").label }

    var client: ClientAddress { ClientAddress(of: request.client) }

    // MARK: The operator's work

    /// The operator, on a route that needs one.
    func signedIn() throws -> ConsoleOperator {
        guard let current = `operator` else { throw ConsoleMistake(sentence: "Sign in first.") }
        return current
    }

    /// Whether the operator may do an action.
    func may(_ action: OperatorAction, on target: OperatorTarget = .person) -> Bool {
        `operator`.map { decide(action, $0.role, on: target) } ?? false
    }

    /// Reads with the rights of the operator's role.
    func read<Value>(_ body: (borrowing ConsoleReader) throws -> Value) throws -> Value {
        let pool = try signedIn().role == .viewer ? services.viewer : services.admin
        return try pool.withConnection { try body(ConsoleReader(on: $0)) }
    }

    /// Makes changes in the operator's name. Each transaction checks that the operator still has at
    /// least this role.
    func change<Value>(
        atLeast role: OperatorRole, _ body: (OperatorSession) throws -> Value
    ) throws -> Value {
        guard let token else { throw ConsoleMistake(sentence: "Sign in first.") }
        let identity = OperatorIdentity.ofSession(
            token.hash, atLeast: role, name: try signedIn().name)
        defer { services.board.invalidate() }
        return try services.admin.withConnection {
            try body(OperatorSession(on: $0, as: identity))
        }
    }

    /// Records that the operator looks at a person.
    func recordView(of person: UserID) throws {
        try change(atLeast: .viewer) { try $0.recordView(of: person) }
    }

    // MARK: Replies

    /// Returns the response with a page of the console.
    ///
    /// - Parameter isUnderWay: Whether the page is loaded again and again without a script, because
    ///   it shows what is happening.
    func reply(
        _ title: String, _ content: HTML, section: ConsoleLayout.Section? = nil, status: Int = 200,
        follows part: ConsoleBoard.Part? = nil, isUnderWay: Bool = false
    ) -> Response {
        let layout = ConsoleLayout(
            title: title, section: section, content: content, part: part, isUnderWay: isUnderWay)
        return ConsoleReply.page(layout.document(for: self).text, status: status)
    }

    func redirectToSignIn() -> Response {
        let path = request.method == .get ? address : "/"
        return ConsoleReply.redirect(
            to: path == "/" ? "/sign-in" : "/sign-in?return=\(URLText.encoded(path))")
    }

    func notFound(_ sentence: String) throws -> Response {
        try refused(sentence, status: 404)
    }

    /// Returns a page with the reason for a refusal.
    func refused(
        _ sentence: String, details: [String] = [], code: String? = nil, status: Int
    ) throws -> Response {
        guard `operator` != nil || status != 404 else { return redirectToSignIn() }
        let heading = status == 404 ? "Not found" : "Not possible"
        let lines = details.reduce(into: HTML("")) { $0 = "\($0)<li>\($1)</li>" }
        let list: HTML = details.isEmpty ? "" : "<ul>\(lines)</ul>"
        let reason: HTML = code.map { " <code>\($0)</code>" } ?? ""
        return reply(
            heading,
            """
            <h1>\(heading)</h1>
            <p class="alert" role="alert">\(sentence)\(reason)</p>
            \(list)<p><a href="/">Go to the overview</a></p>

            """, status: status)
    }
}

/// Text in addresses.
enum URLText {
    /// Encodes text as the value of a parameter, or as a segment of a path.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = Array("0123456789ABCDEF".unicodeScalars)
                result += "%"
                result.unicodeScalars.append(digits[Int(byte >> 4)])
                result.unicodeScalars.append(digits[Int(byte & 15)])
            }
        }
        return result
    }

    /// Returns an address with parameters; those that are nil are left out.
    static func address(_ path: String, _ parameters: [(String, String?)]) -> String {
        let pairs = parameters.compactMap { name, value in
            value.map { "\(name)=\(encoded($0))" }
        }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }
}
