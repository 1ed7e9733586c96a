import Domain
import HTTPServer
import UseCases

/// Sign-in with a mailed code and with a password.
enum SignInEndpoints {
    static let email = Input<EmailAddress>.required("email", .email, "The person's address.")
    static let password = Input<String>.required(
        "password", .anyText, "8 to 256 characters that are not easy to guess.")
    private static let emailToken = Input<String?>.optional(
        "ticket", .anyText,
        "The `ticket` from the response to the request for the code; required with `code`.")
    private static let code = Input<String?>.optional(
        "code", .mailedCode, "The six-digit code from the e-mail.")
    private static let linkToken = Input<String?>.optional(
        "linkToken", .anyText,
        "The `token` of the e-mail's link, for apps that open the link; replaces ticket and code.")
    private static let fullName = Input<PersonName?>.optional("fullName", .text.orEmpty)
    private static let role = Input<MemberRole?>.optional("role", .word)

    static let sendCode = Operation.open(
        "sendSignInCode", "Mails a code to an address, whether or not it has an account.",
        inputs: [email], responses: [.json(202, Shapes.emailToken, "A code was sent.")],
        faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .email)
        let token = try signIn.sendCode(
            call[email], from: call.client, .of(call.request, services.site))
        return .of(Shapes.emailToken, token, status: 202)
    }

    static let verify = Operation.open(
        "verifySignInCode", "Signs in with a mailed code. The first sign-in creates the account.",
        inputs: [emailToken, code, linkToken, SessionEndpoints.device],
        responses: [.ok(Shapes.signedIn, "Signed in.")],
        refusals: [.codeMalformed, .codeWrong, .codeExpired, .missingField, .accountBlocked],
        faults: [.notFound]
    ) { services, call in
        let signIn = try services.signInByMail()
        let device = try call[SessionEndpoints.device]
        let language = services.site.language(of: call.request)
        // Both are always read, so that a value of a wrong type is reported even if it is not used.
        let (typedToken, typedCode) = (try call[emailToken], try call[code])
        if let token = try call[linkToken] {
            let signedIn = try services.recordingSignIn(by: .email, of: nil, call.request) {
                try signIn.signIn(linkToken: token, device: device, language: language)
            }
            return try SignedInAnswer(signedIn, services).reply
        }
        guard let token = typedToken, let code = typedCode else {
            throw Problem(.missingField, "`ticket` and `code` are expected, or `linkToken`.")
        }
        let signedIn = try services.recordingSignIn(
            by: .email, of: .emailToken(of: token), call.request
        ) {
            try signIn.signIn(emailToken: token, code: code, device: device, language: language)
        }
        return try SignedInAnswer(signedIn, services).reply
    }

    static let signUp = Operation.open(
        "signUp", "Mails a code that creates an account with this password.",
        inputs: [email, password, fullName, role],
        responses: [.json(202, Shapes.emailToken, "A code was sent.")],
        refusals: [.passwordTooWeak], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .password)
        let token = try signIn.signUp(
            call[email], password: call[password], fullName: call[fullName], role: call[role],
            from: call.client, .of(call.request, services.site))
        return .of(Shapes.emailToken, token, status: 202)
    }

    static let signIn = Operation.open(
        "signIn", "Signs in with address and password.",
        inputs: [email, password, SessionEndpoints.device],
        responses: [.ok(Shapes.signedIn, "Signed in.")],
        refusals: [.invalidCredentials, .accountBlocked], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .password)
        let (email, password) = (try call[email], try call[password])
        let device = try call[SessionEndpoints.device]
        let signedIn = try services.recordingSignIn(
            by: .password, of: .address(email), call.request
        ) {
            try signIn.signIn(
                email, password: password, device: device,
                from: call.client, language: services.site.language(of: call.request))
        }
        return try SignedInAnswer(signedIn, services).reply
    }
}

extension EmailTokenOrigin {
    /// Returns the origin of a request from an app, which navigates by itself after sign-in.
    static func of(_ request: Request, _ site: PublicSite) -> EmailTokenOrigin {
        EmailTokenOrigin(language: site.language(of: request))
    }
}

extension Shapes {
    static let emailToken = Shape<CreatedEmailToken>(
        "Ticket",
        [
            .text("ticket", as: Schema.string.described("Send it with the code.")) { $0.token },
            .count("expiresIn", \.expiresInSeconds),
        ])
}
