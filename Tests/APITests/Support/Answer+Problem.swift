import JSON

extension Answer {
    /// Whether the response is this problem.
    func says(_ status: Int, _ code: String, _ message: String? = nil) -> Bool {
        self.status == status && text("code") == code
            && (message == nil || text("message") == message)
    }

    var json: JSONField {
        get throws { JSONField(try JSONValue(parsing: body, maxDepth: 64)) }
    }
}

extension Answer: CustomStringConvertible {
    var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }
}
