import Policy

extension Reading {
    static let sessions: [Reading] = [
        Reading(
            name: "my_sessions", sql: "SELECT \(tail("id")) FROM app.my_sessions",
            cells: { _ in SampleSession.allCases.count },
            expected: { reader in
                guard reader.may(.accountManage, nil) else { return [] }
                let own = SampleSession.allCases.filter {
                    $0.owner == reader.asker.subject && !$0.isOver
                }
                return Set(own.map { String($0.rawValue) })
            }),
        Reading(
            // The session that a request has named. Requests of the cells begin with a provider's
            // token.
            name: "live_sessions", sql: "SELECT \(tail("id")) FROM app.live_sessions",
            cells: { _ in SampleSession.allCases.count }, expected: { _ in [] }),
    ]
}
