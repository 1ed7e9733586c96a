import Basics
import Domain
import HTTPServer
import JSON
import UseCases

extension PageVisit {
    /// Reads the family that the form or the address names, otherwise the family that the browser
    /// showed last, otherwise the person's default family (``FamilyOverview``).
    ///
    /// - Throws: ``Refusal``: `familyNotFound` for a named family that is not the person's.
    func family(
        named name: String?, by context: RequestContext
    ) throws -> FamilyOverview.Reading {
        if let name {
            guard let id = FamilyID(name) else { throw Refusal(.familyNotFound) }
            return try services.database.run(FamilyOverview.read(by: context, family: id))
        }
        if let id = ChosenFamily.of(self) {
            do {
                return try services.database.run(FamilyOverview.read(by: context, family: id))
            } catch let refusal as Refusal where refusal.code == .familyNotFound {
                // The person has left it since.
            }
        }
        return try services.database.run(FamilyOverview.read(by: context, family: nil))
    }

    /// Reads the family that the address names, for pages that are about one.
    func overview(named name: String?, by context: RequestContext) throws -> FamilyOverview {
        guard let overview = try family(named: name, by: context).overview else {
            throw Refusal(.familyNotFound)
        }
        return overview
    }

    /// The family that the form or the address names.
    func nameOfFamily(_ form: FormBody?) -> String? {
        form?.value("family") ?? parameter(request.segments == ["family"] ? "id" : "family")
    }

    /// Returns the response to a problem that belongs to no single field: the page is rendered
    /// again with current data, or the person is asked to sign in.
    ///
    /// - Parameter page: Renders the page with the problem.
    func failure(
        _ problem: Problem, _ page: (RequestContext, FormBody?) throws -> Reply
    ) throws -> Reply {
        if ProblemPage.isSignedOut(problem) { return redirectToSignIn(pathToReturn) }
        guard let context, problem.status < 500, problem.code != .fault(.notFound) else {
            return try ProblemPage.reply(self, problem)
        }
        let form = try form()
        do {
            return try page(context, form)
        } catch let refusal as Refusal where ProblemPage.isSignedOut(Problem(refusal)) {
            return redirectToSignIn(pathToReturn)
        } catch {
            // If the page can't be read either, a separate page shows the first problem.
            return try FamilyParts(self).unreadable(problem)
        }
    }

    /// The requested page, to return to after signing in.
    var pathToReturn: ReturnPath {
        let query = request.query.parameters.filter { ["id", "family"].contains($0.name) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let path = "/" + request.segments.joined(separator: "/")
        return ReturnPath(query.isEmpty ? path : path + "?" + query) ?? ReturnPath(path) ?? .family
    }

    /// Returns the sentence that a family's page shows for a problem.
    func sentence(for problem: Problem) -> HTML {
        guard case .refusal(let refusal) = problem.code else { return explanation(problem) }
        switch refusal {
        case .tooManyAttempts, .codeWrong, .playerHasFamily: return explanation(problem)
        default: return language.familyTexts.sentence(for: refusal)
        }
    }
}

extension FamilyParts {
    /// Returns the page for a problem if nothing of the family can be shown.
    fileprivate func unreadable(_ problem: Problem) throws -> Reply {
        try reply(
            "\(visit.site.app.name)", text(ProblemText.didNotWork), problem: problem,
            back(to: nil, say(.yourFamily)))
    }
}

/// The cookie with the family that the browser shows if the address names none.
///
/// It has no other effect: a family that the person does not belong to is ignored.
enum ChosenFamily {
    private static let lifetimeSeconds = 31_536_000

    private static func name(_ visit: PageVisit) -> String {
        PageCookie.name(isSecure: visit.site.isSecure) + "-family"
    }

    static func of(_ visit: PageVisit) -> FamilyID? {
        Cookies(visit.request.headers).value(name(visit)).flatMap { FamilyID($0) }
    }

    static func header(_ family: FamilyID, _ visit: PageVisit) -> (name: String, value: String) {
        (
            "Set-Cookie",
            "\(name(visit))=\(family); Path=/; HttpOnly; SameSite=Lax"
                + (visit.site.isSecure ? "; Secure" : "") + "; Max-Age=\(lifetimeSeconds)"
        )
    }
}
