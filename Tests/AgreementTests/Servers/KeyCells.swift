import Domain
import Policy
import Postgres
import TestSupport

/// The rights of API keys, written down by hand and independent of the module `Policy`: the action,
/// and the scopes that it needs, all of them.
enum WrittenKeyTable {
    static let text = """
        family.read        families:read
        member.list        members:read
        person.read        people:read
        address.read       people:addresses
        invitation.create  invitations:write
        event.read         events:read
        """

    static let scopes: [String: Set<String>] = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words[0], Set(words.dropFirst()))
        })
}

/// A key's state when its request begins.
enum KeyState: String, CaseIterable, Sendable {
    case works
    /// Rotated; the previous secret is still valid.
    case overlapping
    /// Rotated; the time of the previous secret has passed.
    case rotated
    /// Rotated; the time of the previous secret is further ahead than an overlap can be.
    case ahead
    case expired
    case revoked
    /// Secret that belongs to no key.
    case unknown
    /// State before any request has begun.
    case nothing

    var isLive: Bool { self == .works || self == .overlapping }
}

/// Every set of scopes in every state, tried with every action as the role `hearth_server`.
struct KeyCells {
    /// Sets of scopes, by their bits.
    static let scopeSets: [Set<KeyScope>] = (0..<(1 << KeyScope.allCases.count)).map { bits in
        Set(KeyScope.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    }

    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    private static func secret(_ index: Int, _ state: KeyState) -> String {
        "sha256('key \(index) \(state)')"
    }

    /// Two families with a parent, a child, a former member and an erased person, an event of each
    /// kind that must stay hidden, and a key for each set of scopes and state.
    func prepare() throws {
        var script = """
            SET ROLE hearth_owner;
            INSERT INTO app.users (id, email, email_verified, full_name, role, deleted_at) VALUES
                ('00000000-0000-4000-8000-0000000000a1', 'ann@example.com', true, 'Ann', 'parent',
                 NULL),
                ('00000000-0000-4000-8000-0000000000a2', 'bo@example.com', true, NULL, 'parent',
                 NULL),
                ('00000000-0000-4000-8000-0000000000a3', NULL, false, 'Gone', 'parent', NULL);
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                VALUES ('https://issuer.test', sha256('ann'),
                        '00000000-0000-4000-8000-0000000000a1', 0);
            INSERT INTO app.family_units (id, created_by_user_id, emptied_at) VALUES
                ('00000000-0000-4000-8000-0000000000f1', '00000000-0000-4000-8000-0000000000a1',
                 NULL);
            INSERT INTO app.family_members (id, family_unit_id, user_id, role, joined_via) VALUES
                ('00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000f1',
                 '00000000-0000-4000-8000-0000000000a1', 'parent', 'created'),
                ('00000000-0000-4000-8000-0000000000b2', '00000000-0000-4000-8000-0000000000f1',
                 '00000000-0000-4000-8000-0000000000a2', 'parent', 'code');
            UPDATE app.family_members SET status = 'removed', removed_at = now()
                WHERE id = '00000000-0000-4000-8000-0000000000b2';
            UPDATE app.users SET deleted_at = now(), full_name = NULL
                WHERE id = '00000000-0000-4000-8000-0000000000a3';
            INSERT INTO app.webhook_events (event_type, occurred_at, data) VALUES
                ('family.created', now(), '{}'), ('webhook.test', now(), '{}'),
                ('family.updated', now() - interval '8 days', '{}');

            """
        for (index, scopes) in Self.scopeSets.enumerated() where !scopes.isEmpty {
            let list = scopes.map(\.rawValue).sorted().joined(separator: ",")
            for state in KeyState.allCases where state != .unknown && state != .nothing {
                let isPrevious = [.overlapping, .rotated, .ahead].contains(state)
                let secret = Self.secret(index, state)
                script += """
                    INSERT INTO app.api_keys (name, scopes, requests_per_minute, secret_hash,
                        previous_hash, previous_until, expires_at, revoked_at)
                    VALUES ('\(index) \(state)', '{\(list)}', 100,
                        \(isPrevious ? "sha256('new \(index) \(state)')" : secret),
                        \(isPrevious ? secret : "NULL"),
                        \(state == .overlapping ? "now() + interval '1 hour'"
                            : state == .ahead ? "now() + app.max_key_overlap() + interval '1 day'"
                            : state == .rotated ? "now() - interval '1 second'" : "NULL"),
                        \(state == .expired ? "now() - interval '1 second'"
                            : "now() + interval '1 hour'"),
                        \(state == .revoked ? "now()" : "NULL"));

                    """
            }
        }
        try connection.execute(script: script + "RESET ROLE;")
    }

    /// Text of what PostgreSQL shows and allows to a key; actions that do nothing are absent.
    func sight(of scopes: Int, _ state: KeyState, for action: ServerAction) throws -> String {
        try connection.execute(
            script: "BEGIN; SET LOCAL SESSION AUTHORIZATION hearth_server;")
        defer { try? connection.execute(script: "ROLLBACK;") }
        var outcome = "nothing"
        if state != .nothing {
            outcome = try connection.query(
                """
                SELECT outcome FROM app.begin_server_request(
                    \(unsafe: Self.secret(scopes, state)), \(action.scope.rawValue))
                """
            ).scalar(String.self)
        }
        let shown = try connection.query(
            """
            SELECT concat_ws(' ',
                'families=' || (SELECT count(*) FROM app.family_units),
                'members=' || (SELECT count(*) FROM app.server_members),
                'people=' || (SELECT count(*) FROM app.server_people),
                'found=' || (app.person_of_subject('https://issuer.test', sha256('ann'))
                    IS NOT NULL),
                'addresses=' || (SELECT count(*) FROM (
                    SELECT email FROM app.server_members UNION ALL
                    SELECT email FROM app.server_people) AS e WHERE e.email <> ''),
                'parts=' || (SELECT count(*) FROM app.server_people
                    WHERE display_name = 'bo'),
                'events=' || (SELECT count(*) FROM app.webhook_events))
            """
        ).scalar(String.self)
        let invites: String
        do {
            try connection.execute(
                script: """
                    SELECT app.server_create_invitation('00000000-0000-4000-8000-0000000000f1',
                        'new@example.com', 'parent', NULL, 'email');
                    """)
            invites = "yes"
        } catch {
            invites = error.constraint ?? error.debugDescription
        }
        return "\(outcome): \(shown) invites=\(invites)"
    }

    /// Text that the policy and the written table expect of this cell. An action without its scope
    /// ends the request, so then nothing is visible.
    static func expected(_ scopes: Set<KeyScope>, _ state: KeyState, for action: ServerAction)
        -> String
    {
        let isBegun = state.isLive && !scopes.isEmpty
        let outcome =
            state == .nothing
            ? "nothing"
            : !isBegun
                ? "unknown"
                : decide(action, scopes) == .allowed ? "known" : "insufficient_scope"
        func may(_ other: ServerAction) -> Bool {
            outcome == "known" && decide(other, scopes) == .allowed
        }
        let (members, people) = (may(.memberList), may(.personRead))
        let addresses = may(.addressRead) ? (members ? 1 : 0) + (people ? 2 : 0) : 0
        return "\(outcome): families=\(may(.familyRead) ? 1 : 0) members=\(members ? 1 : 0) "
            + "people=\(people ? 2 : 0) found=\(people) addresses=\(addresses) "
            + "parts=\(people && may(.addressRead) ? 1 : 0) events=\(may(.eventRead) ? 1 : 0) "
            + "invites=\(may(.invitationCreate) ? "yes" : "insufficient_scope")"
    }

    /// The cells in which PostgreSQL differs from the policy; stops after the first few.
    func differences(atMost limit: Int = 5, sets: [Int]? = nil) throws -> [String] {
        var found: [String] = []
        for index in sets ?? Array(Self.scopeSets.indices) {
            let scopes = Self.scopeSets[index]
            for state in KeyState.allCases {
                for action in ServerAction.allCases {
                    let seen = try sight(of: index, state, for: action)
                    let expected = Self.expected(scopes, state, for: action)
                    if seen == expected { continue }
                    let names = scopes.map(\.rawValue).sorted()
                    found.append(
                        "\(names) \(state) \(action.name): \(seen), expected \(expected)")
                    if found.count == limit { return found }
                }
            }
        }
        return found
    }
}
