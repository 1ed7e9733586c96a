import Basics
import Domain

/// Views of `/account` for changing the address of the account.
struct AddressViews: LocalizedView {
    private let visit: PageVisit
    private let parts: PageParts

    init(_ visit: PageVisit) {
        self.visit = visit
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    /// Returns the form for the new address; a hint instead, if the sign-in is not recent.
    ///
    /// - Parameters:
    ///   - isWrong: Whether the form was refused because of the address.
    ///   - typed: The address in the refused form.
    func form(isWrong: Bool, typed: String?) throws -> HTML {
        guard visit.isSignInFresh else {
            return "<p class=\"hint\">\(text(.addressLater))</p>\n"
        }
        let address = PageParts.Field(
            name: "email", label: text(.newAddressLabel), type: "email",
            value: typed ?? "", autocomplete: "email", isWrong: isWrong)
        let form = try parts.form(
            to: "account", action: AccountPage.Action.address.rawValue,
            "\(parts.field(address))\(parts.button(text(.changeAddress)))")
        return """
            <details\(typed == nil ? "" : " open")><summary>\(text(.changeAddress))</summary>
            <p class="hint">\(text(.addressAdvice))</p>
            \(form)</details>

            """
    }

    /// Returns the page on which the person enters the code that was mailed to the new address.
    func code(_ mail: PendingMail, _ problem: Problem? = nil) throws -> Reply {
        let code = PageParts.Field(
            name: "code", label: text(.codeLabel), autocomplete: "one-time-code",
            isWrong: problem?.isAboutMailedCode ?? false,
            more: " inputmode=\"numeric\" maxlength=\"12\" autofocus")
        let form = try parts.form(
            to: "account", action: AccountPage.Action.newAddress.rawValue,
            hidden: [("ticket", mail.emailToken), ("email", mail.email)],
            "\(parts.field(code))\(parts.button(text(.useAddress)))")
        let again = try parts.form(
            to: "account", action: AccountPage.Action.address.rawValue,
            hidden: [("ticket", mail.emailToken), ("email", mail.email), ("again", "yes")],
            parts.button(text(.resendCode), style: "plain"))
        let error = problem.map { visit.explanation($0) }
        let page = PageLayout(
            title: text(.changeAddress),
            content: """
                \(parts.heading(text(.yourAccount), text(.changeAddress), error: error))
                <p class="lead">\(text(.addressCodeSent(to: mail.email)))</p>
                \(form)\(again)
                <p class="note"><a href="account#ways">\(text(.back))</a></p>
                """)
        var reply = try visit.reply(page, problem: problem)
        reply.headers += problem?.headers ?? []
        return reply
    }
}
