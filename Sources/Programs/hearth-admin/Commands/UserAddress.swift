import CommandLine
import Configuration
import Domain
import FamilySettings
import UseCases

/// `hearth-admin user set-address`: another address for an account.
enum UserAddress {
    private static let address = Parameter<EmailAddress>.argument(
        "ADDRESS", .emailAddress, "The new address.")

    static let command = Command(
        "set-address", "Mails a link that gives an account another address.",
        discussion: [
            "For a person who can no longer read e-mail at the current address. The link goes to "
                + "the new address and works once, within 30 minutes: it changes the address, "
                + "ends all sessions and signs the person in. The current address gets a notice "
                + "at once. It remains the account's address until the link is used."
        ],
        parameters: [Options.user, address, Options.yes]
    ) { values in
        let links = try InvitationLinks(values)
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let email = values[address]
        try values.confirm(
            "Mail a link to \(email.text) that makes it the address of "
                + "\(user.fullName ?? user.id.description)?")
        try session.requestAddressChange(of: user.id, to: email, links.signInKeys, links.keys)
        values.output.done("mailed to \(email.text)") {
            $0.member("id", user.id.description)
            $0.member("email", email.text)
        }
        return ExitCode.success
    }
}
