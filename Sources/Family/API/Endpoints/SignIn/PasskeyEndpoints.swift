import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// Passkeys: adding, listing and removing them, and signing in with them.
enum PasskeyEndpoints {
    private static let purpose = Input<PasskeyChallenge.Purpose>.required(
        "purpose", .word, "The purpose of the options: to add a passkey, or to sign in.")
    private static let credential = Input<JSONValue>.required(
        "credential", .object,
        "The credential from `navigator.credentials`, as JSON: `credential.toJSON()`, or the "
            + "response of the phone's system.")
    private static let label = Input<Label?>.optional(
        "label", .text.orEmpty, "The name that the person gives the passkey, such as its device.")

    static let options = Operation.open(
        "makePasskeyOptions",
        "Returns the options for `navigator.credentials`. Options to add a passkey require a "
            + "signed-in caller.",
        inputs: [purpose], responses: [.ok(Shapes.passkeyOptions)],
        refusals: .byAccount + [.signInAgain], faults: [.notFound, .notSignedIn]
    ) { services, call in
        let passkeys = try services.passkeys()
        let now = Int64(services.clock.now() / 1_000)
        switch try call[purpose] {
        case .assert:
            return .of(
                Shapes.passkeyOptions,
                .assertion(try passkeys.assertion(now: now), passkeys.relyingParty))
        case .register:
            guard let context = call.context else { throw Authentication.missing }
            let registration = try passkeys.registration(by: context, now: now)
            return .of(Shapes.passkeyOptions, .registration(registration, passkeys.relyingParty))
        }
    }

    static let register = Operation(
        "addPasskey", "Adds a newly created passkey to the caller's account.",
        inputs: [credential, label], responses: [.ok(Shapes.passkeys, "The passkeys.")],
        refusals: .byAccount + [
            .passkeyInvalid, .challengeExpired, .passkeyExists, .tooManyPasskeys,
            .signInAgain,
        ], faults: [.notFound]
    ) { services, call in
        let passkeys = try services.passkeys().add(
            JSONField(try call[credential], path: "credential"), label: call[label],
            by: call.context, now: Int64(services.clock.now() / 1_000))
        return .of(Shapes.passkeys, passkeys)
    }

    static let assert = Operation.open(
        "signInByPasskey", "Signs in with a passkey.",
        inputs: [credential, SessionEndpoints.device],
        responses: [.ok(Shapes.signedIn, "Signed in.")],
        refusals: [.passkeyInvalid, .passkeyRefused, .challengeExpired, .accountBlocked],
        faults: [.notFound]
    ) { services, call in
        let passkeys = try services.passkeys()
        let credential = JSONField(try call[credential], path: "credential")
        let device = try call[SessionEndpoints.device]
        let signedIn = try services.recordingSignIn(
            by: .passkey, of: .passkey(credential), call.request
        ) {
            try passkeys.signIn(
                credential, device: device, from: call.client,
                now: Int64(services.clock.now() / 1_000),
                language: services.site.language(of: call.request))
        }
        return try SignedInAnswer(signedIn, services).reply
    }

    static let list = Operation.read(
        "listPasskeys", "Lists the passkeys of the caller's account.",
        responses: [.ok(Shapes.passkeys)], refusals: .byAccount
    ) { call in
        try PasskeyService.list(by: call.context).map { .of(Shapes.passkeys, $0) }
    }

    private static let passkey = Input<PasskeyID>.path(
        "id", .id(), absent: Problem(.passkeyNotFound), "A passkey's id.")

    static let remove = Operation(
        "removePasskey", "Removes a passkey, but never the last way to sign in.",
        inputs: [passkey], responses: [.success],
        refusals: .byAccount + [.passkeyNotFound, .signInAgain, .lastIdentity]
    ) { services, call in
        try services.identities.remove(call[passkey], by: call.context)
        return .of(Shapes.success, ())
    }

    static let script = Operation.open(
        "readPasskeyScript", "The script of pages with passkeys.",
        responses: [.media("text/javascript", "JavaScript.")]
    ) { _, call in try document.reply(to: call.request) }

    private static let document = PreparedDocument(
        mediaType: "text/javascript; charset=utf-8", bytes: Array(PasskeyScript.source.utf8))
}

extension Shapes {
    static let passkeyOptions = Shape<PasskeyOptions>(
        "PasskeyOptions",
        [
            .document("publicKey") { $0.publicKey },
            .count("expiresIn") { _ in Int(PasskeyChallenge.seconds) },
        ])

    static let passkeys = Shape<[ListedPasskey]>(
        "Passkeys", [.list("passkeys", passkey) { $0 }])

    private static let passkey = Shape<ListedPasskey>(
        "Passkey",
        [
            .id("id", \.id), .textOrNull("label", \.label), .flag("isBackedUp", \.isBackedUp),
            .time("createdAt", \.createdAt), .timeOrNull("lastUsedAt", \.lastUsedAt),
        ])
}
