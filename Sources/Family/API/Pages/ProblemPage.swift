import Basics
import Domain
import HTTPServer
import Telemetry
import UseCases

/// The page for a problem that no other page can show.
enum ProblemPage {
    static func reply(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        let parts = PageParts(visit: visit)
        let title = parts.text(problem.code == .fault(.notFound) ? .nothingHere : .didNotWork)
        let content: HTML = """
            \(parts.heading("\(visit.site.app.name)", title))
            <p class="lead">\(visit.explanation(problem))</p>
            """
        var reply = try visit.reply(
            PageLayout(title: title, content: content, hasForms: false), problem: problem)
        reply.headers += problem.headers
        return reply
    }

    /// Returns the page for a request that no page has received, because its address leads nowhere
    /// or the HTTP server has refused it, if the client is a browser; nil for programs, which get
    /// JSON.
    static func ofNoPage(
        _ services: Services, _ request: Request, _ problem: Problem
    ) throws -> Reply? {
        guard MediaTypes.areNamed("text/html", by: request) else { return nil }
        let visit = try PageVisit(services, request)
        let parts = PageParts(visit: visit)
        let title = parts.text(problem.code == .fault(.notFound) ? .nothingHere : .didNotWork)
        let account: HTML =
            services.signIn == nil
            ? ""
            : """
            <p class="note"><a href="\(visit.root)account">\(parts.text(.yourAccount))</a></p>

            """
        let content: HTML = """
            \(parts.heading("\(visit.site.app.name)", title))
            <p class="lead">\(visit.explanation(problem))</p>
            \(account)
            """
        var reply = try visit.reply(
            PageLayout(title: title, content: content, hasForms: false),
            problem: problem, vary: "Accept, Accept-Language")
        reply.headers += problem.headers
        return reply
    }

    /// Returns true if the problem means that the browser is no longer signed in.
    static func isSignedOut(_ problem: Problem) -> Bool {
        let codes: [ProblemCode] = [
            .fault(.notSignedIn), .fault(.invalidToken), .refusal(.sessionEnded),
            .refusal(.accountRequired),
        ]
        return codes.contains(problem.code)
    }
}

extension PageVisit {
    /// Returns an explanation of the problem for the reader of the page, and a remedy.
    func explanation(_ problem: Problem) -> HTML {
        switch problem.code {
        case .refusal(.invalidCredentials): text(.wrongPassword)
        case .refusal(.codeWrong) where problem.attemptsLeft == 0: text(.codeOver)
        case .refusal(.codeWrong): text(.wrongCode(triesLeft: problem.attemptsLeft))
        case .refusal(.codeMalformed): text(.noMailedCode)
        case .refusal(.codeExpired): text(.codeOver)
        case .refusal(.passwordTooWeak): text(.weak(problem.weakness ?? .other))
        case .refusal(.tooManyAttempts): text(.tooMany(minutes: problem.minutesToWait))
        case .refusal(.invalidField): text(wrongField(problem))
        case .refusal(.notTheAddressee): text(.sentToAnother)
        case .refusal(.roleMismatch): text(.otherSide)
        case .refusal(.playerHasFamily): text(.hasFamily(problem.family?.name))
        case .refusal(.familyFull): text(.familyFull)
        case .refusal(.removedFromFamily): text(.wasRemoved)
        case .refusal(.alreadyMember): text(.alreadyIn)
        case .refusal(.codeUnknown): text(.codeUnknown)
        case .refusal(.passkeyRefused), .refusal(.passkeyInvalid): text(.passkeyUnknown)
        case .refusal(.passkeyExists): text(.passkeyKnown)
        case .refusal(.tooManyPasskeys): text(.tooManyPasskeys)
        case .refusal(.lastIdentity): text(.lastWayIn)
        case .refusal(.freshSignInRequired), .refusal(.signInAgain): text(.signInAgainFirst)
        case .refusal(.erasureBlocked): text(.handOverFirst(tasks: "#erase"))
        case .refusal(.accountBlocked): text(.accountBlocked)
        case .refusal(.operatorRoleStands): text(.operatorRoleStands)
        case .refusal(.roleFixedInFamily): text(.roleFixed)
        case .refusal(.guardianHasManagedMembers): text(.guardianFirst)
        case .refusal(.notTheGraduate): text(.notTheGraduate)
        case .refusal(.tooManyFamilies): text(.tooManyFamilies)
        case .refusal(.transferAdminFirst): text(.transferAdminFirst)
        case .refusal(.consentMissing): text(.consentMissing(account: root + "account#consents"))
        case .refusal(.identityInUse): text(.otherAccount)
        case .refusal(.identityOfIssuerExists): text(.oneOfItsKind)
        case .refusal(.noVerifiedAddress): text(.noAddress)
        case .refusal(let refusal): language.familyTexts.sentence(for: refusal)
        case .fault(.notFound): text(.nothingHereAdvice)
        case .fault(.malformedRequest): text(.unreadable)
        case .fault(.bodyTooLarge): text(.formTooLong)
        case .fault(.headersTooLarge): text(.cookiesTooLong)
        case .fault(.unavailable), .fault(.outcomeUnknown), .fault(.databaseAway),
            .fault(.databaseBusy):
            text(.tryLater)
        default: text(.tryAgain)
        }
    }

    /// Logs why a page can't show a problem, unless it was refused, for example because the person
    /// has lost a right meanwhile. Returns true if it was refused.
    @discardableResult
    func logUnlessRefused(_ error: any Error) -> Bool {
        if let problem = error as? Problem { return problem.status < 500 }
        if error is Refusal { return true }
        services.log.error("could not read the page with a problem", [.error(error)])
        return false
    }

    private func wrongField(_ problem: Problem) -> ProblemText {
        switch problem.wrongFields.first?.pointer {
        case "#/name": .wrongName
        case "#/avatarKey": .wrongPicture
        case "#/locale": .wrongLanguage
        case "#/label": .wrongLabel
        case "#/role": .wrongRole
        case "#/email" where isEmailEmpty: .noEmail
        default: .wrongEmail
        }
    }

    /// Whether a form was sent with nothing in its field for an e-mail address.
    private var isEmailEmpty: Bool {
        isForm && FormBody(parsing: request.body)?.value("email")?.trimmed.isEmpty == true
    }
}

extension Problem {
    /// Number of minutes to wait, from `Retry-After`.
    fileprivate var minutesToWait: Int {
        let seconds = headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) } ?? 60
        return max(1, (seconds + 59) / 60)
    }
}
