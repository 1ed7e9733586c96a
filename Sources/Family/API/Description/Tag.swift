/// A group of routes in the API's description.
///
/// The first segments of a route's path determine its group, so a new route under a known path
/// already has one.
enum Tag: String, CaseIterable {
    case myself = "Me"
    case signIn = "Sign-in"
    case members = "Members"
    case codes = "Codes"
    case invitations = "Invitations"
    case children = "Children"
    case notes = "Player details"
    case groups = "Groups"
    case families = "Families"
    case changes = "Changes"
    case server = "Server"
    case pages = "Pages"
    case operations = "Operations"
    case description = "Description"

    /// Topic of the group's routes.
    var help: String {
        switch self {
        case .myself: "The caller's own account and profile."
        case .signIn: "Signing in to Hearth itself, and the sessions that this opens."
        case .members: "Members of a family, their household roles, and the Parent Admin's seat."
        case .codes: "Family codes: look up, join, renew."
        case .invitations: "Invitations, from both sides."
        case .children: "Managed members: children without an account, and their guardians."
        case .notes: "A family's notes about its player."
        case .groups: "A family as one group, and its members' preferences."
        case .changes: "Changes, for apps that keep a local copy; see docs/sync.md."
        case .server: "For the servers of apps, with an API key; see docs/servers.md."
        case .families: "Families: create, list, read, change."
        case .pages: "Pages for people, and files that phones and other services request."
        case .operations: "For load balancers and monitoring."
        case .description: "This description."
        }
    }

    private var paths: [String] {
        switch self {
        case .myself: ["/api/me"]
        case .signIn:
            [
                "/api/auth", "/api/me/sessions", "/api/me/identities", "/api/me/password",
                "/api/delegations", "/api/me/passkeys", "/api/me/email",
            ]
        case .members: ["/api/family/members", "/api/family/admin"]
        case .codes: ["/api/family/code", "/functions/v1/family-code-join"]
        case .invitations: ["/api/me/invitations", "/api/family/invit"]
        case .children: ["/api/family/managed", "/groups/:id/members/managed"]
        case .notes: ["/api/family/player-details"]
        case .groups: ["/groups"]
        case .changes: ["/api/sync", "/api/live", "/api/batch"]
        case .server: ["/api/server"]
        case .families: ["/api/family", "/api/families"]
        case .pages:
            [
                "/sign-in", "/join", "/reset-password", "/account", "/refuse-invitations",
                "/passkeys.js", "/.well-known", "/family", "/continue",
            ]
        case .operations: ["/healthz", "/readyz", "/metrics"]
        case .description: ["/openapi.json", "/client.ts", "/docs"]
        }
    }

    /// Returns the group with the longest path that is a prefix of the route's path; nil if there
    /// is none.
    static func of(_ endpoint: Endpoint) -> Tag? {
        let pattern = "\(endpoint.pattern)"
        // The root is a prefix of every path.
        if pattern == "/" { return .pages }
        func length(_ tag: Tag) -> Int {
            tag.paths.filter(pattern.hasPrefix).map(\.count).max() ?? 0
        }
        let best = allCases.max { length($0) < length($1) }
        return best.flatMap { length($0) > 0 ? $0 : nil }
    }
}
