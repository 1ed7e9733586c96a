import Domain
import UseCases

/// Change of the address of the caller's account.
enum AddressEndpoints {
    private static let email = Input<EmailAddress>.required(
        "email", .email, "The new address.")
    private static let emailToken = Input<String>.required(
        "ticket", .anyText, "The `ticket` from the response to the request for the code.")
    private static let code = Input<String>.required(
        "code", .mailedCode, "The six-digit code from the e-mail to the new address.")

    static let request = Operation(
        "requestAddressChange",
        "Mails a code to a new address of the caller's account, and a notice to the current one. "
            + "Does the same for every address, whether or not it has an account.",
        inputs: [email], responses: [.json(202, Shapes.emailToken, "A code was sent.")],
        refusals: .byAccount + [.signInAgain], faults: [.notFound]
    ) { services, call in
        let token = try services.addressChanges().sendCode(
            to: call[email], by: call.context, from: call.client,
            language: services.site.language(of: call.request))
        return .of(Shapes.emailToken, token, status: 202)
    }

    static let change = Operation(
        "changeAddress",
        "Changes the address of the caller's account with the mailed code. The previous address "
            + "can no longer be used to sign in, and all other sessions end.",
        inputs: [emailToken, code], responses: [.success],
        refusals: .byAccount + [.codeMalformed, .codeWrong, .codeExpired, .identityInUse],
        faults: [.notFound]
    ) { services, call in
        try services.addressChanges().change(
            emailToken: call[emailToken], code: call[code], by: call.context)
        return .of(Shapes.success, ())
    }
}
