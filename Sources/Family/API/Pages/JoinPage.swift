import Domain
import HTTPServer
import QRCode
import UseCases

/// `/join`: what the links of invitations and the QR codes of families open. Here somebody sees who
/// invites, signs in or creates an account, and accepts or declines.
enum JoinPage: Page {
    static func show(_ visit: PageVisit) throws -> Reply {
        try visit.prolonging {
            if let token = visit.parameter("token") { return try invitation(visit, token) }
            guard let typed = visit.parameter("code") else {
                throw Problem(.missingField, "This link is not complete.")
            }
            return try family(visit, typed)
        }
    }

    private static func invitation(_ visit: PageVisit, _ text: String) throws -> Reply {
        let preview = try PreviewInvitation(visit.services.database)(
            by: visit.caller, token: text, from: visit.client)
        guard let token = InvitationToken(text) else { throw Refusal(.invitationNotFound) }
        let views = try JoinViews(visit, .invitation(token), Self.profile(of: visit))
        return try views.invitation(preview)
    }

    private static func family(_ visit: PageVisit, _ typed: String) throws -> Reply {
        guard let code = FamilyCode(typed) else { throw Refusal(.codeMalformed) }
        // Only somebody who is signed in may look up a code, and the attempts are counted.
        let preview = try visit.caller.map { caller in
            try PreviewFamilyCode(visit.services.database)(
                by: caller, typedCode: code.text, from: visit.client)
        }
        let views = try JoinViews(visit, .code(code), Self.profile(of: visit))
        return try views.family(code, preview)
    }

    private static func profile(of visit: PageVisit) throws -> ReadProfile.Profile? {
        try visit.caller.map { try ReadProfile(visit.services.database)(by: $0) }
    }

    /// What its buttons do.
    private enum Action: String {
        case accept, decline, join
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let caller = try visit.signedIn()
        switch form.value("action").flatMap({ Action(rawValue: $0) }) {
        case .accept: return try accept(visit, form, caller)
        case .decline:
            try DeclineInvitation(visit.services.database)(
                by: caller, invitation(of: form), from: visit.client)
            return try JoinViews(visit, nil, nil).declined()
        case .join: return try join(visit, form, caller)
        case nil: return try RefusedForm.reply(visit)
        }
    }

    private static func accept(
        _ visit: PageVisit, _ form: FormBody, _ caller: Caller
    ) throws -> Reply {
        try takeName(visit, form, caller)
        let acceptance = try AcceptInvitation(visit.services.database)(
            by: caller, invitation(of: form), from: visit.client)
        let profile = try ReadProfile(visit.services.database)(by: caller)
        let family = profile.families.first { $0.id == acceptance.family }
        return try JoinViews(visit, nil, profile).joined(family?.name ?? "")
    }

    private static func join(
        _ visit: PageVisit, _ form: FormBody, _ caller: Caller
    ) throws -> Reply {
        try takeName(visit, form, caller)
        try visit.services.codes.apply(to: visit.services.database)
        let joined = try JoinFamilyByCode(visit.services.database)(
            by: caller, typedCode: form.value("code") ?? "", from: visit.client)
        visit.services.meters.count(joined)
        let profile = try ReadProfile(visit.services.database)(by: caller)
        let views = try JoinViews(visit, nil, profile)
        return try joined.isWaiting
            ? views.waiting(joined.familyName) : views.joined(joined.familyName)
    }

    /// The family should know who comes: somebody who has no name yet gives one.
    private static func takeName(
        _ visit: PageVisit, _ form: FormBody, _ caller: Caller
    ) throws {
        guard let name = try form.personName() else { return }
        _ = try UpdateProfile(visit.services.database)(
            by: caller, UpdateProfile.Change(fullName: name))
    }

    private static func invitation(of form: FormBody) throws -> InvitationReference {
        if let id = form.value("invitation") {
            guard let id = InvitationID(id) else { throw Refusal(.invitationNotFound) }
            return .id(id)
        }
        return .token(form.value("token") ?? "")
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        let form = try visit.form()
        let place = place(
            token: form?.value("token") ?? visit.parameter("token"),
            code: form?.value("code") ?? visit.parameter("code"))
        if ProblemPage.isSignedOut(problem), visit.session != nil {
            // To be seen as somebody who is not signed in.
            guard form == nil, let place else { return visit.redirectToSignIn(place) }
            return visit.redirect(to: place.relative, cookie: visit.farewell)
        }
        return try JoinViews(visit, nil, nil).failure(problem, back: form == nil ? nil : place)
    }

    private static func place(token: String?, code: String?) -> ReturnPath? {
        if let token { return ReturnPath("/join?token=" + token) }
        return code.flatMap { ReturnPath("/join?code=" + $0) }
    }
}
