import Domain
import QRCode
import UseCases
import Markup

/// The page behind an invitation's link and a family's QR code, for people without the app.
///
/// It has no script, no style of its own and nothing from elsewhere.
enum JoinPage {
    /// A pending invitation.
    static func invitation(_ preview: PreviewInvitation.Preview, qrCode: QRCode) -> String {
        let inviter: HTML =
            preview.inviterName.isEmpty
            ? "You are invited" : "<bdi>\(preview.inviterName)</bdi> invites you"
        let side = preview.role == .player ? "player" : "parent"
        let signIn: HTML =
            preview.email.isEmpty
            ? "Sign in, or create an account."
            : """
            Sign in with <strong>\(preview.email)</strong>, the address this invitation was \
            sent to.
            """
        let content: HTML = """
            <p class="eyebrow">Invitation</p>
            <h1>Join <bdi>\(preview.familyName)</bdi></h1>
            <p class="lead">\(inviter) to join this family as a \(side).</p>
            <h2>How to go on</h2>
            <ol>
            <li>Open this link on the phone that has the family&rsquo;s app. The app shows the \
            invitation.</li>
            <li>\(signIn)</li>
            <li>Accept the invitation. Until you do, nothing changes.</li>
            </ol>
            <p class="note">The invitation is valid until \
            <time datetime="\(preview.expiresAt.description)">\(day(preview.expiresAt))</time> and \
            works once. Opening this page does not use it up.</p>
            \(handover(qrCode))
            """
        return page(title: "Join a family", content)
    }

    /// The page for a family's code. It does not name the family; only signed-in callers can look
    /// it up.
    static func code(_ code: FamilyCode, qrCode: QRCode) -> String {
        page(
            title: "Join a family",
            """
            <p class="eyebrow">Family code</p>
            <h1>Join a family</h1>
            <p class="lead">You have been given the code of a family.</p>
            <p class="code"><code>\(code.text)</code></p>
            <h2>How to go on</h2>
            <ol>
            <li>Open this link on the phone that has the family&rsquo;s app, or open the app.</li>
            <li>Sign in, or create an account.</li>
            <li>Choose to join a family, and enter the code. The app tells you which family it is \
            before you join.</li>
            </ol>
            \(handover(qrCode))
            """)
    }

    /// The page for an error.
    static func failure(_ problem: Problem) -> String {
        let (title, advice) = explanation(problem)
        return page(
            title: title,
            """
            <p class="eyebrow">Invitation</p>
            <h1>\(title)</h1>
            <p class="lead">\(advice)</p>
            """)
    }

    private static func explanation(_ problem: Problem) -> (title: String, advice: String) {
        switch problem.code {
        case .refusal(.invitationExpired):
            (
                "This invitation has expired",
                "Ask the person who invited you to send it again. You will get a new link."
            )
        case .refusal(.invitationNotFound):
            (
                "This link does not work",
                "The invitation may have been withdrawn or replaced by a newer one, or the link "
                    + "may be incomplete. Look for a newer message, or ask the person who invited "
                    + "you."
            )
        case .refusal(.invitationAnswered):
            (
                "This invitation has been answered",
                "It was accepted or declined already. If you accepted it, open the app and sign in "
                    + "to see the family."
            )
        case .refusal(.codeMalformed), .refusal(.missingField), .refusal(.invalidField),
            .fault(.malformedRequest):
            (
                "This link is not complete",
                "Open it again from the message that you got, or enter the family's code in the "
                    + "app. Codes look like FAM-XXXXXX."
            )
        case .refusal(.tooManyAttempts):
            ("Too many attempts", "Please wait five minutes, then open the link again.")
        default:
            (
                "This did not work",
                "Please try again in a few minutes. Your invitation has not changed."
            )
        }
    }

    /// For who reads this on another device than the phone with the app.
    private static func handover(_ qrCode: QRCode) -> HTML {
        """
        <aside>
        <div class="qr" role="img" aria-label="QR code of this link">\(HTML(markup: qrCode.svg))\
        </div>
        <p>Not on your phone? Point its camera here to open this link there.</p>
        </aside>
        """
    }

    private static func page(title: String, _ content: HTML) -> String {
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>\(title)</title>
            <link rel="stylesheet" href="join.css">
            </head>
            <body>
            <main>
            \(emblem)
            \(content)
            </main>
            </body>
            </html>

            """
        return page.text
    }

    /// A house with a fire in it.
    private static let emblem: HTML = """
        <svg class="emblem" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
        <path class="house" d="M24 5 4 22h5v20h30V22h5z"/>
        <path class="fire" d="M24 18c1 5 7 7 7 13a7 7 0 0 1-14 0c0-4 2-5 3-8 2 1 2 2 3 4 1-3 2-5 1-9z"/>
        </svg>
        """

    /// `5 December 2026`.
    private static func day(_ moment: Timestamp) -> String {
        let parts = moment.description.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, months.indices.contains(parts[1] - 1) else {
            return moment.description
        }
        return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}
