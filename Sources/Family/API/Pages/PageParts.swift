import Domain
import Basics
import Repositories

/// Building blocks of pages.
struct PageParts: LocalizedView {
    let visit: PageVisit

    /// Name of the form field with the token that proves that one of Hearth's pages created the
    /// form.
    static let tokenField = "form_token"

    var language: Language { visit.language }

    /// Returns the heading of a page, with an error if there is one.
    func heading(_ eyebrow: HTML, _ title: HTML, error: HTML? = nil) -> HTML {
        """
        <p class="eyebrow">\(eyebrow)</p>
        <h1>\(title)</h1>
        \(alert(error))
        """
    }

    func alert(_ error: HTML?) -> HTML {
        guard let error else { return "" }
        return "<p class=\"alert\" id=\"alert\" role=\"alert\">\(error)</p>\n"
    }

    /// Returns a form that is sent to one of Hearth's pages.
    ///
    /// - Parameters:
    ///   - page: Path of the page, relative to the root of the pages.
    ///   - action: Action of a form with a single button.
    ///   - hidden: Fields that people don't see.
    func form(
        to page: String, action: String? = nil, hidden: [(name: String, value: String?)] = [],
        style: String = "", attributes: HTML = "", _ content: HTML
    ) throws -> HTML {
        guard let keys = visit.services.signIn?.keys, let cookie = visit.cookie else { return "" }
        let token = try cookie.formToken(keys)
        let fields =
            [
                (Self.tokenField, token), (FormOperation.keyField, visit.key), ("action", action),
            ] + hidden
        return """
            <form method="post" action="\(visit.root)\(page)" class="\(style)"\(attributes)>
            \(fields.reduce(into: HTML("")) { html, field in
                guard let value = field.1 else { return }
                html = "\(html)<input type=\"hidden\" name=\"\(field.0)\" value=\"\(value)\">\n"
            })\(content)</form>

            """
    }

    /// Returns a button that sends its form.
    ///
    /// - Parameters:
    ///   - action: The button's action, if the form has several buttons.
    ///   - name: Name for assistive software, if several buttons have the same label.
    func button(
        _ label: HTML, style: String = "", action: String? = nil, name: HTML? = nil,
        skipsChecks: Bool = false
    ) -> HTML {
        let value: HTML = action.map { "name=\"action\" value=\"\($0)\" " } ?? ""
        let spoken: HTML = name.map { "aria-label=\"\($0)\" " } ?? ""
        return """
            <button type="submit" class="\(style)" \(value)\(spoken)\
            \(skipsChecks ? "formnovalidate" : "")><span>\(label)</span></button>

            """
    }

    /// A text field with its label.
    struct Field {
        let name: String
        let label: HTML
        var type = "text"
        var value = ""
        /// Kind of the value, so that browsers can fill it in.
        var autocomplete = "off"
        var hint: HTML?
        var isRequired = true
        var isWrong = false
        /// Further HTML attributes.
        var more: HTML = ""

        /// Whether a button beside the field shows what is typed.
        var canBeShown: Bool { type == "password" }
    }

    func field(_ field: Field) -> HTML {
        let described = [
            field.hint == nil ? nil : "\(field.name)-hint", field.isWrong ? "alert" : nil,
        ].compactMap { $0 }.joined(separator: " ")
        let description: HTML = described.isEmpty ? "" : " aria-describedby=\"\(described)\""
        let state: HTML = field.isWrong ? " aria-invalid=\"true\"" : ""
        let hint: HTML =
            field.hint.map { "<p class=\"hint\" id=\"\(field.name)-hint\">\($0)</p>\n" } ?? ""
        return """
            <div class="field">
            <label for="\(field.name)">\(field.label)</label>
            <input id="\(field.name)" name="\(field.name)" type="\(field.type)" \
            value="\(field.value)" autocomplete="\(field.autocomplete)"\
            \(field.isRequired ? " required" : "")\(description)\(state)\(field.more)>
            \(field.canBeShown ? reveal(field.name) : "")\(hint)</div>

            """
    }

    /// Returns the button that shows a password. It is hidden until the page's script runs.
    private func reveal(_ name: String) -> HTML {
        """
        <button type="button" class="link" data-reveal="\(name)" aria-controls="\(name)" \
        aria-pressed="false" hidden><span>\(text(.showPassword))</span></button>

        """
    }

    /// Returns a form for a passkey. The page's script shows it, asks the person, and sends the
    /// result.
    ///
    /// - Parameters:
    ///   - options: Options for a new passkey, as JSON; nil to sign in.
    ///   - fields: Fields before the button.
    func passkey(
        to page: String, action: String, hidden: [(name: String, value: String?)] = [],
        options: String? = nil, fields: HTML = "", _ label: HTML
    ) throws -> HTML {
        let attributes: HTML =
            options.map { " data-passkey=\"create\" data-options=\"\($0)\" hidden" }
            ?? " data-passkey=\"get\" hidden"
        return try form(
            to: page, action: action, hidden: hidden + [("credential", "")], style: "passkey",
            attributes: attributes,
            """
            \(fields)\(button(label, style: "plain"))\
            <p class="hint" role="status" data-passkey-failure hidden>\(text(.passkeyFailed))</p>

            """)
    }

