import Domain

// Advice to clients for each refusal and fault, shown in docs/errors.md and on the page /docs.

extension RefusalCode {
    /// Remedy for the refusal, in a sentence or two for a client's programmer.
    var advice: String {
        switch self {
        case .invalidField, .missingField: "Correct the field that `detail` names."
        case .privilegedField: "Leave the field out: only the server decides it."
        case .familyRequired: "Send `familyId`: the caller is in no family, or in several."
        case .codeMalformed:
            "Ask for the code again, and show its format, which `detail` states. This was not "
                + "counted as an attempt."
        case .freshSignInRequired:
            "Let the person sign in again and use the new token. A mailed code is enough as well: "
                + "`POST /api/me/deletion-code`, then `X-Confirmation-Code`."
        case .signInAgain:
            "Let the person sign in again, and send the request with the new token within ten "
                + "minutes."
        case .erasureBlocked:
            "Remove each obstacle in `blockers`, or send the request again with "
                + "`reassignManagedTo`, `transferAdminTo` or `eraseManaged=true`."
        case .noVerifiedAddress: "Let the person sign in again."
        case .operatorRoleStands:
            "Let an admin remove the role: `hearth-admin operator remove`."
        case .oneself: "Use the route for the caller itself, such as leaving the family."
        case .alreadyMember, .personAlreadyMember: "Nothing: the person is a member."
        case .sessionEnded, .invalidRefreshToken: "Let the person sign in again."
        case .accountBlocked:
            "Forget the session, and tell the person; signing in again does not help."
        case .sessionNotFound, .identityNotFound: "Read the list again."
        case .passkeyInvalid:
            "The client made a mistake, or the passkey is for another site: read `detail`."
        case .passkeyRefused: "Offer another passkey, or another way to sign in."
        case .challengeExpired: "Ask for new options, and let the person start again."
        case .passkeyNotFound: "Read the list again."
        case .passkeyExists: "Nothing: the account has the passkey."
        case .tooManyPasskeys: "Let the person remove a passkey that is no longer used."
        case .invalidCredentials:
            "Ask for address and password again, or offer a code by e-mail."
        case .codeWrong:
            "Ask for the code again, unless `attemptsLeft` is 0, or have another one mailed."
        case .passwordTooWeak: "Show `detail`, which says what would help, and ask again."
        case .lastIdentity: "Add another way to sign in first."
        case .identityInUse: "Let the person use that account, or leave its family first."
        case .identityOfIssuerExists:
            "Let the person use the sign-in that the account has, or remove that one first."
        case .sessionRequired: "Exchange the token: `POST /api/auth/exchange`."
        case .invalidAPIKey:
            "Send a valid key, as `Authorization: Bearer hk_...`. An operator creates keys "
                + "with `hearth-admin api-key create`."
        case .insufficientScope: "Use a key with the scope of the operation."
        case .browserRefused: "Send the request from a server, without the header `Origin`."
        case .keyLimitReached: "Wait for the seconds in `Retry-After`."
        case .personNotFound: "Nothing: the person doesn't exist, or was erased."
        case .cursorExpired:
            "Read everything that you store again, then the events without a cursor."
        case .accountRequired: "Let the person sign in with an account."
        case .actingRefused: "Read `/api/me/profiles` again, and act only for a listed child."
        case .notWhileActing: "Send the request without `X-Acting-As-Member`."
        case .visitorsOnlyRead, .standingTooLow, .targetIsManaged, .roleTooHigh:
            "Don't offer this to the person; see permissions.md."
        case .targetIsParentAdmin: "Let the Parent Admin transfer the seat, or leave."
        case .seatReserved: "Let the family's creator, or an adult who is vouched for, decide."
        case .notTheAddressee: "Let the person sign in with the account of that address."
        case .preferencesOfAnother:
            "Request the caller's own preferences, or those of a child whose guardian the caller "
                + "is."
        case .consentMissing:
            "Show the purposes of `GET /api/me/consents`, and let the person give the consents "
                + "that `consentsMissing` of `GET /api/me` lists."
        case .consentRequired:
            "Show a guardian the purposes of `GET /api/family/managed/:id/consents`, and let the "
                + "guardian give the required consents."
        case .purposeNotFound: "Read the list of consents again."
        case .notTheGraduate: "Let the person sign in with an account that is in no family."
        case .consentOutdated: "Read the list of consents again, and show the current text."
        case .removedFromFamily:
            "Ask for a new invitation from the Parent Admin, the creator, or a member who is "
                + "vouched for. A person who was rejected twice can ask to join again after 30 "
                + "days."
        case .familyNotFound, .memberNotFound:
            "Discard the id and read the lists again: the object does not exist, or the caller may "
                + "not see it."
        case .invitationNotFound: "Look for a newer message, or ask for another invitation."
        case .codeUnknown: "Check the code with the family; it may have a new one."
        case .codeExpired:
            "Ask the family for its new code; for a mailed code or link, have another one mailed."
        case .invitationExpired: "Ask the inviter to send the invitation again."
        case .idempotencyKeyInUse, .retryLater: "Send the same request again after `Retry-After`."
        case .idempotencyKeyReused: "Make a new key for each new request."
        case .parentAdminExists:
            "Let the Parent Admin transfer the seat: `POST /api/family/admin/transfer`."
        case .familyFull: "Remove a member."
        case .playerHasFamily: "Leave the family that `familyId` names first."
        case .roleMismatch:
            "Ask for an invitation for the account's own role, or leave the other families first."
        case .tooManyFamilies: "Use a family that the account has, or leave one first."
        case .guardianHasManagedMembers:
            "Send the request again with `reassignManagedTo`, another adult of the family. Where "
                + "the route has no such parameter, name another guardian first: "
                + "`POST /api/family/managed/:id/guardians`."
        case .tooManyGuardians: "Remove a guardian of the child before you name another."
        case .guardianNotAdult, .adminNotAdult: "Choose an adult of the family with an account."
        case .transferAdminFirst: "Transfer the seat, then send the request again."
        case .memberIsWaiting: "Approve the person first."
        case .memberIsNotWaiting:
            "Nothing: read the members, or the caller's families, again."
        case .roleFixedInFamily: "Change the role before joining a family, or after leaving it."
        case .alreadyInvited:
            "Let the inviter, the creator or the Parent Admin send the invitation again."
        case .invitationAnswered:
            "Read the families again. If this one is not among them, ask for another invitation."
        case .preferencesTooLarge, .attributesTooLarge: "Store less."
        case .tooManyAttempts, .tooManyInvitations, .invitationJustSent, .tooManyKeys:
            "Wait for as many seconds as `Retry-After` says."
        }
    }
}

