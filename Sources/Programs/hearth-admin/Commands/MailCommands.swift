import CommandLine
import Configuration
import Domain
import JSON
import Repositories
import UseCases

/// `hearth-admin mail`: suppressed addresses, and the texts of e-mails.
enum MailCommand {
    static let command = Command(
        "mail", "Suppressed e-mail addresses, the texts of e-mails, and tests of delivery.",
        subcommands: [
            list, suppress, unsuppress, MailTextsCommand.command, MailTestCommand.preview,
            MailTestCommand.test,
        ])

    private static let list = Command(
        "list", "Lists addresses that get no e-mail, or only some, newest first.",
        discussion: [
            "suppressed: a mail server has rejected the address as dead, or an operator has "
                + "suppressed it. It gets no e-mail.",
            "held_off: mail servers have rejected three messages within a day, for reasons that "
                + "may pass, such as spam filters and full mailboxes. For a day the address gets "
                + "only the codes and links that its owner asks for, one a minute at most.",
            "no_invitations: the address's owner refuses invitations from the listed family, or "
                + "from any family.",
        ],
        parameters: [Options.limit]
    ) { values in
        values.output.rows(
            "addresses",
            try values.session().heldOffAddresses(limit: Int32(clamping: values[Options.limit])),
            [
                .text("ADDRESS"), .fixed("STATE"), .fixed("SINCE"), .fixed("UNTIL"),
                .fixed("FAMILY"), .text("REASON"),
            ],
            row: {
                [
                    $0.email, $0.state.rawValue, $0.since.description,
                    $0.until?.description ?? "-", $0.family?.description ?? "-", $0.reason,
                ]
            },
            json: { address, json in
                json.member("email", address.email)
                json.member("state", address.state.rawValue)
                json.member("since", address.since.description)
                json.member("until", address.until?.description)
                json.member("familyId", address.family?.description)
                json.member("reason", address.reason)
            })
        return ExitCode.success
    }

    private static let suppress = Command(
        "suppress", "Stops all e-mail to an address.", parameters: [address]
    ) { values in
        try values.session().suppress(values[address])
        values.output.done("no e-mail goes to \(values[address])") {
            $0.member("email", values[address].text)
            $0.member("suppressed", true)
        }
        return ExitCode.success
    }

    private static let address = Parameter<EmailAddress>.argument(
        "ADDRESS", .emailAddress, "The address.")

    private static let unsuppress = Command(
        "unsuppress", "Allows e-mail to an address again.",
        discussion: [
            "After a mail server has rejected an address as dead, nothing is sent to it until you "
                + "run this command. The command also ends the state held_off, and undoes "
                + "'suppress' and the owner's refusal of invitations. Then send the invitation "
                + "again: 'hearth-admin invite resend'."
        ],
        parameters: [address]
    ) { values in
        try values.session().unsuppress(values[address])
        values.output.done("e-mail goes to \(values[address]) again") {
            $0.member("email", values[address].text)
            $0.member("suppressed", false)
        }
        return ExitCode.success
    }
}
