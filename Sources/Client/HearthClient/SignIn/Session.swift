import Foundation

/// The secrets that keep a person signed in on this device. Anybody who has them can act as the
/// person: store them only in a `SessionStorage`, and never log them.
public struct Session: Sendable, Hashable {
    /// The session's id, as the list of sessions shows it.
    public let id: ID<Session>
    /// Id of the person who is signed in.
    public let userID: UserID
    let accessToken: String
    let refreshToken: String
    /// Time at which the access token expires, by this device's clock.
    let accessEndsAt: Date

    /// The session, encoded for a `SessionStorage`.
    var data: Data {
        let value: JSONValue = [
            "id": .string(id.rawValue), "user": .string(userID.rawValue),
            "accessToken": .string(accessToken), "refreshToken": .string(refreshToken),
            "accessEndsAt": .string(Timestamp.text(accessEndsAt)),
        ]
        return value.data
    }

    /// Decodes a stored session; nil if the data is not in the stored format.
    init?(_ data: Data) {
        guard let fields = try? Fields(JSONValue(parsing: data)),
            let end = fields.date("accessEndsAt"), let access = fields.optionalText("accessToken"),
            let refresh = fields.optionalText("refreshToken")
        else { return nil }
        id = ID(fields.text("id"))
        userID = UserID(fields.text("user"))
        accessToken = access
        refreshToken = refresh
        accessEndsAt = end
    }

    /// Decodes the response to a sign-in, received at `now`.
    init(_ fields: Fields, userID known: UserID?, now: Date) throws(DecodingFailure) {
        guard let access = fields.optionalText("access_token"),
            let refresh = fields.optionalText("refresh_token")
        else { throw DecodingFailure("the tokens") }
        accessToken = access
        refreshToken = refresh
        // Rounded to whole seconds, so that a session is equal to itself after it is stored and
        // loaded.
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
    /// Description without the tokens.
    public var description: String { "session \(id) of \(userID)" }
}