    /// - Parameter offersPasskeys: Whether browsers may offer passkeys where they offer addresses.
    func email(_ value: String, isWrong: Bool = false, offersPasskeys: Bool = false) -> HTML {
        field(
            Field(
                name: "email", label: text(.emailLabel), type: "email", value: value,
                autocomplete: offersPasskeys ? "username webauthn" : "username", isWrong: isWrong,
                more: " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\""))
    }

    func newPassword(isWrong: Bool = false) -> HTML {
        field(
            Field(
                name: "password", label: text(.newPasswordLabel), type: "password",
                autocomplete: "new-password", hint: text(.passwordHint), isWrong: isWrong,
                more: " minlength=\"8\" maxlength=\"256\""))
    }

    func name(
        _ value: String, hint: HTML? = nil, isRequired: Bool = true, isWrong: Bool = false
    ) -> HTML {
        field(
            Field(
                name: "name", label: text(.nameLabel), value: value, autocomplete: "name",
                hint: hint, isRequired: isRequired, isWrong: isWrong, more: " maxlength=\"80\""))
    }

    /// Returns the question for the person's role in the family. Without `chosen`, none is chosen.
    func role(_ chosen: MemberRole? = nil, isWrong: Bool = false) -> HTML {
        func choice(_ role: MemberRole, _ label: SignInText) -> HTML {
            """
            <label class="choice"><input type="radio" name="role" value="\(role.rawValue)" required\
            \(chosen == role ? " checked" : "")> \(text(label))</label>

            """
        }
        let state: HTML = isWrong ? " aria-describedby=\"alert\"" : ""
        return """
            <fieldset\(state)><legend>\(text(.roleLabel))</legend>
            \(choice(.parent, .iAmAParent))\(choice(.player, .iAmAPlayer))</fieldset>

            """
    }

    // MARK: Ways to a family

    /// Returns an invitation that the person has received, with the buttons that answer it.
    func received(_ invitation: ReceivedInvitation) throws -> HTML {
        let form = try self.form(
            to: "join", hidden: [("invitation", invitation.id.description)], style: "answer",
            """
            \(button(
                text(.accept), action: "accept", name: text(.acceptOf(invitation.familyName))))\
            \(button(
                text(.decline), style: "plain", action: "decline",
                name: text(.declineOf(invitation.familyName))))
            """)
        let inviter = JoinText.invitesYou(inviter: invitation.inviterName, as: invitation.role)
        return row("<bdi>\(invitation.familyName)</bdi>", text(inviter), form)
    }

    /// Returns the person's request to join a family, with the button that withdraws it.
    func request(_ request: JoinRequest) throws -> HTML {
        let form = try self.form(
            to: "account", action: "withdraw",
            hidden: [("family", request.family.description)], style: "inline",
            button(text(.withdraw), style: "plain", name: text(.withdrawOf(request.familyName))))
        return row(
            "<bdi>\(request.familyName)</bdi>", text(.requestedOn(request.requestedAt)), form)
    }

    /// Returns the content of a list's entry, with a button.
    func row(_ title: HTML, _ detail: HTML, _ button: HTML) -> HTML {
        "<div><strong>\(title)</strong><p class=\"hint\">\(detail)</p></div>\n\(button)"
    }

    /// Returns the link that opens the app on this device; empty if its scheme is unknown.
    func openApp() -> HTML {
        guard let scheme = visit.site.app.scheme else { return "" }
        let label = text(.openApp(visit.site.app.name))
        return "<p><a class=\"button plain\" href=\"\(scheme)://\">\(label)</a></p>\n"
    }

    /// Returns links to the app in the stores of the device's system.
    func stores() -> HTML {
        let app = visit.site.app
        let system = BrowserName(visit.request.headers["User-Agent"] ?? "").system
        let isApple = ["iPhone", "iPad"].contains(system)
        let stores = [
            (system == "Android" ? nil : app.appStoreURL, text(.appStore)),
            (isApple ? nil : app.playStoreURL, text(.playStore)),
        ]
        let links = stores.reduce(into: HTML("")) { html, store in
            guard let url = store.0 else { return }
            html = "\(html)<li><a class=\"button plain\" href=\"\(url)\">\(store.1)</a></li>\n"
        }
        if links.text.isEmpty { return "" }
        return "<ul class=\"stores\">\n\(links)</ul>\n"
    }
}
