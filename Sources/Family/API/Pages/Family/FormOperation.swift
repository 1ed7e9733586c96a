import Crypto
import Domain
import HTTPServer
import JSON
import UseCases

/// A change that a page's form asks for: an operation of the API, which runs with all of its stages
/// for the browser's session.
///
/// So a form changes nothing that a client of the API could not change: its inputs, the policy, the
/// consents, the limits and the idempotency key are checked in the same way.
struct FormOperation {
    let method: Method
    /// Path with its query, as clients of the API send it.
    let path: String
    var body: [(name: String, value: JSONValue)] = []
    /// The family's version that the page has shown, for a change of a household role.
    let baseVersion: Int64?
    /// Entity tag of the resource as the page has read it: if it has changed since, the change is
    /// refused with 412. Nil for a change that does not depend on the resource's state.
    var expectedTag: String?
    /// The form's own values, for a body that depends on stored data as well; nil if the body is
    /// made of the form alone. The idempotency key covers them instead of the body.
    var sentValues: [UInt8]?

    init(
        _ method: Method, _ path: String, _ body: [(name: String, value: JSONValue?)] = [],
        baseVersion: Int64? = nil
    ) {
        self.baseVersion = baseVersion
        self.method = method
        self.path = path
        self.body = body.compactMap { field in field.value.map { (field.name, $0) } }
    }

    /// Returns the operation that ends the person's own membership. The form may name the new
    /// guardian of the person's children.
    static func leaving(_ family: FamilyID, _ form: FormBody) -> FormOperation {
        let rest = form.member("heir").map { "&reassignManagedTo=\($0)" } ?? ""
        return FormOperation(.delete, "/api/family/members/me?familyId=\(family)\(rest)")
    }

    /// Returns the operation that changes the person's own profile; nil leaves a value as it is.
    ///
    /// - Parameter avatar: Key of the picture; an empty one removes it.
    static func profile(
        name: PersonName?, role: MemberRole?, avatar: String? = nil, locale: LanguageTag? = nil
    ) -> FormOperation {
        FormOperation(
            .patch, "/api/me",
            [
                ("fullName", name.map { .string($0.text) }),
                ("role", role.map { .string($0.rawValue) }),
                ("avatarKey", avatar.map { .string($0) }),
                ("locale", locale.map { .string($0.text) }),
            ])
    }

    /// Name of the form field with the idempotency key.
    static let keyField = "key"
    /// Number of random bytes of a rendered key.
    private static let keyBytes = 16
    /// Number of characters of the request's digest that complete a key.
    private static let digestLength = 22

    private static let routes = RouteFinder(Routes.table)

    /// Creates the idempotency key for the forms of a newly rendered page.
    static func freshKey() throws(CryptoError) -> String {
        Base64URL.text(try [UInt8].random(count: keyBytes))
    }

    /// Runs the operation and returns the body of its response.
    ///
    /// A form that is sent twice has one effect. The key covers the form's values too: a form that
    /// is sent again with other values, after the browser's Back button, asks for another change.
    ///
    /// - Throws: Whatever the API's operation throws; ``Problem`` for a form without a key.
    @discardableResult
    func run(_ visit: PageVisit, by form: FormBody) throws -> JSONField {
        try reply(visit, to: form).content
    }

    /// Runs the operation and returns its response, with the entity tag if the resource has one.
    /// `isReplay` is true if the same form got the response before, so that it had no effect now.
    ///
    /// - Throws: Like ``run(_:by:)``.
    func reply(
        _ visit: PageVisit, to form: FormBody
    ) throws -> (content: JSONField, tag: String?, isReplay: Bool) {
        let services = visit.services
        let (stages, exchange) = try admitted(visit, form)
        let reply = try stages.run(exchange) { exchange in
            guard case .signedIn(let run) = exchange.endpoint.operation.work else {
                throw Problem.routeNotFound
            }
            return try run(services, exchange.call())
        }
        return (try content(of: reply), reply.tag, Idempotency.isReplay(reply))
    }

    /// Returns the body of a response, which may nest a stored document of limited depth.
    private func content(of reply: Reply) throws(JSONError) -> JSONField {
        JSONField(try JSONValue(parsing: reply.body, maxDepth: 64))
    }

    /// Returns the body of the response that the same form got before; nil if it has not been sent
    /// yet. A page asks for it first if the form has more than one effect, or may be answered by a
    /// question: otherwise a form that is sent twice would be judged by the state that it has
    /// produced itself.
    ///
    /// - Throws: The refusal that the form got before; otherwise like ``run(_:by:)``.
    func earlierAnswer(_ visit: PageVisit, to form: FormBody) throws -> JSONField? {
        let (_, exchange) = try admitted(visit, form)
        let services = visit.services
        let idempotency = Idempotency(services: services, failures: FailureTable(services))
        guard let reply = try idempotency.earlierReply(to: exchange) else { return nil }
        return try content(of: reply)
    }

    /// Returns the request, after the stages before its operation.
    private func admitted(
        _ visit: PageVisit, _ form: FormBody
    ) throws -> (stages: RequestStages, exchange: Exchange) {
        let context = try visit.signedIn()
        var exchange = Exchange(try request(visit, form), visit.site)
        exchange.route = try Self.routes.route(of: exchange.request)
        exchange.context = RequestContext(context.caller, trace: exchange.trace)
        exchange.repeatableContent = sentValues
        // The page's own stages wait for the standbys.
        let stages = RequestStages(visit.services, Self.routes, .whole, isInBatch: true)
        return (stages, try stages.admitted(exchange))
    }

    private func request(_ visit: PageVisit, _ form: FormBody) throws -> Request {
        var bytes: [UInt8] = []
        if !body.isEmpty || method == .put {
            var json = JSONWriter()
            json.object { json in for field in body { json.member(field.name, field.value) } }
            bytes = json.bytes
        }
        guard let key = form.value(Self.keyField), Base64URL.decode(key)?.count == Self.keyBytes
        else { throw Problem(.malformedRequest, "The form has no key.") }
        let digest = SHA256Digest(
            of: Array("\(method.name) \(path)\n".utf8) + (sentValues ?? bytes))
        let values = Base64URL.text(digest.bytes).prefix(Self.digestLength)
        let version = baseVersion.map { [("X-Base-Version", "\($0)")] } ?? []
        let condition = expectedTag.map { [("If-Match", $0)] } ?? []
        // The log has one line for both: that of the page's request.
        let id = Database.changingRequest.map { [("X-Request-Id", $0)] } ?? []
        let fields =
            [
                ("Content-Type", "application/json"),
                ("Idempotency-Key", "page-\(key)-\(values)"),
            ] + version + condition + id
        let headers = Headers(fields.map { .init(name: $0.0, value: $0.1) })
        guard
            let request = Request(
                method, path, headers: headers, body: bytes, peer: visit.request.peer,
                client: visit.request.client)
        else { throw Problem.routeNotFound }
        return request
    }
}

extension Error {
    /// The refusal of an operation that a form requested; nil for any other error. A refusal that
    /// is stored under an idempotency key is a ``Problem``.
    var refusalCode: RefusalCode? {
        if let refusal = self as? Refusal { return refusal.code }
        guard case .refusal(let code) = (self as? Problem)?.code else { return nil }
        return code
    }
}
