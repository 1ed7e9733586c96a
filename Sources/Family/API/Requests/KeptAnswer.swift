import Domain
import JSON
import UseCases

/// An answer as it is kept for its replay: status, ids and values, without links, and with what says
/// who may have it again.
///
/// Programs of other releases read it too. A response that the previous release can't read gets a
/// new format number; that release then answers `retry_later`.
enum KeptAnswer {
    case reply(Reply, link: InvitationID?)
    case problem(Problem)

    /// The latest format that is read here.
    static let latestFormat: Int16 = 2

    /// Nil for problems that are not replayed: errors of the server, temporary ones, those that may
    /// end differently, and those about the key itself.
    init?(_ problem: Problem) {
        switch (problem.status, problem.code) {
        case (401, _), (412, _), (429, _), (500..., _): return nil
        case (_, .refusal(.idempotencyKeyInUse)), (_, .refusal(.idempotencyKeyReused)),
            (_, .refusal(.retryLater)), (_, .refusal(.freshSignInRequired)),
            (_, .refusal(.codeWrong)), (_, .refusal(.erasureBlocked)):
            return nil
        default: self = .problem(problem)
        }
    }

    /// An endpoint's response. Its body must be JSON.
    init(_ reply: Reply) throws(JSONError) {
        var kept = reply
        if reply.link != nil {
            let members = try JSONField(JSONValue(parsing: reply.body)).object().members
            let others = members.filter { $0.name != Reply.SharedLink.name }
            kept.body = Array(JSONValue.object(JSONObject(others)).text().utf8)
            kept.link = nil
        }
        self = .reply(kept, link: reply.link?.invitation)
    }

    /// As it is stored.
    var toKeep: AnswerToKeep {
        switch self {
        case .reply(let reply, _): AnswerToKeep(status: reply.status, format: 1, text: text)
        case .problem(let problem):
            AnswerToKeep(status: problem.status, format: 2, text: text)
        }
    }

    private var text: String {
        var json = JSONWriter()
        json.object { json in
            switch self {
            case .reply(let reply, let link):
                json.member("family", reply.family?.description)
                json.member("link", link?.description)
                json.member("tag", reply.tag)
                json.member("location", reply.location)
                json.member("text", String(decoding: reply.body, as: UTF8.self))
            case .problem(let problem):
                json.member("problem", problem.code.rawValue)
                json.member("message", problem.message)
                if let family = problem.family {
                    json.member("ownFamily", family.id)
                    json.member("ownFamilyName", family.name)
                }
                json.array("errors") { json in
                    for field in problem.wrongFields {
                        json.object { WrongField.shape.write(field, to: &$0) }
                    }
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// A stored response; nil if this program can't read it, such as a problem that only a newer
    /// program knows.
    init?(status: Int, text: String) {
        do throws(JSONError) {
            let stored = JSONField(try JSONValue(parsing: Array(text.utf8), maxDepth: 64))
            if let code = try stored["problem"].ifPresent {
                guard let code = ProblemCode(rawValue: try code.string()) else { return nil }
                var problem = Problem(code, try stored["message"].string())
                if let id = try stored["ownFamily"].ifPresent?.string() {
                    problem.family = .init(id: id, name: try stored["ownFamilyName"].string())
                }
                problem.wrongFields = try Self.wrongFields(stored["errors"])
                self = .problem(problem)
                return
            }
            let family = try stored["family"].ifPresent?.string()
            let link = try stored["link"].ifPresent?.string()
            let tag = try stored["tag"].ifPresent?.string()
            let location = try stored["location"].ifPresent?.string()
            self = .reply(
                Reply(
                    status: status, mediaType: "application/json",
                    body: Array(try stored["text"].string().utf8), location: location,
                    family: family.flatMap { FamilyID($0) }, tag: tag),
                link: link.flatMap { InvitationID($0) })
        } catch {
            return nil
        }
    }

    /// What an earlier release has not stored was none, and what only a newer one knows is left out.
    private static func wrongFields(_ stored: JSONField) throws(JSONError) -> [WrongField] {
        guard let stored = stored.ifPresent else { return [] }
        var fields: [WrongField] = []
        for field in try stored.elements() {
            guard let code = RefusalCode(rawValue: try field["code"].string()) else { continue }
            fields.append(
                WrongField(
                    pointer: try field["pointer"].string(), detail: try field["detail"].string(),
                    code: code))
        }
        return fields
    }
}
