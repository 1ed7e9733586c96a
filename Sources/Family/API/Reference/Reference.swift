import JSON

/// Documents and sources of clients that are generated from the API's declarations.
package enum Reference {
    /// The API's description as OpenAPI, for people and for client generators; its server is the
    /// one that the document was loaded from.
    package static var openAPI: String {
        var json = JSONWriter(.pretty, capacity: 1_000_000)
        json.element(
            APIDescription.document(of: Routes.table + PageRoutes.openings, at: "/"))
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    /// The TypeScript client as one file without imports, as `/client.ts` serves it.
    package static var typeScript: String { typeScriptClient.text }

    /// Content of `clients/typescript/src/api.ts`: the part of the TypeScript client that is
    /// generated from the API's declarations.
    package static var typeScriptDeclarations: String { typeScriptClient.declarations }

    private static var typeScriptClient: TypeScriptClient {
        TypeScriptClient(
            APIDescription.document(of: Routes.table + PageRoutes.openings, at: "/"))
    }

    /// Content of `docs/errors.md`: all codes of problems.
    package static var errors: String { ErrorReference.text }

    /// Content of `ErrorSentences+English.swift`: the English sentences of the Swift client.
    package static var clientSentences: String { SentenceReference.text }

    /// Content of `docs/permissions.md`: the permissions of each standing.
    package static var permissions: String { PermissionReference.text }
}
