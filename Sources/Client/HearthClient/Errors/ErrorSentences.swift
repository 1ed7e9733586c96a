import Foundation

extension ErrorCode {
    /// Returns a sentence that can be shown to the person, in Spanish or, for any other language,
    /// in English. The sentences are those of Hearth's own pages and of its error table.
    ///
    /// - Parameter language: A tag such as `es-MX`.
    public func sentence(in language: String) -> String {
        SentenceLanguage(language) == .spanish ? sentences.spanish : sentences.english
    }

    /// Returns the message to show for a refusal.
    ///
    /// - Parameter sent: Message that Hearth sent with the refusal, in English.
    func message(_ sent: String, in language: String) -> String {
        // Hearth's English message can say more than the sentence of the code.
        SentenceLanguage(language) == .english && !sent.isEmpty ? sent : sentence(in: language)
    }

    private var sentences: (english: String, spanish: String) {
        switch self {
        case .invalidField: ("A field is not valid.", "Algo ha fallado. Inténtalo de nuevo.")
        case .missingField: ("A field is missing.", "Algo ha fallado. Inténtalo de nuevo.")
        case .privilegedField:
            ("A field can't be set; leave it out.", "Algo ha fallado. Inténtalo de nuevo.")
        case .idempotencyKeyReused:
            (
                "This Idempotency-Key was used for another request.",
                "Algo ha fallado. Inténtalo de nuevo."
            )
        case .idempotencyKeyInUse:
            (
                "The same request is being answered at this moment.",
                "Esto se está haciendo ahora mismo. Vuelve a cargar la página para ver el "
                    + "resultado."
            )
        case .retryLater:
            (
                "This was done, but only a newer version of the service can answer. Please "
                    + "try again later.",
                "Algo ha fallado. Inténtalo de nuevo."
            )
        case .accountRequired:
            (
                "Sign in with an account of your own to do this.",
                "Para esto necesitas una cuenta propia."
            )
        case .freshSignInRequired:
            ("Sign in again to do this.", "Inicia sesión otra vez para hacer esto.")
        case .signInAgain: ("Sign in again to do this.", "Inicia sesión otra vez para hacer esto.")
        case .noVerifiedAddress:
            (
                "Your account has no verified e-mail address.",
                "Tu cuenta no tiene una dirección de correo confirmada."
            )
        case .codeWrong:
            ("This code is wrong or too old.", "El código es incorrecto o demasiado antiguo.")
        case .erasureBlocked:
            (
                "Somebody else has to take over first; see blockers.",
                "Otra persona tiene que asumir antes tus tareas."
            )
        case .actingRefused:
            ("You can't act for this member.", "No puedes actuar en nombre de esta persona.")
        case .notWhileActing:
            (
                "This can't be done on behalf of another member.",
                "Esto no se puede hacer en nombre de otra persona."
            )
        case .visitorsOnlyRead: ("Visitors can only look.", "Las visitas solo pueden mirar.")
        case .targetIsParentAdmin:
            (
                "This can't be done to the Parent Admin.",
                "Esto no se puede hacer a quien administra la familia."
            )
        case .targetIsManaged:
            (
                "This can't be done to a managed member.",
                "Esto no se puede hacer a un menor sin cuenta."
            )
        case .seatReserved:
            (
                "Other members of this family decide this first: its creator, or an adult "
                    + "who is vouched for.",
                "Otra persona de la familia puede decidirlo antes: quien la creó, o una "
                    + "persona adulta con garantías."
            )
        case .roleTooHigh: ("You can't give this role to anyone.", "No puedes dar este papel.")
        case .standingTooLow:
            (
                "You are not allowed to do this in this family.",
                "No tienes permiso para hacer esto en esta familia."
            )
        case .notTheAddressee:
            (
                "This invite was sent to a different email address. Please sign in with the "
                    + "account that received the invite.",
                "Esta invitación se envió a otra dirección de correo."
            )
        case .preferencesOfAnother:
            (
                "Cannot access another member's preferences",
                "No puedes ver las preferencias de otra persona."
            )
        case .removedFromFamily:
            (
                "For now, only an invitation from the Parent Admin, the creator, or a member "
                    + "who is vouched for can bring you into this family.",
                "Por ahora, solo puedes volver a esta familia con una invitación."
            )
        case .familyNotFound:
            ("Family not found.", "No existe esta familia, o ya no formas parte de ella.")
        case .memberNotFound: ("Member not found.", "Esta persona ya no está en la familia.")
        case .invitationNotFound:
            (
                "This invite link is invalid or has already been used.",
                "Esta invitación ya no está pendiente."
            )
        case .codeUnknown:
            (
                "Family code not found. Please check and try again.",
                "No hay ninguna familia con este código. Compruébalo."
            )
        case .codeExpired: ("This family code has expired.", "Este código de familia ha caducado.")
        case .invitationExpired:
            (
                "This invite link has expired. Ask the sender to resend.",
                "Esta invitación ha caducado."
            )
        case .familyRequired:
            ("Name the family by familyId.", "Algo ha fallado. Inténtalo de nuevo.")
        case .codeMalformed:
            (
                "Invalid family code format. Codes look like FAM-XXXXXX",
                "El código no es válido. Los códigos son como FAM-XXXXXX."
            )
        case .oneself: ("You cannot do this to yourself.", "No puedes hacer esto contigo.")
        case .alreadyMember:
            ("You are already a member of this family.", "Ya formas parte de esta familia.")
        case .preferencesTooLarge:
            ("Preferences are limited to 16 KiB.", "Las preferencias son demasiado largas.")
        case .attributesTooLarge:
            ("Attributes are limited to 16 KiB.", "Los datos son demasiado largos.")
        case .invalidCredentials:
            (
                "This address and password don't belong together.",
                "La dirección o la contraseña no es correcta."
            )
        case .sessionEnded:
            (
                "You were signed out. Sign in again.",
                "Tu sesión ha terminado. Inicia sesión otra vez."
            )
        case .invalidRefreshToken:
            (
                "This refresh token is not valid. Sign in again.",
                "Tu sesión ha terminado. Inicia sesión otra vez."
            )
        case .sessionNotFound: ("Session not found.", "Esta sesión ya no existe.")
        case .passkeyInvalid:
            (
                "This is not a valid response of a passkey.",
                "Aquí no se conoce esta llave de acceso."
            )
        case .passkeyRefused:
            ("This passkey is not accepted here.", "Aquí no se conoce esta llave de acceso.")
        case .challengeExpired:
            (
                "This took too long, or was sent before. Start again.",
                "Algo ha fallado. Inténtalo de nuevo."
            )
        case .passkeyNotFound: ("Passkey not found.", "Esta llave de acceso ya no existe.")
        case .passkeyExists:
            ("This passkey was added before.", "Tu cuenta ya tiene esta llave de acceso.")
        case .tooManyPasskeys:
            (
                "This account has too many passkeys. Remove one first.",
                "Tu cuenta ya tiene el máximo de llaves de acceso."
            )
        case .sessionRequired:
            (
                "Exchange your token for a session to do this.",
                "Para esto hace falta una sesión. Inicia sesión otra vez."
            )
        case .passwordTooWeak:
            ("This password is too easy to guess.", "Esta contraseña es demasiado fácil.")
        case .identityNotFound:
            ("There is no such way to sign in.", "No existe esta forma de iniciar sesión.")
        case .lastIdentity:
            (
                "This is the last way to sign in to this account.",
                "Es la única forma de entrar en tu cuenta. Añade antes otra."
            )
        case .identityInUse:
            (
                "This sign-in belongs to another account that is in use.",
                "Esta forma de iniciar sesión es de otra cuenta."
            )
        case .identityOfIssuerExists:
            (
                "This account has a sign-in of this issuer already.",
                "Tu cuenta ya tiene esta forma de iniciar sesión."
            )
        case .parentAdminExists:
            (
                "A Parent Admin already exists for this family.",
                "Otra persona ya administra esta familia."
            )
        case .familyFull: ("This family is full.", "Esta familia está completa.")
        case .playerHasFamily:
            (
                "A player can belong to one family only.",
                "Un deportista solo puede tener una familia."
            )
        case .roleMismatch:
            (
                "Your account has the other role (parent or player) in a family that it is "
                    + "in or waits for, and an account has one role.",
                "Esta cuenta tiene el otro papel (deportista o madre o padre) en una familia."
            )
        case .tooManyFamilies:
            (
                "This account has as many families as it can have.",
                "Tu cuenta ya tiene el máximo de familias."
            )
        case .guardianHasManagedMembers:
            (
                "Somebody else has to become guardian of the children first.",
                "Otra persona tiene que asumir antes la tutela de los menores."
            )
        case .guardianNotAdult:
            (
                "A guardian is an adult with an account.",
                "La tutela la tiene una persona adulta con cuenta."
            )
        case .tooManyGuardians:
            (
                "A child has at most four guardians.",
                "Un menor tiene como máximo cuatro personas con su tutela."
            )
        case .adminNotAdult:
            (
                "The Parent Admin is an adult with an account.",
                "Administra la familia una persona adulta con cuenta."
            )
        case .transferAdminFirst:
            (
                "Make another adult the Parent Admin first.",
                "Pasa antes la administración a otra persona adulta."
            )
        case .memberIsWaiting:
            (
                "This person is still waiting for approval.",
                "Esta persona aún espera la aprobación."
            )
        case .memberIsNotWaiting:
            (
                "This request has been approved already.",
                "Esta persona ya no está en espera: otra persona ha decidido."
            )
        case .roleFixedInFamily:
            (
                "Your role can't change while you are in a family.",
                "No puedes cambiar de papel mientras formes parte de una familia."
            )
        case .personAlreadyMember:
            (
                "This person is already a member of your family",
                "Esta persona ya forma parte de la familia."
            )
        case .alreadyInvited:
            ("This person has been invited already.", "Otra persona ya la ha invitado.")
        case .invitationAnswered:
            ("You're already connected to this family.", "Esta invitación ya tiene respuesta.")
        case .notTheGraduate:
            (
                "This account belongs to a family already, so it can't become this member.",
                "Esta cuenta ya es de una familia y no puede pasar a ser este miembro."
            )
        case .consentOutdated:
            (
                "The text has changed. Please read it again.",
                "El texto ha cambiado. Léelo otra vez."
            )
        case .consentRequired:
            (
                "A guardian has to give consent for this child first.",
                "Antes hace falta el consentimiento de quien tiene la tutela."
            )
        case .consentMissing:
            (
                "This needs a consent that your account has not given yet.",
                "Para esto hace falta un consentimiento que aún no has dado."
            )
        case .purposeNotFound: ("There is no such purpose.", "Este consentimiento ya no se pide.")
        case .tooManyAttempts:
            (
                "Too many attempts. Please wait 5 minutes.",
                "Demasiados intentos. Espera unos minutos."
            )
        case .tooManyInvitations:
            (
                "Too many invitations. Please try again in an hour.",
                "Demasiadas invitaciones. Inténtalo dentro de una hora."
            )
        case .invitationJustSent:
            (
                "This invitation was just sent. Please wait a minute.",
                "Esta invitación se acaba de enviar. Espera un minuto."
            )
        case .tooManyKeys:
            (
                "Too many requests with an Idempotency-Key. Please try again later.",
                "Demasiados cambios por hoy. Inténtalo más tarde."
            )
        case .preconditionFailed:
            (
                "This was changed in the meantime. Please reload.",
                "Esto ha cambiado entretanto. Vuelve a cargarlo."
            )
        case .accountBlocked:
            (
                "This account is blocked. We sent you an e-mail about it.",
                "Esta cuenta está bloqueada. Te hemos escrito un correo sobre ello."
            )
        case .operatorRoleStands:
            (
                "This account is an operator of this service. Give up that role first.",
                "Esta cuenta administra este servicio. Otra persona tiene que quitarle antes ese "
                    + "papel."
            )
        case .invalidAPIKey:
            ("This API key is not valid.", "Esta clave de API no es válida.")
        case .insufficientScope:
            ("This API key may not do this.", "Esta clave de API no puede hacer esto.")
        case .browserRefused:
            (
                "API keys are for servers. Requests of browsers are refused.",
                "Las claves de API son solo para servidores."
            )
        case .keyLimitReached:
            (
                "This API key has made too many requests. Please wait a minute.",
                "Esta clave de API ha hecho demasiadas peticiones."
            )
        case .personNotFound:
            ("Person not found.", "No se ha encontrado a esta persona.")
        case .cursorExpired:
            (
                "This cursor is too old. Start again without a cursor.",
                "Este cursor es demasiado antiguo."
            )
        case .notSignedIn:
            ("Please sign in.", "Inicia sesión.")
        case .invalidToken:
            ("Please sign in again.", "Inicia sesión otra vez.")
        case .outcomeUnknown:
            (
                "It is unknown whether this was done. Please reload.",
                "No se sabe si se ha hecho. Vuelve a cargarlo."
            )
        case .malformedRequest, .malformedActingAs, .invalidBody, .notAcceptable,
            .unsupportedMediaType, .bodyTooLarge, .headersTooLarge, .notFound, .methodNotAllowed,
            .serverFault, .unrecognized:
            ("Server error. Please try again.", "Algo ha fallado. Inténtalo de nuevo.")
        case .unavailable, .keysPending, .draining, .databaseAway, .databaseBusy, .schemaBehind,
            .poolerUnfit, .secretKeyDiffers, .databaseRestartNeeded:
            ("Connection error. Please try again.", "No hay conexión. Inténtalo de nuevo.")
        }
    }
}

/// A language in which the library has sentences.
enum SentenceLanguage {
    case english, spanish

    /// - Parameter tag: A tag such as `es-MX`; all languages but Spanish have English sentences.
    init(_ tag: String) {
        let first = tag.split { $0 == "-" || $0 == "_" }.first?.lowercased()
        self = first == "es" ? .spanish : .english
    }

    /// The language of the person who uses the app.
    static var current: String { Locale.preferredLanguages.first ?? "en" }
}
