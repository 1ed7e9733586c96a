import Crypto
import Domain
import HTTPServer
import JSON
import UseCases

// Records of sign-ins: the routes of the API and the pages pass through the same functions.

extension SignInLog.Client {
    /// Creates the client of a request.
    init(of request: Request) {
        self.init(
            ClientAddress(of: request.client),
            browser: BrowserName(request.headers["User-Agent"] ?? "").label)
    }
}

extension Services {
    /// Runs a sign-in, and records that it succeeded, or that the secret was wrong.
    ///
    /// - Parameter subject: The account that a failed try is about.
    func recordingSignIn(
        by way: SignInMethod, of subject: SignInLog.AccountReference?, _ request: Request,
        _ body: () throws -> SignedIn
    ) throws -> SignedIn {
        do {
            let signedIn = try body()
            signInLog.add(
                .signIn, by: signedIn.method, of: .account(signedIn.user),
                from: .init(of: request))
            return signedIn
        } catch let refusal as Refusal {
            if refusal.code.isFailedTry, let subject {
                signInLog.add(.failed, by: way, of: subject, from: .init(of: request))
            }
            throw refusal
        }
    }

    /// Runs a change of the password of the caller, and records it, or that the current password
    /// was wrong.
    func recordingPasswordChange(
        by context: RequestContext, _ request: Request, _ body: () throws -> Void
    ) throws {
        let subject = context.signInSubject
        do {
            try body()
            signInLog.add(.passwordChange, by: nil, of: subject, from: .init(of: request))
        } catch let refusal as Refusal {
            if refusal.code.isFailedTry {
                signInLog.add(.failed, by: .password, of: subject, from: .init(of: request))
            }
            throw refusal
        }
    }

    /// Records that a mailed link has set a new password.
    func recordPasswordReset(linkToken: String, _ request: Request) {
        signInLog.add(
            .passwordReset, by: nil, of: .link(of: linkToken), from: .init(of: request))
    }

    /// Records that the caller has ended sessions of its account.
    func recordSignOut(by context: RequestContext, _ request: Request) {
        signInLog.add(.signOut, by: nil, of: context.signInSubject, from: .init(of: request))
    }
}

extension SignInLog.AccountReference {
    /// Returns the subject of a passkey's response; nil if it names no credential.
    static func passkey(_ credential: JSONField) -> SignInLog.AccountReference? {
        guard let text = try? credential["id"].string(), let id = Base64URL.decode(text),
            (1...1_023).contains(id.count)
        else { return nil }
        return .credential(id)
    }
}

extension RequestContext {
    /// The account of the caller, by its session or by its sign-in at another issuer.
    fileprivate var signInSubject: SignInLog.AccountReference {
        if let session = caller.session { return .session(session.id) }
        return .signIn(issuer: caller.issuer, hash: caller.subjectHash.bytes)
    }
}
