/// The statements of each channel that are played.
struct Selection: Sendable {
    private let places: [Channel: [Int]]?

    /// All statements.
    static let all = Selection(places: nil)

    private init(places: [Channel: [Int]]?) { self.places = places }

    init(_ chosen: some Sequence<Sighting.Place>) {
        var places: [Channel: Set<Int>] = [:]
        for place in chosen { places[place.channel, default: []].insert(place.index) }
        self.places = places.mapValues { $0.sorted() }
    }

    /// Indices of a channel's statements, in order.
    func places(in channel: Channel) -> [Int] {
        places.map { $0[channel] ?? [] } ?? Array(channel.statements.indices)
    }

    /// The selection as a PostgreSQL array of Booleans; empty for all.
    func flags(in channel: Channel) -> String {
        guard let places else { return "" }
        var flags = [String](repeating: "f", count: channel.statements.count)
        for place in places[channel] ?? [] { flags[place] = "t" }
        return "{\(flags.joined(separator: ","))}"
    }

    /// Number of statements.
    var count: Int { Channel.allCases.map { places(in: $0).count }.reduce(0, +) }
}
