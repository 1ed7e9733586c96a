import Domain
import HTTPServer
import JSON

/// An endpoint's response.
struct Reply: Sendable {
    var status: Int
    var mediaType: String
    var body: [UInt8]
    var headers: [(name: String, value: String)] = []
    /// The path of what was created, told as `Location`.
    var location: String?
    /// The family that it is about: it is not replayed to a caller who is no longer a member.
    var family: FamilyID?
    /// The entity tag, told as `ETag`; nil for what must not be stored anywhere.
    var tag: String?
    /// Whether it shows what the versions that its tag would be made of do not tell of.
    var isUntagged = false
    /// The answer to a change: what is read at the address from now on, if that is not the body.
    var representation: [UInt8]?
    /// The invitation whose link it contains. Links are never stored, but computed again.
    var link: SharedLink?

    struct SharedLink: Sendable {
        let invitation: InvitationID
        let url: String

        /// The member of the answer that carries it.
        static let name = "inviteUrl"
    }

    /// A JSON object.
    static func of<Value>(
        _ shape: Shape<Value>, _ value: Value, status: Int = 200, family: FamilyID? = nil,
        link: SharedLink? = nil, location: String? = nil
    ) -> Reply {
        var json = JSONWriter(capacity: 2_048)
        json.object {
            shape.write(value, to: &$0)
            if let link { $0.member(SharedLink.name, link.url) }
        }
        return Reply(
            status: status, mediaType: "application/json", body: json.bytes, location: location,
            family: family, link: link)
    }

    var response: Response {
        var response = Response(status: status, body: body)
        if status != 204, status != 304, !mediaType.isEmpty {
            response.headers.add("Content-Type", mediaType)
        }
        for header in headers { response.headers.add(header.name, header.value) }
        return response
    }
}
