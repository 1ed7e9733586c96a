/// The statements of each channel that are run.
struct Selection: Sendable {
    private let indices: [Channel: [Int]]?

    /// All statements.
    static let all = Selection(indices: nil)

    private init(indices: [Channel: [Int]]?) { self.indices = indices }

    init(_ chosen: some Sequence<Sighting.StatementKey>) {
        var indices: [Channel: Set<Int>] = [:]
        for key in chosen { indices[key.channel, default: []].insert(key.index) }
        self.indices = indices.mapValues { $0.sorted() }
    }

    /// Indices of a channel's statements, in order.
    func indices(in channel: Channel) -> [Int] {
        indices.map { $0[channel] ?? [] } ?? Array(channel.statements.indices)
    }

    /// The selection as a PostgreSQL array of Booleans; empty for all.
    func flags(in channel: Channel) -> String {
        guard let indices else { return "" }
        var flags = [String](repeating: "f", count: channel.statements.count)
        for index in indices[channel] ?? [] { flags[index] = "t" }
        return "{\(flags.joined(separator: ","))}"
    }

    /// Number of statements.
    var count: Int { Channel.allCases.map { indices(in: $0).count }.reduce(0, +) }
}
