import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

extension PageVisit {
    /// Reads the family that the form or the address names, otherwise the one that the session has
    /// chosen last, otherwise the one that the person lives in.
    ///
    /// - Throws: ``Refusal``: `familyNotFound` for a named family that is not the person's.
    func family(
        named name: String?, by context: RequestContext
    ) throws -> FamilyOverview.Reading {
        guard let name else {
            return try services.database.run(FamilyOverview.read(by: context, family: nil))
        }
        guard let id = FamilyID(name) else { throw Refusal(.familyNotFound) }
        return try services.database.run(FamilyOverview.read(by: context, family: id))
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
        if ProblemPage.isSignedOut(problem) {
            return redirectToSignIn(
                pathToReturn(from: try form()), hasEnded: session != nil)
        }
        guard let context, problem.status < 500, problem.code != .fault(.notFound) else {
            return try ProblemPage.reply(self, problem)
        }
        let form = try form()
        do {
            return try page(context, form)
        } catch let refusal as Refusal where ProblemPage.isSignedOut(Problem(refusal)) {
            return redirectToSignIn(pathToReturn(from: form), hasEnded: true)
        } catch {
            // If the page can't be read either, a separate page shows the first problem. An opened
            // page, which the person may have reached by the Back button, alarms nobody, unless it
            // can't be read because of an outage or a bug.
            let isRefused = logUnlessRefused(error)
            if isRefused, form == nil, case .refusal(let refusal) = problem.code,
                refusal != .accountBlocked, [403, 404].contains(problem.status)
            {
                return try FamilyParts(self).closed(in: nil, problem)
            }
            return try FamilyParts(self).unreadable(problem)
        }
    }

    /// Returns the page for an opened question that can't be asked any more, for example after the
    /// browser's Back button: the change has been made, or the person may not make it now. Nil if
    /// the address asks no question.
    ///
    /// - Parameter name: The family that the question is about; nil for the one that is shown.
    func closedQuestion(
        _ problem: Problem, in name: String?, by context: RequestContext
    ) throws -> Reply? {
        guard case .refusal = problem.code, [403, 404, 409, 410].contains(problem.status),
            parameter("ask") != nil
        else { return nil }
        let listed: ListedFamily?
        do {
            listed = try family(named: name, by: context).overview?.family
        } catch let refusal as Refusal where refusal.code == .familyNotFound {
            listed = nil
        }
        return try FamilyParts(self).closed(in: listed, problem)
    }

    /// Parameters with which a page is opened again after signing in: its subject, its question and
    /// its position. The others report what a form has done.
    private static let returningParameters: Set<String> = [
        "id", "family", "ask", "member", "person", "cursor", "guardian", "purpose", "invitation",
    ]

    /// Returns the page to return to after signing in: the requested page, or the page from which
    /// the form was sent.
    func pathToReturn(from form: FormBody?) -> ReturnPath {
        let parameters =
            form.map { subject(of: $0) }
            ?? request.query.parameters.map { (name: $0.name, value: $0.value) }
        let query =
            parameters
            .filter { Self.returningParameters.contains($0.name) && Self.isPlain($0.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let path = "/" + request.segments.joined(separator: "/")
        return ReturnPath(query.isEmpty ? path : path + "?" + query) ?? ReturnPath(path) ?? .family
    }

    /// Returns the address of the page that a refused form is about, relative to the root of the
    /// pages: without it, the page at the form's address would be about no family, or another one.
    /// Nil if no form was sent.
    func addressOfForm() throws -> String? {
        try form().map { form in
            FamilyAddress.path(
                request.segments.joined(separator: "/"),
                target(of: form).filter { Self.isPlain($0.value) })
        }
    }

    /// Returns the parameter with the family or the child that a form is about; empty if it names
    /// none.
    private func target(of form: FormBody) -> [(name: String, value: String)] {
        if request.segments == ["family", "child"], let child = form.value("child") {
            return [("id", child)]
        }
        guard let family = form.value("family") else { return [] }
        return [(request.segments == ["family"] ? "id" : "family", family)]
    }

    /// Returns the parameters of the page from which a form was sent: the family or the child that
    /// the form is about, and the question that the form answers.
    private func subject(of form: FormBody) -> [(name: String, value: String)] {
        let question: String? =
            switch request.segments.last {
            case "family": FamilyMainPage.question(of: form)
            case "child": ChildPage.question(of: form)
            case "invite": InvitePage.question(of: form)
            default: nil
            }
        var parameters = target(of: form)
        guard let question else { return parameters }
        parameters.append(("ask", question))
        for name in ["member", "guardian", "purpose", "invitation"] {
            if let value = form.value(name) { parameters.append((name, value)) }
        }
        return parameters
    }

    /// Whether a parameter's value is an id, a word or a cursor, which need no escape.
    private static func isPlain(_ value: String) -> Bool {
        !value.isEmpty
            && value.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Returns the sentence that a family's page shows for a problem.
    func sentence(for problem: Problem) -> HTML {
        guard case .refusal(let refusal) = problem.code else { return explanation(problem) }
        switch refusal {
        case .tooManyAttempts, .codeMalformed, .codeWrong, .playerHasFamily, .consentMissing:
            return explanation(problem)
        default: return language.familyTexts.sentence(for: refusal)
        }
    }
}

extension FamilyParts {
    /// Returns the calm page for something that has been done, or is no longer open to the person,
    /// with a link to the family. It has the problem's status.
    ///
    /// - Parameters:
    ///   - family: The family; nil to lead to the one that is shown.
    ///   - title: Nil for the usual title.
    ///   - advice: Nil for the problem's sentence.
    func closed(
        in family: ListedFamily?, _ problem: Problem, title: HTML? = nil, advice: HTML? = nil
    ) throws -> Reply {
        let sentence =
            problem.code == .refusal(.standingTooLow)
            ? say(.nothingToDoAdvice) : visit.sentence(for: problem)
        let eyebrow: HTML = family.map { "<bdi>\($0.name)</bdi>" } ?? "\(visit.site.app.name)"
        let parameters = family.map { [(name: "id", value: $0.id.description)] } ?? []
        return try reply(
            eyebrow, title ?? say(.nothingToDo), problem: problem, showsProblem: false,
            """
            <p class="lead">\(advice ?? sentence)</p>
            \(link(
                say(family == nil ? .yourFamily : .backToFamily), to: "family", parameters,
                style: "button"))
            """)
    }

    /// Returns the page for a problem if nothing of the family can be shown.
    fileprivate func unreadable(_ problem: Problem) throws -> Reply {
        try reply(
            "\(visit.site.app.name)", text(ProblemText.didNotWork), problem: problem,
            back(to: nil, say(.yourFamily)))
    }
}
