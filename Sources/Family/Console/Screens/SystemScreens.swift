import Basics
package import Doctor
import Domain
import HTTPServer
package import Identity
import Repositories
import UseCases

/// Facts about the installation that the console's own settings contain.
package struct ConsoleSystem: Sendable {
    /// The console's settings, without secrets.
    package let settings: [String]
    /// The same settings without paths of this machine.
    package let settingsWithoutPaths: [String]
    /// Number of keys of HEARTH_SECRET_KEY.
    package let secretKeyCount: Int
    /// Reads the issuers of the settings; nil if none are known. The parameter says whether the API
    /// signs tokens of its own.
    package let configuredIssuers: @Sendable (_ signsTokens: Bool) throws -> ConfiguredIssuers?
    /// The issuers of HEARTH_ISSUERS_FILE, by which tokens are verified.
    package let issuers: [Issuer]
    /// The name of Hearth as an issuer, HEARTH_PUBLIC_URL; nil if the setting is not given.
    package let publicURL: String?

    package init(
        settings: [String], settingsWithoutPaths: [String], secretKeyCount: Int,
        configuredIssuers: @escaping @Sendable (_ signsTokens: Bool) throws -> ConfiguredIssuers?,
        issuers: [Issuer], publicURL: String?
    ) {
        self.settings = settings
        self.settingsWithoutPaths = settingsWithoutPaths
        self.secretKeyCount = secretKeyCount
        self.configuredIssuers = configuredIssuers
        self.issuers = issuers
        self.publicURL = publicURL
    }

    /// Returns what verifies tokens as the API does; nil if no issuer is known.
    ///
    /// - Parameter reported: The public keys of the API's own tokens.
    func verifier(_ reported: [ReportedSigningKey]) throws -> TokenVerifier? {
        var trusted = issuers
        if let publicURL, !reported.isEmpty {
            let set = "{\"keys\":[\(reported.map(\.key).joined(separator: ","))]}"
            trusted.append(
                AccessTokens.trusted(
                    issuer: publicURL, publicKeys: try JSONWebKeySet(parsing: Array(set.utf8)).keys)
            )
        }
        return trusted.isEmpty ? nil : TokenVerifier(trusted, cacheCapacity: 64)
    }
}

