import Domain
import JSON

/// An answer as it is kept for its replay, byte for byte: without links, and with what says who may
/// have it again.
enum KeptAnswer {
    case reply(Reply, link: InvitationID?)
    case problem(ProblemCode, message: String)

    /// Nil for what is not told again: what is our fault, passes by itself, or may end otherwise.
    init?(_ problem: Problem) {
        switch problem.status {
        case 401, 429, 500...: return nil
        default:
            if problem.code == .idempotencyKeyInUse { return nil }
            self = .problem(problem.code, message: problem.message)
        }
    }

    /// What an endpoint answered. Its body must be JSON.
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

    var status: Int {
        switch self {
        case .reply(let reply, _): reply.status
        case .problem(let code, _): code.status
        }
    }

    /// As it is stored.
    var text: String {
        var json = JSONWriter()
        json.object { json in
            switch self {
            case .reply(let reply, let link):
                json.member("family", reply.family?.description)
                json.member("link", link?.description)
                json.member("text", String(decoding: reply.body, as: UTF8.self))
            case .problem(let code, let message):
                json.member("problem", code.rawValue)
                json.member("message", message)
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// What was stored; nil for what this version of the program does not know.
    init?(status: Int, text: String) throws(JSONError) {
        let stored = JSONField(try JSONValue(parsing: Array(text.utf8), maxDepth: 64))
        if let code = try stored["problem"].ifPresent {
            guard let code = ProblemCode(rawValue: try code.string()) else { return nil }
            self = .problem(code, message: try stored["message"].string())
            return
        }
        let body: [UInt8]
        if let text = try stored["text"].ifPresent {
            body = Array(try text.string().utf8)
        } else {
            // As earlier versions kept it: of use for a day after an upgrade.
            body = Array(JSONValue.object(try stored["body"].object()).text().utf8)
        }
        let family = try stored["family"].ifPresent?.string()
        let link = try stored["link"].ifPresent?.string()
        self = .reply(
            Reply(
                status: status, mediaType: "application/json", body: body,
                family: family.flatMap { FamilyID($0) }),
            link: link.flatMap { InvitationID($0) })
    }
}
