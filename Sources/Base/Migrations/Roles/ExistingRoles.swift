import Postgres

/// The roles and memberships that a server has.
struct ExistingRoles: Sendable {
    struct Attributes: Sendable, Equatable {
        var canLogin = false
        var inherits = true
        var isSuperuser = false
        var canCreateRoles = false
        var canCreateDatabases = false
        var canReplicate = false
        var bypassesRowSecurity = false
    }

    /// Membership of one role in another.
    struct Membership: Sendable, Hashable {
        let role: String
        let member: String
        /// The grantor, which is part of the key from version 16 on.
        var grantor = ""
        /// Whether the member may use the role's privileges without SET ROLE. From version 16 on,
        /// this is a property of the membership.
        var inherits: Bool?
    }

    var roles: [String: Attributes] = [:]
    var memberships: Set<Membership> = []
    /// The stored password verifiers, if the session may read them.
    var verifiers: [String: String] = [:]

    init() {}

    init(_ connection: Connection, _ serverMajorVersion: Int) throws(PostgresError) {
        let rows = try connection.query(
            """
            SELECT rolname::text, rolcanlogin, rolinherit, rolsuper, rolcreaterole, rolcreatedb,
                   rolreplication, rolbypassrls
              FROM pg_catalog.pg_roles
            """
        ).map { (row) throws(PostgresError) in
            (
                try row.read(String.self),
                Attributes(
                    canLogin: try row.read(), inherits: try row.read(),
                    isSuperuser: try row.read(), canCreateRoles: try row.read(),
                    canCreateDatabases: try row.read(), canReplicate: try row.read(),
                    bypassesRowSecurity: try row.read())
            )
        }
        roles = Dictionary(rows) { first, _ in first }
        let inherits = serverMajorVersion >= 16 ? "inherit_option" : "NULL::boolean"
        memberships = Set(
            try connection.query(
                """
                SELECT r.rolname::text, m.rolname::text, g.rolname::text, \(unsafe: inherits)
                  FROM pg_catalog.pg_auth_members AS a
                  JOIN pg_catalog.pg_roles AS r ON r.oid = a.roleid
                  JOIN pg_catalog.pg_roles AS m ON m.oid = a.member
                  LEFT JOIN pg_catalog.pg_roles AS g ON g.oid = a.grantor
                """
            ).map { (row) throws(PostgresError) in
                Membership(
                    role: try row.read(), member: try row.read(),
                    grantor: try row.read(String?.self) ?? "", inherits: try row.read())
            })
        let canReadPasswords = try connection.query(
            "SELECT has_table_privilege('pg_catalog.pg_authid', 'SELECT')"
        ).scalar(Bool.self)
        guard canReadPasswords else { return }
        let pairs = try connection.query(
            """
            SELECT rolname::text, rolpassword FROM pg_catalog.pg_authid
             WHERE rolpassword IS NOT NULL
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(String.self))
        }
        verifiers = Dictionary(pairs) { first, _ in first }
    }
}
