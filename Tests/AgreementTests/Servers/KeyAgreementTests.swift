import Domain
import Foundation
import Policy
import Postgres
import TestSupport
import Testing

/// API keys as actors: the written table, the policy and PostgreSQL agree on every set of scopes.
@Suite("Policy and database for API keys")
struct KeyAgreementTests {
    @Test("the policy allows an action only to keys with every scope that the written table lists")
    func written() throws {
        #expect(Set(ServerAction.allCases.map(\.name)) == Set(WrittenKeyTable.scopes.keys))
        for action in ServerAction.allCases {
            let needed = try #require(WrittenKeyTable.scopes[action.name])
            for scopes in KeyCells.scopeSets {
                let isAllowed = needed.isSubset(of: scopes.map(\.rawValue))
                #expect(
                    decide(action, scopes)
                        == (isAllowed ? .allowed : .refused(.insufficientScope)))
            }
        }
        #expect(
            decide(.invitationCreate, [.invitationsWrite], inviting: .parentAdmin)
                == .refused(.roleTooHigh))
    }

    @Test("PostgreSQL shows and allows to each key what the policy allows, in every state")
    func cells() async throws {
        let differences = try await onOwnThread {
            try TestDatabase.with(.migrated) {
                let cells = KeyCells(try Connection($0.settings()))
                try cells.prepare()
                return try cells.differences()
            }
        }
        #expect(differences == [])
    }

    /// A fault in a view, a policy or a function: its definition with one part replaced.
    struct KeyMutant: Sendable, CustomTestStringConvertible {
        let name: String
        /// Query of the statement that creates the object.
        let definition: String
        let part: String
        let replacement: String
        var testDescription: String { name }

        static func view(_ view: String, _ part: String, _ replacement: String = "true")
            -> KeyMutant
        {
            KeyMutant(
                name: "\(view): \(part) becomes \(replacement)",
                definition: """
                    SELECT 'CREATE OR REPLACE VIEW app.\(view) WITH (security_barrier) AS '
                        || pg_get_viewdef('app.\(view)'::regclass)
                    """, part: part, replacement: replacement)
        }

        static func function(_ function: String, _ part: String, _ replacement: String)
            -> KeyMutant
        {
            KeyMutant(
                name: "\(function): \(part) becomes \(replacement)",
                definition: "SELECT pg_get_functiondef('app.\(function)'::regproc)",
                part: part, replacement: replacement)
        }

        static func policy(_ policy: String, _ table: String, _ part: String) -> KeyMutant {
            KeyMutant(
                name: "\(policy): \(part) becomes true",
                definition: """
                    SELECT 'ALTER POLICY \(policy) ON app.\(table) USING (' || qual || ')'
                    FROM pg_policies WHERE policyname = '\(policy)'
                    """, part: part, replacement: "true")
        }

        static let all: [KeyMutant] = [
            .view("live_key", "(k.revoked_at IS NULL)"),
            .view("live_key", "(k.expires_at > now())"),
            .view("live_key", "(k.previous_until > now())"),
            .view(
                "live_key", "(k.previous_until <= (now() + '168:01:00'::interval))"),
            .view("live_key", "(k.secret_hash = ( SELECT", "(k.secret_hash <> ( SELECT"),
            .view(
                "key_scopes", "unnest(k.scopes)", "unnest(k.scopes || '{families:read}'::text[])"),
            .view("server_members", "('members:read'::text = ANY (k.scopes))"),
            .view("server_members", "(m.status = 'active'::text)"),
            .view(
                "server_members", "WHEN ('people:addresses'::text = ANY (k.scopes)) THEN COALESCE",
                "WHEN true THEN COALESCE"),
            .view("server_people", "('people:read'::text = ANY (k.scopes))"),
            .view("server_people", "(u.deleted_at IS NULL)"),
            .view(
                "server_people", "WHEN ('people:addresses'::text = ANY (k.scopes)) THEN COALESCE",
                "WHEN true THEN COALESCE"),
            .view(
                "server_people",
                "WHEN ('people:addresses'::text = ANY (k.scopes)) THEN app.display_name",
                "WHEN true THEN app.display_name"),
            .view("server_sign_ins", "('people:read'::text = ANY (k.scopes))"),
            .policy("family_units_server_reads", "family_units", "'families:read'::text = ANY"),
            .policy("webhook_events_server_reads", "webhook_events", "'events:read'::text = ANY"),
            .policy(
                "webhook_events_server_reads", "webhook_events",
                "event_type <> 'webhook.test'::text"),
            .policy(
                "webhook_events_server_reads", "webhook_events",
                "occurred_at > (now() - '7 days'::interval)"),
            .function("begin_server_request", "IS DISTINCT FROM 'known'", "IS NULL"),
            .function("begin_server_request", "WHEN p_scope = ANY (k.scopes)", "WHEN true"),
            .function("require_scope", "p_scope = ANY (k.scopes)", "true"),
            .function("require_scope", "IF NOT FOUND", "IF false"),
        ]
    }

    @Test("the comparison detects every planted fault in views, policies and functions for keys")
    func mutants() async throws {
        let undetected = try await onOwnThread {
            try TestDatabase.with(.migrated) { database in
                let connection = try Connection(database.settings())
                let cells = KeyCells(connection)
                try cells.prepare()
                // No scope, each scope alone, and all: faults show there.
                let sets = [0, 1, 2, 4, 8, 12, 16, 32, 63]
                var undetected: [String] = []
                for mutant in KeyMutant.all {
                    let sound = try connection.query("\(unsafe: mutant.definition)")
                        .scalar(String.self)
                    let faulty = Self.replacing(mutant, in: sound)
                    guard faulty != sound else {
                        undetected.append("\(mutant.name): not found in \(sound)")
                        continue
                    }
                    try connection.execute(script: faulty)
                    if try cells.differences(atMost: 1, sets: sets).isEmpty {
                        undetected.append(mutant.name)
                    }
                    try connection.execute(script: sound)
                }
                return undetected + (try cells.differences(sets: sets))
            }
        }
        #expect(undetected == [])
    }

    /// Replaces the part, and for a part that ends within a condition the whole rest of it.
    private static func replacing(_ mutant: KeyMutant, in text: String) -> String {
        guard mutant.part.hasSuffix("= ANY"), let start = text.range(of: mutant.part) else {
            return text.replacingOccurrences(of: mutant.part, with: mutant.replacement)
        }
        // The condition is the last one: up to the closing brackets.
        var (depth, end) = (0, start.upperBound)
        while end < text.endIndex {
            if text[end] == "(" { depth += 1 }
            if text[end] == ")" {
                if depth == 0 { break }
                depth -= 1
            }
            end = text.index(after: end)
        }
        return text.replacingCharacters(in: start.lowerBound..<end, with: mutant.replacement)
    }
}
