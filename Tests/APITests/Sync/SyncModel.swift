import Domain
import JSON
import Postgres
import TestSupport
import Testing

/// People and families, with random changes to them.
struct SyncModel: Sendable {
    let site: Site
    let seed: UInt64
    let people: [APIClient]
    let homes: [FamilyFixture<Site>]
    /// People who are invited repeatedly and never join, one for each home.
    let guests: [APIClient]
    let followers: [SyncFollower]
    /// SQL connections of each writer.
    private let connections: [WriterConnections]
    /// Number of steps of each writer and reader in a crowded round.
    private let crowdedSteps: Int

    init(_ site: Site, seed: UInt64, crowdedSteps: Int = 25) throws {
        self.site = site
        self.seed = seed
        self.crowdedSteps = crowdedSteps
        connections = (0..<Pace.crowded.writers).map { _ in WriterConnections(site) }
        homes = [try site.home("One"), try site.home("Two")]
        let others = try (0..<3).map { try site.person($0 == 0 ? .player : .parent) }
        people = homes.flatMap { [$0.admin, $0.adult, $0.player] } + others
        guests = try homes.map { _ in try site.person(.parent) }
        for home in homes {
            _ = try home.admin.patch(
                "/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        }
        // Everybody has signed in once.
        for person in people + guests { _ = try person.get("/api/me") }
        let wards = try homes.map { home in
            home.adult.acting(for: try home.child(of: home.adult))
        }
        followers = (people + guests + wards).map { SyncFollower($0) }
    }

    /// Differences between caught-up copies and the data that the routes return.
    func differences() throws -> [String] {
        try onThreads(followers.count) { number in
            let follower = followers[number]
            try follower.catchUp()
            let fresh = try follower.client.freshView()
            return Set(fresh.keys).union(follower.held.keys).sorted()
                .filter { follower.held[$0] != fresh[$0] }
                .map { key in
                    "\(follower.client.id): \(key): kept \(follower.held[key] ?? "nothing"), "
                        + "shown \(fresh[key] ?? "nothing")"
                }
        }.flatMap { try $0.get() }
    }

    /// Number of concurrent writers in a round, and number of steps of each writer and reader.
    enum Pace {
        /// Many concurrent writers and readers.
        case crowded
        /// One writer, so that no later change hides a missing one.
        case quiet

        fileprivate var writers: Int { self == .crowded ? 6 : 1 }
    }

    /// Runs writers and readers at once; returns the number of writes and reads.
    @discardableResult
    func run(_ round: Int, _ pace: Pace) throws -> Int {
        let writers = pace.writers
        let steps = pace == .crowded ? crowdedSteps : 4
        let outcomes = onThreads(writers + followers.count) { thread in
            var random = Choices(
                seed: seed &+ UInt64(round * 1_000 + (pace == .quiet ? 500 : 0) + thread))
            for step in 0..<steps {
                if thread < writers {
                    // Otherwise limits would end all invitations after a while.
                    if thread == 0, step % 25 == 0 {
                        try connections[0].owner.query(
                            """
                            DELETE FROM app.rate_limits WHERE ctid = ANY (ARRAY(
                                SELECT ctid FROM app.rate_limits FOR UPDATE SKIP LOCKED))
                            """)
                    }
                    try write(&random, connections[thread])
                } else {
                    try read(followers[thread - writers], waits: pace == .crowded, &random)
                }
            }
        }
        for outcome in outcomes { try outcome.get() }
        return outcomes.count * steps
    }

    private func read(
        _ follower: SyncFollower, waits: Bool, _ random: inout Choices
    ) throws {
        switch random.below(40) {
        case 0: follower.restart()
        case 1..<8: try follower.step(loses: true)
        case 8: try follower.step(waitSeconds: waits ? 1 : 0)
        default: try follower.step()
        }
    }
}