extension FaultCode {
    /// Situation in which a client gets the fault.
    var meaning: String {
        switch self {
        case .malformedRequest: "The request is not valid HTTP/1.1."
        case .malformedActingAs: "`X-Acting-As-Member` is not one member's id."
        case .invalidBody: "The body is not a JSON object."
        case .notAcceptable: "`Accept` or `Accept-Encoding` excludes every format of the response."
        case .unsupportedMediaType: "The body's media type is not JSON."
        case .bodyTooLarge:
            "The body is larger than 64 KiB, or a response of PostgREST is larger than 4 MiB."
        case .headersTooLarge: "The headers are larger than 32 KiB, or there are more than 100."
        case .notFound: "There is nothing at this address."
        case .preconditionFailed: "A condition such as `If-Match` does not hold."
        case .methodNotAllowed:
            "The address exists, but not with this method; `Allow` lists its methods."
        case .notSignedIn: "The request has no token."
        case .invalidToken: "The token is expired, forged, or not for this service."
        case .internal: "Something went wrong in the server."
        case .unavailable: "The server can't respond at the moment, for example because it is busy."
        case .keysPending:
            "The token's key is unknown, and the issuer's keys were fetched less than 30 seconds "
                + "ago."
        case .outcomeUnknown:
            "The connection to the database or to PostgREST was lost while the change was being "
                + "stored."
        case .draining: "This instance is shutting down."
        case .databaseAway: "The database can't be reached, or its disk is full."
        case .databaseBusy:
            "The database is overloaded: it lacks memory or connections, or a lock was not "
                + "released in time."
        case .databaseRestartNeeded:
            "PostgreSQL's files were replaced while it was running; it has to be restarted."
        case .schemaBehind: "The database's schema is older than the program needs."
        case .poolerUnfit: "A pooler in front of the database loses prepared statements."
        case .secretKeyDiffers: "The instance lacks the secret key with which links are made."
        }
    }

    /// Remedy for the fault, for a client's programmer.
    var advice: String {
        switch self {
        case .malformedRequest, .malformedActingAs, .invalidBody, .notAcceptable,
            .unsupportedMediaType, .headersTooLarge, .notFound, .methodNotAllowed:
            "Correct the client; `detail` says what is wrong."
        case .bodyTooLarge: "Send less, or request less."
        case .preconditionFailed:
            "Leave the condition out, or read the resource again and decide whether to repeat the "
                + "change."
        case .notSignedIn, .invalidToken:
            "Get a new token (Hearth's own: `POST /api/auth/refresh`), or let the person sign in."
        case .internal: "Try again later; report the `requestId` if it happens again."
        case .unavailable, .keysPending, .databaseBusy:
            "Send the request again after `Retry-After`, with the same key."
        case .outcomeUnknown:
            "Send the request again with the same `Idempotency-Key`. Without a key, read the "
                + "resource before you repeat the request."
        case .databaseAway:
            "Send the request again after `Retry-After`, with the same key. For load balancers: "
                + "send requests to another instance."
        case .draining, .databaseRestartNeeded, .schemaBehind, .poolerUnfit, .secretKeyDiffers:
            "For load balancers: send requests to another instance."
        }
    }
}
