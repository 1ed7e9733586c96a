import Basics
import Domain
import UseCases

// The texts in English about the reader's own account.

extension EnglishTexts {
    static func text(_ text: AccountText) -> HTML {
        switch text {
        case .you: "You"
        case .changeYou: "Change these details"
        case .mailLanguage: "Language of our emails"
        case .mailLanguageHint: "Pages follow your browser’s language."
        case .noMailLanguage: "Not chosen"
        case .yourRole(let role): "You’re \(noun(role))."
        case .whatIsYourName: "What’s your name?"
        case .whoAreYou: "Who are you?"
        case .nameAdvice: "Your family will see this."
        case .keepName: "Save"
        case .nameKept: "Saved."
        case .yourInvitations: "Invitations for you"
        case .acceptOf(let family): "Accept the invitation to \(family)"
        case .declineOf(let family): "Decline the invitation to \(family)"
        case .yourFamilies: "Your families"
        case .noFamily:
            "You’re not in a family. If you were invited, open the link in the invitation."
        case .noFamilyButInvited:
            "You’re not in a family. You can accept an invitation above."
        case .members(let count): count == 1 ? "one member" : "\(String(count)) members"
        case .leave: "Leave"
        case .leaveOf(let family): "Leave \(family)"
        case .yourRequests: "Families you asked to join"
        case .requestedOn(let moment):
            "You asked on \(day(moment)). The family hasn’t answered yet."
        case .withdraw: "Withdraw"
        case .withdrawOf(let family): "Withdraw the request to join \(family)"
        case .requestWithdrawn: "You withdrew your request."
        case .requestOver: "This request was already answered or withdrawn."
        case .whereSignedIn: "Where you’re signed in"
        case .thisOne: "this device"
        case .unknownDevice: "Unknown device"
        case .lastUsed(let moment, let method):
            "\(means(method)) &middot; last used on \(day(moment))"
        case .openedFrom(let app, let device, let moment):
            """
            opened from \(app)\(device.map { " on <bdi>\($0)</bdi>" } ?? "") &middot; last used on \
            \(day(moment))
            """
        case .latestSignIns: "Latest sign-ins"
        case .latestSignInsAdvice(hasPassword: true):
            """
            Recent sign-ins, failed attempts, sign-outs and password changes. If you don’t \
            recognize a sign-in, sign out there and change your password.
            """
        case .latestSignInsAdvice(hasPassword: false):
            """
            Recent sign-ins, failed attempts and sign-outs. If you don’t recognize a sign-in, sign \
            out there.
            """
        case .showSignIns: "Show them"
        case .eventAt(let moment): "\(day(moment)), \(moment.clock) UTC"
        case .event(let kind, let way, let count): event(kind, way, count)
        case .end: "Sign out"
        case .endOf(let device):
            device.isEmpty ? "Sign out on an unknown device" : "Sign out on \(device)"
        case .endOthers: "Sign out everywhere else"
        case .sessionsEnded: "Done. You were signed out there."
        case .sessionOver: "That session was already over."
        }
    }

    static func text(_ text: AccountDataText) -> HTML {
        switch text {
        case .howYouSignIn: "How you sign in"
        case .way(let kind): way(kind)
        case .since(let moment): "since \(day(moment))"
        case .remove: "Remove"
        case .removeOf(let kind, let name): "Remove: \(way(kind)) \(name)"
        case .wayRemoved: "That way to sign in was removed."
        case .wayGone: "That was already removed."
        case .removeWay: "Remove this way to sign in?"
        case .removeAdvice: "You won’t be able to sign in this way anymore."
        case .passwordGoesToo:
            """
            Your password only works with an email address, and this is your last one. The \
            password will be removed too.
            """
        case .keepWay: "Keep it"
        case .addPasskey: "Add a passkey"
        case .passkeyName: "Name for this passkey"
        case .passkeyNameHint: "Such as the device or password manager that keeps it."
        case .passkeyAdded: "Your passkey was added."
        case .passkeyLater: "To add a passkey, sign out and sign in again first."
        case .changePassword: "Change your password"
        case .currentPasswordLabel: "Current password"
        case .passwordEndsSessions: "This signs you out on all your other devices."
        case .passwordKept: "Your password is set."
        case .changeAddress: "Change your email address"
        case .newAddressLabel: "New email address"
        case .addressAdvice:
            """
            We’ll email a code to the new address. Once you’ve entered it, you can no longer sign \
            in with the old address, and you’re signed out on all your other devices.
            """
        case .addressLater: "To change your email address, sign out and sign in again first."
        case .addressCodeSent(let email):
            """
            We emailed a code to <strong><bdi>\(email)</bdi></strong>. Enter it to use this \
            address.
            """
        case .useAddress: "Use this address"
        case .addressKept: "Your email address was changed."
        case .consentNeeded:
            """
            Without this consent, there are things you can’t do. It ends at once. You can give it \
            again later.
            """
        case .yourData: "Your data"
        case .download: "Download a copy"
        case .downloadAdvice:
            "A file with everything we store about you and the children you’re a guardian of."
        case .eraseAccount: "Delete your account"
        case .eraseAdvice:
            """
            Your account is deleted right away, and you leave your families. This can’t be undone.
            """
        case .eraseForGood: "Delete for good"
        case .iAmSure: "Yes, delete my account for good"
        case .childrenToo: "Also delete the children who would have no guardian left"
        case .beforeErasing: "Before you can delete your account:"
        case .endOperatorRoleFirst:
            "Ask an admin of this service to remove your role as an operator."
        case .giveSeatFirst(let family, let page):
            "Make another adult the Parent Admin of <a href=\"\(page)\"><bdi>\(family)</bdi></a>."
        case .nameGuardianFirst(let child, page: let page, hasBox: false):
            "Name another guardian for <a href=\"\(page)\"><bdi>\(child)</bdi></a>."
        case .nameGuardianFirst(let child, page: let page, hasBox: true):
            """
            Name another guardian for <a href="\(page)"><bdi>\(child)</bdi></a>, or check the box \
            for the children.
            """
        case .tickFirst: "Check the box that says you’re sure, then press the button again."
        case .erasureCodeSent:
            """
            To make sure it’s you, we emailed you a code. Enter it to delete your account.
            """
        case .erased: "Your account was deleted"
        case .erasedAdvice: "You can close this page."
        }
    }

    private static func means(_ method: SignInMethod) -> String {
        switch method {
        case .exchange: "Another provider"
        case .email: "Code by email"
        case .password: "Password"
        case .passkey: "Passkey"
        }
    }

    private static func event(
        _ kind: SignInEventKind, _ way: SignInMethod?, _ count: Int
    ) -> HTML {
        let detail = way.map { ": \(means($0))" } ?? ""
        return switch kind {
        case .signIn: "Signed in\(detail)"
        case .failed: "Failed attempt to sign in\(detail)"
        case .passwordChange: "Password changed"
        case .passwordReset: "Password reset by email"
        case .signOut: "Signed out"
        case .more: "\(String(count)) more within this hour"
        }
    }

    private static func way(_ kind: IdentityKind) -> HTML {
        switch kind {
        case .issuer: "Another provider"
        case .email: "Codes by email"
        case .password: "Password"
        case .passkey: "Passkey"
        }
    }
}
