import JSON

/// Documents about the API that are made from its declarations and kept in `docs`.
package enum Reference {
    /// The API's description as OpenAPI, for people to read and for generators of clients; its
    /// server is the one that it was read from.
    package static var openAPI: String {
        var json = JSONWriter(.pretty, capacity: 1_000_000)
        json.element(
            APIDescription.document(of: Routes.table + PageRoutes.openings, at: "/"))
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    /// The API as one TypeScript file: types, problems and a client.
    package static var typeScript: String {
        TypeScriptClient(APIDescription.document(of: Routes.table, at: "/")).text
    }

    /// All codes of problems.
    package static var errors: String { ErrorReference.text }

    /// Who may do what.
    package static var permissions: String { PermissionReference.text }
}
