import JSON

// The client registration for signing in on pages.

extension IssuerReader {
    static let clientFields = ["clientID", "clientSecretFile", "name"]
    /// Maximum length of a name on a button.
    private static let nameLimit = 40

    /// Returns the registration; nil if there is none, or if there were mistakes.
    mutating func client(
        _ issuer: String?, _ kind: Issuer.Kind?, _ tokenUse: Issuer.TokenUse?,
        _ audiences: [String], _ team: AppleTeam?, in object: JSONObject
    ) -> ProviderClient? {
        guard object["clientID"] != nil else {
            for name in Self.clientFields where object[name] != nil {
                addMistake(name, "is of use only with clientID")
            }
            return nil
        }
        guard let clientID = text("clientID", isRequired: true), let issuer, let kind else {
            return nil
        }
        if kind == .supabase {
            addMistake("clientID", "is not for the kind supabase, which has no sign-in page")
            return nil
        }
        if !audiences.contains(where: { $0.utf8.elementsEqual(clientID.utf8) }) {
            addMistake("clientID", "must be one of the audiences")
        }
        if tokenUse == .access {
            addMistake("tokenUse", "must be id with clientID: signing in on pages uses ID tokens")
        }
        let name = buttonName()
        let credential = credential(kind, team, in: object)
        guard let metadata = PublishedMetadata(of: issuer) else {
            addMistake(
                "issuer",
                "must be an https address with clientID (http is only allowed for this machine)")
            return nil
        }
        guard let name, let credential else { return nil }
        return ProviderClient(
            name: name, issuer: issuer, clientID: clientID, credential: credential,
            metadata: metadata)
    }

    /// Reads the name, which is also a segment of the link's path.
    private mutating func buttonName() -> String? {
        guard let name = text("name", isRequired: true) else { return nil }
        let isShown = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: false
            default: scalar != "/" && scalar != "\\"
            }
        }
        let hasLetter = name.unicodeScalars.contains {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        guard name.count <= Self.nameLimit, isShown, hasLetter, name.first != " ", name.last != " "
        else {
            addMistake(
                "name",
                "must have at most \(Self.nameLimit) characters, one line, no slash or backslash")
            return nil
        }
        return name
    }

    private mutating func credential(
        _ kind: Issuer.Kind, _ team: AppleTeam?, in object: JSONObject
    ) -> ProviderClient.Credential? {
        if kind == .apple {
            if object["clientSecretFile"] != nil {
                addMistake(
                    "clientSecretFile",
                    "is not for the kind apple, whose secrets are made with privateKeyFile")
            }
            if team == nil, object["teamId"] == nil {
                addMistake("clientID", "needs teamId, keyId and privateKeyFile for the kind apple")
            }
            return team.map { .team($0) }
        }
        guard let name = text("clientSecretFile", isRequired: true),
            let bytes = contents("clientSecretFile", name, showsName: false)
        else { return nil }
        // Editors end files with a line break that is not part of the secret.
        let secret = String(decoding: bytes, as: UTF8.self).split(
            whereSeparator: \.isNewline)
        guard secret.count == 1, let line = secret.first, line.utf8.count <= 1024 else {
            addMistake("clientSecretFile", "must contain one line of at most 1,024 bytes")
            return nil
        }
        return .secret(String(line))
    }
}
