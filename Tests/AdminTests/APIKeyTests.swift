import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin api-key")
struct APIKeyTests {
    let office: Office

    init() throws { office = try Office() }

    private func keys(_ options: String = "") throws -> [String] {
        try office.json("api-key list\(options)")["apiKeys"].elements().map {
            "\(try $0["name"].string()) \(try $0["state"].string())"
        }
    }

    /// Creates a key with one scope; returns its id and the key.
    private func create(_ name: String, _ options: String = "") throws -> (String, String) {
        let made = try office.json("api-key create '\(name)' --scope events:read\(options)")
        return (try made["id"].string(), try made["key"].string())
    }

    /// The number of keys whose present or previous secret this is.
    private func stored(_ key: String, in column: String) throws -> Int {
        try office.scalar(
            """
            SELECT count(*) FROM app.api_keys
            WHERE \(unsafe: column) = sha256(convert_to(\(key), 'UTF8'))
            """)
    }

    @Test("a new key is printed once, stored as a hash, and listed with its scopes and its expiry")
    func created() throws {
        let made = try office.json(
            "api-key create 'Compass App' --scope members:read --scope families:read "
                + "--scope members:read --expires 30 --per-minute 50")
        let key = try made["key"].string()
        #expect(key.hasPrefix("hk_") && key.utf8.count == 46)
        #expect(try stored(key, in: "secret_hash") == 1)
        let listed = try office.admin("api-key list --json")
        #expect(!listed.output.contains(key))
        let row = try listed.json()["apiKeys"].elements()[0]
        #expect(try row["id"].string() == made["id"].string())
        #expect(try row["state"].string() == "works")
        #expect(
            try row["scopes"].elements().map { try $0.string() }
                == ["families:read", "members:read"])
        #expect(try row["requestsPerMinute"].integer() == 50)
        let days: Int = try office.scalar(
            """
            SELECT round(extract(epoch FROM expires_at - now()) / 86400)::bigint
            FROM app.api_keys
            """)
        #expect(days == 30)
        let entries = try office.json("audit --action api_key.create")["entries"]
        #expect(try entries.texts("actorLabel") == ["operator:jo"])
        let table = try office.admin("api-key list")
        #expect(table.output.contains("Compass App") && !table.output.contains(key))
    }

    @Test("a second key with the same name, an unknown scope and no scope are refused")
    func refused() throws {
        _ = try create("Compass")
        let second = try office.admin("api-key create Compass --scope events:read")
        #expect(second.code == 1 && second.errors.contains("[api_key_exists]"))
        for line in [
            "create Other", "create Other --scope all",
            "create Other --scope events:read --expires 0",
            "create Other --scope events:read --per-minute 0",
        ] {
            #expect(try office.admin("api-key \(line)").code == 64, "\(line)")
        }
        #expect(try keys() == ["Compass works"])
    }

    @Test("a rotation prints a new key, and the previous one works until the overlap ends")
    func rotated() throws {
        let (id, first) = try create("Compass")
        let second = try office.json("api-key rotate Compass --overlap-hours 2 --yes")
        #expect(try second["id"].string() == id)
        #expect(try stored(second["key"].string(), in: "secret_hash") == 1)
        #expect(try stored(first, in: "previous_hash") == 1)
        let again = try office.admin("api-key rotate \(id) --yes")
        #expect(again.code == 1 && again.errors.contains("[api_key_rotating]"), "\(again.errors)")
        // For a stolen key: both earlier secrets end at once.
        _ = try office.json("api-key rotate \(id) --overlap-hours 0 --yes")
        let left: Int = try office.scalar("SELECT count(previous_hash) FROM app.api_keys")
        #expect(left == 0)
        _ = try office.json("api-key rotate \(id) --yes")
        // The end of an overlap that a wrong clock stored is no reason to wait.
        try office.asOwner(
            "UPDATE app.api_keys SET previous_until = now() + interval '40 days'")
        _ = try office.json("api-key rotate \(id) --yes")
        let entries = try office.json("audit --action api_key.rotate")["entries"]
        #expect(try entries.elements().count == 4)
    }

    @Test("an expired key gets no new secret")
    func expired() throws {
        let (id, _) = try create("Compass", " --expires 1")
        try office.asOwner("UPDATE app.api_keys SET expires_at = now()")
        let refused = try office.admin("api-key rotate \(id) --yes")
        #expect(refused.code == 1 && refused.errors.contains("[api_key_expired]"))
        #expect(try keys() == [])
        #expect(try keys(" --all") == ["Compass expired"])
    }

    @Test("a revoked key never works again, and its pending invitations end")
    func revoked() throws {
        let family = try office.makeFamily()
        let (id, _) = try create("Compass")
        try office.asOwner(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by_key, role,
                household_role, delivery, sent_count, last_sent_at)
            VALUES ('\(family)', 'Compass', 'parent', 'adult', 'link', 1, now())
            """)
        let revoked = try office.json("api-key revoke Compass --yes")
        #expect(try revoked["id"].string() == id && revoked["state"].string() == "revoked")
        let status: String = try office.scalar("SELECT status FROM app.family_invitations")
        #expect(status == "revoked")
        for command in ["revoke Compass --yes", "rotate \(id) --yes"] {
            let refused = try office.admin("api-key \(command)")
            #expect(refused.code == 1 && refused.errors.contains("[api_key_not_found]"))
        }
        // The name is free again.
        let (other, _) = try create("Compass")
        #expect(try keys() == ["Compass works"])
        #expect(try keys(" --all") == ["Compass works", "Compass revoked"])
        _ = try office.json("api-key revoke \(other) --yes")
        let entries = try office.json("audit --action api_key.revoke")["entries"]
        #expect(try entries.elements().count == 2)
    }

    @Test("an old, valid key is found and listed, however many keys were created and revoked since")
    func oldest() throws {
        let (id, _) = try create("Oldest")
        try office.asOwner(
            """
            UPDATE app.api_keys SET created_at = now() - interval '1 year';
            INSERT INTO app.api_keys (name, scopes, secret_hash, requests_per_minute, revoked_at)
            SELECT 'Key ' || n, '{events:read}', sha256(convert_to(n::text, 'UTF8')), 1, now()
            FROM generate_series(1, 1100) AS n
            """)
        #expect(try keys(" --all").first == "Oldest works")
        #expect(try keys(" --all").count == 1000)
        _ = try office.json("api-key rotate Oldest --yes")
        _ = try office.json("api-key revoke \(id) --yes")
        #expect(try keys() == [])
    }
}
