import Domain
import UseCases

/// Passwords: resetting them with a mailed link, and changing them while signed in.
enum PasswordEndpoints {
    private static let token = Input<String>.required(
        "token", .anyText, "The token from the link.")
    private static let current = Input<String?>.optional(
        "currentPassword", .anyText,
        "The current password; left out if the account has none. The sign-in must then be recent.")
    private static let new = Input<String>.required(
        "newPassword", .anyText, "8 to 256 characters that are not easy to guess.")

    static let forgot = Operation.open(
        "forgotPassword", "Mails a link to set a new password, if the address has an account.",
        inputs: [SignInEndpoints.email],
        responses: [.json(202, Shapes.success, "A link was sent, if there is an account.")],
        faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .password)
        try signIn.sendResetLink(
            to: call[SignInEndpoints.email], from: call.client,
            .of(call.request, services.site))
        return .of(Shapes.success, (), status: 202)
    }

    static let reset = Operation.open(
        "resetPassword",
        "Sets a new password with a mailed link. Every session of the account ends.",
        inputs: [token, SignInEndpoints.password], responses: [.success],
        refusals: [.codeExpired, .passwordTooWeak, .accountBlocked], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .password)
        let token = try call[token]
        try signIn.resetPassword(linkToken: token, password: call[SignInEndpoints.password])
        services.recordPasswordReset(linkToken: token, call.request)
        return .of(Shapes.success, ())
    }

    static let change = Operation(
        "changePassword",
        "Changes the caller's password, or sets the first one. All other sessions end.",
        inputs: [current, new], responses: [.success],
        refusals: .byAccount + [
            .invalidCredentials, .signInAgain, .passwordTooWeak, .noVerifiedAddress,
        ], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .password)
        let (current, new) = (try call[current], try call[new])
        try services.recordingPasswordChange(by: call.context, call.request) {
            try signIn.changePassword(
                by: call.context, current: current, new: new, from: call.client)
        }
        return .of(Shapes.success, ())
    }
}
