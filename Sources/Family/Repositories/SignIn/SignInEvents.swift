package import Domain
package import Postgres

extension SignInEventKind: PostgresWord {}

/// An event in the log of sign-ins.
package struct SignInEvent: RowDecodable, Sendable {
    package let id: SignInEventID
    package let at: Timestamp
    package let kind: SignInEventKind
    /// The way to sign in; nil if the event has none.
    package let way: SignInMethod?
    /// The browser's name; nil if it is unknown.
    package let browser: String?
    /// The network of the client, /24 or /64.
    package let network: String?
    /// Number of further events, for ``SignInEventKind/more``.
    package let more: Int32

    package static let row = RowDecoder(Self.init)
}

/// Statements about the log of sign-ins.
package enum SignInEvents {
    /// Records events. Parameter: an object, as `app.record_sign_ins` describes.
    package static let record = Statement<NoRow, PostgresJSON>(
        "SELECT FROM app.record_sign_ins($1)")
    /// Returns the latest events of the caller's account, the newest first.
    package static let mine = Statement<SignInEvent, Int32>(
        "SELECT id, at, kind, way, browser, network, more FROM app.my_sign_ins($1)")
    /// Returns a page of an account's events for operators, the newest first. Parameters: account,
    /// time and id of the event after which to begin (null: from the newest), maximum number.
    package static let ofUser = Statement<
        SignInEvent, UserID, Timestamp?, SignInEventID?, Int32
    >(
        """
        SELECT l.id, l.at, l.kind, l.way, l.browser, l.network, l.more FROM app.sign_ins_log AS l
        WHERE l.user_id = $1 AND ($2::timestamptz IS NULL OR (l.at, l.id) < ($2, $3))
        ORDER BY l.at DESC, l.id DESC LIMIT $4
        """)
}
