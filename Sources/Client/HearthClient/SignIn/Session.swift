import Foundation

/// What keeps a person signed in on this device. Whoever has it is that person: it belongs into a
/// `SessionStorage` and into no log.
public struct Session: Sendable, Hashable {
    /// The session's id, as the list of sessions shows it.
    public let id: ID<Session>
    /// Who is signed in.
    public let userID: UserID
    let accessToken: String
    let refreshToken: String
    /// When the access token ends, by this device's clock.
    let accessEndsAt: Date

    /// As it is kept.
    var data: Data {
        let value: JSONValue = [
            "id": .string(id.rawValue), "user": .string(userID.rawValue),
            "accessToken": .string(accessToken), "refreshToken": .string(refreshToken),
            "accessEndsAt": .string(Timestamp.text(accessEndsAt)),
        ]
        return value.data
    }

    /// Nil for what no release has kept.
    init?(_ data: Data) {
        guard let fields = try? Fields(JSONValue(parsing: data)),
            let end = fields.date("accessEndsAt"), let access = fields.textIfThere("accessToken"),
            let refresh = fields.textIfThere("refreshToken")
        else { return nil }
        id = ID(fields.text("id"))
        userID = UserID(fields.text("user"))
        accessToken = access
        refreshToken = refresh
        accessEndsAt = end
    }

    /// As a sign-in answered, received at `now`.
    init(_ fields: Fields, userID known: UserID?, now: Date) throws(DecodingFailure) {
        guard let access = fields.textIfThere("access_token"),
            let refresh = fields.textIfThere("refresh_token")
        else { throw DecodingFailure("the tokens") }
        accessToken = access
        refreshToken = refresh
        // In whole seconds: what is kept and read again is the same session.
        let end = now.timeIntervalSince1970 + Double(fields.count("expires_in"))
        accessEndsAt = Date(timeIntervalSince1970: end.rounded(.down))
        id = ID(fields["session"]?["id"]?.stringValue ?? "")
        guard let user = fields["user"]?["id"]?.stringValue.map({ UserID($0) }) ?? known else {
            throw DecodingFailure("`user`")
        }
        userID = user
    }
}

extension Session: CustomStringConvertible {
    /// Without its tokens.
    public var description: String { "session \(id) of \(userID)" }
}
