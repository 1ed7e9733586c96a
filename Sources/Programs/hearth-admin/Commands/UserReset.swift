import CommandLine
import Configuration
import UseCases

/// `hearth-admin user send-reset`: a link with which a person sets a new password.
enum UserReset {
    static let command = Command(
        "send-reset", "Mails a person a link to reset the password.",
        discussion: [
            "For a person who asks for help. The link goes to the account's own verified address "
                + "and works once, within 30 minutes. The password and all sessions stay until the "
                + "link is used. An account without a password gets its first one. Refused for an "
                + "operator and for a blocked account."
        ],
        parameters: [Options.user]
    ) { values in
        let links = try InvitationLinks(values)
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let email = try session.sendReset(of: user.id, links.signInKeys, links.keys)
        values.output.done("mailed to \(email)") {
            $0.member("userId", user.id.description)
            $0.member("email", email)
        }
        return ExitCode.success
    }
}