/// The system: programs, migrations, standbys, keys, issuers and settings.
enum SystemScreens {
    static let routes: [ConsoleRoute] = [
        .page("/system", show),
        ConsoleRoute(method: .get, pattern: "/system/token", action: .checkToken) { visit in
            tokenPage(visit)
        },
        ConsoleRoute(method: .post, pattern: "/system/token", action: .checkToken, run: check),
    ]

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let state = try visit.read { try $0.systemState() }
        let parts = ConsoleParts(visit)
        let check: HTML =
            visit.may(.checkToken)
            ? """
            <p><a class="button plain" href="/system/token">Why is a token refused?</a></p>

            """
            : ""
        return visit.reply(
            "System",
            """
            <h1>System</h1>
            \(parts.done())<h2>Programs</h2>
            \(ConsoleParts.cut(state.processes.count, at: Processes.listed))\
            \(programs(state.processes))
            <h2>Keys</h2>
            \(keys(state.signingKeys, visit))
            <h2>Issuers that the database trusts</h2>
            \(issuers(state, visit, parts))\(check)
            <h2>Standbys</h2>
            \(standbys(state))
            <h2>Migrations</h2>
            \(migrations(state.migrations))
            <h2>Settings of this console</h2>
            \(settings(visit))
            """, section: .system)
    }

    private static func programs(_ processes: [AdminProcess]) -> HTML {
        ConsoleParts.table(
            "Programs",
            ["Program", "Version", "Revision", "Process", "Since (UTC)", "Last report", "State"],
            processes.map { process in
                let isRunning = process.silentSeconds <= OverviewScreen.silenceSeconds
                return [
                    HTML("\(process.program)"), HTML("\(process.version)"),
                    ConsoleParts.longCode(process.revision), HTML("\(process.host)"),
                    ConsoleParts.time(process.since), ConsoleParts.time(process.seenAt),
                    isRunning
                        ? ConsoleParts.badge("runs", "good") : ConsoleParts.badge("silent"),
                ]
            }, empty: "No program has reported in the last seven days.")
    }

    private static func keys(_ signing: [ReportedSigningKey], _ visit: ConsoleVisit) -> HTML {
        let count = visit.services.system.secretKeyCount
        let secrets = ConsoleParts.facts([
            (
                "HEARTH_SECRET_KEY",
                HTML("\(count == 1 ? "1 key" : "\(count) keys: a rotation is under way")")
            )
        ])
        let now = visit.services.now()
        let table = ConsoleParts.table(
            "Signing keys", ["Signing key (kid)", "Created (UTC)", "Age", "Signs", "Processes"],
            signing.map { key in
                let age = key.createdAt.map {
                    ConsoleParts.age(Double(max(0, now - $0.seconds)))
                }
                return [
                    ConsoleParts.longCode(key.id), ConsoleParts.time(key.createdAt),
                    HTML("\(age ?? "unknown")"),
                    key.signers > 0 ? ConsoleParts.badge("signs", "good") : "",
                    HTML("\("\(key.processes)")"),
                ]
            }, empty: "No running process of the API has reported a key that signs tokens.")
        return "\(secrets)\(table)"
    }

    private static func issuers(
        _ state: ConsoleReader.SystemState, _ visit: ConsoleVisit, _ parts: ConsoleParts
    ) -> HTML {
        let issuers = state.issuers
        let table = ConsoleParts.table(
            "Issuers", ["Issuer", "Kind", "Audiences", "Primary", "Links addresses"],
            issuers.map { issuer in
                [
                    HTML("\(issuer.name)"), HTML("\(issuer.kind)"),
                    HTML("\(issuer.audiences.joined(separator: ", "))"),
                    HTML("\(issuer.isPrimary ? "yes" : "no")"),
                    HTML("\(issuer.linksAddresses ? "yes" : "no")"),
                ]
            }, empty: "The database trusts no issuer: direct clients can't sign in.")
        let note: HTML
        do {
            let signsTokens = !state.signingKeys.isEmpty
            if let wanted = try visit.services.system.configuredIssuers(signsTokens) {
                note =
                    wanted.isApplied(among: issuers)
                    ? """
                    <p>\(ConsoleParts.badge("applied", "good")) as this console's settings say.</p>

                    """
                    : """
                    <p class="alert">This console's settings name other issuers than the database \
                    trusts.</p>
                    \(parts.operations(.issuers))
                    """
            } else {
                note = """
                    <p class="hint">Whether they are applied is unknown: HEARTH_ISSUERS_FILE is \
                    not given to this console, and no running process of the API signs tokens.</p>

                    """
            }
        } catch {
            note = """
                <p class="alert">The issuers of the settings can't be read: \
                \(reason(error, visit))</p>
                """
        }
        let cut = ConsoleParts.first(ConsoleReader.issuerLimit, of: issuers.count)
        return "\(cut)\(table)\(note)"
    }

    private static func standbys(_ state: ConsoleReader.SystemState) -> HTML {
        if state.readers == 0 { return "<p>No process of the API reads from standbys.</p>\n" }
        let words: HTML =
            state.standbys == 0
            ? """
            \(ConsoleParts.badge("away", "bad")) No standby serves reads; they go to the primary.
            """
            : """
            Processes that read from standbys: \("\(state.readers)"). Standbys that serve reads: \
            \("\(state.standbys)"). Processes that can't reach every standby: \
            \("\(state.apart)").
            """
        return "<p>\(words)</p>\n"
    }

    private static func migrations(_ names: [String]) -> HTML {
        guard let last = names.last else {
            return "<p>hearth-migrate has recorded no migration.</p>\n"
        }
        let items = names.reduce(into: HTML("")) { $0 = "\($0)<li>\($1)</li>" }
        return """
            <p>Applied: \(ConsoleParts.count(names.count, "migration")), the last one \
            \(ConsoleParts.code(last)).</p>
            <details><summary>All migrations</summary><ol>\(items)</ol></details>

            """
    }

    private static func settings(_ visit: ConsoleVisit) -> HTML {
        let system = visit.services.system
        let lines = seesFiles(visit) ? system.settings : system.settingsWithoutPaths
        let text = lines.joined(separator: "\n")
        return "<pre tabindex=\"0\">\(text)</pre>\n"
    }

    /// Whether the operator sees paths of this machine, and what is wrong with its files.
    private static func seesFiles(_ visit: ConsoleVisit) -> Bool {
        visit.operator?.role == .admin
    }

    private static func reason(_ error: any Error, _ visit: ConsoleVisit) -> String {
        seesFiles(visit) ? "\(error)" : "an admin sees the reason"
    }

    // MARK: Tokens

    private static let tokenLimit = 16_384

    private static func tokenPage(
        _ visit: ConsoleVisit, _ outcome: HTML = "", status: Int = 200
    ) -> Response {
        let form = ConsoleParts(visit).form(
            to: "/system/token",
            """
            <div class="field"><label for="token">Token</label>
            <textarea id="token" name="token" rows="6" required autocomplete="off" \
            spellcheck="false" maxlength="\("\(tokenLimit)")" aria-describedby="token-hint">\
            </textarea>
            <p class="hint" id="token-hint">It is neither stored nor logged.</p></div>
            <button type="submit">Check</button>
            """, style: "question")
        return visit.reply(
            "Check a token",
            """
            <h1>Why is a token refused?</h1>
            \(outcome)\(form)
            """, section: .system, status: status)
    }

    private static func check(_ visit: ConsoleVisit) throws -> Response {
        let reported = try visit.read { try $0.signingKeys() }
        guard let verifier = try visit.services.system.verifier(reported) else {
            throw ConsoleMistake(
                sentence: "This console knows no issuer: start it with HEARTH_ISSUERS_FILE and "
                    + "HEARTH_PUBLIC_URL, as the API has them.")
        }
        guard let token = visit.field("token") else {
            throw ConsoleMistake(sentence: "Token is required.")
        }
        do throws(TokenRefusal) {
            let verified = try verifier.verify(token, now: visit.services.now())
            let ends = ConsoleParts.time(Timestamp(microseconds: verified.expiresAt * 1_000_000))
            let facts = ConsoleParts.facts([
                ("Issuer", HTML("\(verified.issuer)")),
                ("Subject", ConsoleParts.code("\(verified.subject)")), ("Expires", ends),
            ])
            return tokenPage(
                visit,
                """
                <p class="done" role="status">The API accepts this token. If its person is refused \
                all the same, see the page of the person: the account may be blocked.</p>
                \(facts)
                """)
        } catch {
            return tokenPage(
                visit,
                """
                <p class="alert" role="alert">The API refuses this token: \
                \(sentence(error)) <code>\(error.code)</code></p>

                """)
        }
    }

    /// The reason in a sentence.
    static func sentence(_ refusal: TokenRefusal) -> String {
        switch refusal {
        case .malformed(let part): "it is not a signed token, or not a whole one (\(part))."
        case .forbiddenHeader(let name): "its header names a key itself (\(name))."
        case .unknownIssuer:
            "its issuer (iss) is not in the settings. Hearth's own tokens need HEARTH_PUBLIC_URL, "
                + "and a running process of the API."
        case .algorithmNotAllowed: "its issuer does not sign with this algorithm (alg)."
        case .unknownKey: "its issuer has no key with this id (kid)."
        case .badSignature: "its signature was made with another key."
        case .expired: "it has expired (exp)."
        case .notYetValid: "it is not valid yet (nbf): check the clocks."
        case .issuedInFuture: "it was issued in the future (iat): check the clocks."
        case .wrongAudience: "it is for another app (aud)."
        case .wrongTokenUse: "it is the wrong one of Cognito's tokens (token_use)."
        case .wrongRole: "it does not belong to a person (role)."
        case .missingClaim(let name): "it lacks \(name)."
        case .malformedClaim(let name): "\(name) does not have the expected form."
        case .unavailable: "its signature could not be checked."
        case .keysUnavailable: "the keys of its issuer could not be fetched."
        case .keysPending, .keysAwaited:
            "its key is not known yet; try again in half a minute, after the next fetch."
        }
    }
}
