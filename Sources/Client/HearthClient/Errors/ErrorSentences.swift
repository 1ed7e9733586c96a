import Foundation

extension ErrorCode {
    /// Returns a sentence that can be shown to the person, in Spanish or, for any other language,
    /// in English. The sentences are those of Hearth's own pages and of its error table.
    ///
    /// - Parameter language: A tag such as `es-MX`.
    public func sentence(in language: String) -> String {
        SentenceLanguage(language) == .spanish ? spanish : refusalMessage ?? faultMessage
    }

    /// Returns the message to show for a refusal.
    ///
    /// - Parameter sent: Message that Hearth sent with the refusal, in English.
    func message(_ sent: String, in language: String) -> String {
        // Hearth's English message can say more than the sentence of the code.
        SentenceLanguage(language) == .english && !sent.isEmpty ? sent : sentence(in: language)
    }

    /// English sentence for a fault, or for a code that this release does not know.
    private var faultMessage: String {
        switch self {
        case .notSignedIn: "Please sign in."
        case .invalidToken: "Please sign in again."
        case .preconditionFailed: "This was changed in the meantime. Please reload."
        case .outcomeUnknown: "It is unknown whether this was done. Please reload."
        case .unavailable, .keysPending, .draining, .databaseAway, .databaseBusy, .schemaBehind,
            .poolerUnfit, .secretKeyDiffers, .databaseRestartNeeded:
            "Connection error. Please try again."
        default: "Server error. Please try again."
        }
    }

    /// Spanish sentence; those for refusals are the sentences of Hearth's own pages.
    private var spanish: String {
        switch self {
        case .invalidField: "Algo ha fallado. Inténtalo de nuevo."
        case .missingField: "Algo ha fallado. Inténtalo de nuevo."
        case .privilegedField: "Algo ha fallado. Inténtalo de nuevo."
        case .idempotencyKeyReused: "Algo ha fallado. Inténtalo de nuevo."
        case .idempotencyKeyInUse:
            "Esto se está haciendo ahora mismo. Vuelve a cargar la página para ver el resultado."
        case .retryLater: "Algo ha fallado. Inténtalo de nuevo."
        case .accountRequired: "Para esto necesitas una cuenta propia."
        case .freshSignInRequired: "Inicia sesión otra vez para hacer esto."
        case .signInAgain: "Inicia sesión otra vez para hacer esto."
        case .noVerifiedAddress: "Tu cuenta no tiene una dirección de correo confirmada."
        case .codeWrong: "El código es incorrecto o demasiado antiguo."
        case .erasureBlocked: "Otra persona tiene que asumir antes tus tareas."
        case .actingRefused: "No puedes actuar en nombre de esta persona."
        case .notWhileActing: "Esto no se puede hacer en nombre de otra persona."
        case .visitorsOnlyRead: "Las visitas solo pueden mirar."
        case .targetIsParentAdmin: "Esto no se puede hacer a quien administra la familia."
        case .targetIsManaged: "Esto no se puede hacer a un menor sin cuenta."
        case .seatReserved:
            "Por ahora, esto solo puede hacerlo quien creó la familia, o una persona adulta a la "
                + "que alguien invitó o aprobó."
        case .roleTooHigh: "No puedes dar este papel."
        case .standingTooLow: "No tienes permiso para hacer esto en esta familia."
        case .notTheAddressee: "Esta invitación se envió a otra dirección de correo."
        case .preferencesOfAnother: "No puedes ver las preferencias de otra persona."
        case .removedFromFamily: "Por ahora, solo puedes volver a esta familia con una invitación."
        case .familyNotFound: "No existe esta familia, o ya no formas parte de ella."
        case .memberNotFound: "Esta persona ya no está en la familia."
        case .invitationNotFound: "Esta invitación ya no está pendiente."
        case .codeUnknown: "No hay ninguna familia con este código. Compruébalo."
        case .codeExpired: "Este código ha caducado."
        case .invitationExpired: "Esta invitación ha caducado."
        case .familyRequired: "Algo ha fallado. Inténtalo de nuevo."
        case .codeMalformed: "El código no es válido. Los códigos son como FAM-XXXXXX."
        case .oneself: "No puedes hacer esto con tu propia cuenta."
        case .alreadyMember: "Ya formas parte de esta familia."
        case .preferencesTooLarge: "Las preferencias son demasiado largas."
        case .attributesTooLarge: "Los datos son demasiado largos."
        case .invalidCredentials: "La dirección o la contraseña no es correcta."
        case .sessionEnded: "Tu sesión ha terminado. Inicia sesión otra vez."
        case .invalidRefreshToken: "Tu sesión ha terminado. Inicia sesión otra vez."
        case .sessionNotFound: "Esta sesión ya no existe."
        case .passkeyInvalid: "Aquí no se conoce esta llave de acceso."
        case .passkeyRefused: "Aquí no se conoce esta llave de acceso."
        case .challengeExpired: "Tardó demasiado o ya se había enviado. Empieza de nuevo."
        case .passkeyNotFound: "Esta llave de acceso ya no existe."
        case .passkeyExists: "Tu cuenta ya tiene esta llave de acceso."
        case .tooManyPasskeys: "Tu cuenta ya tiene el máximo de llaves de acceso."
        case .sessionRequired: "Para esto hace falta una sesión. Inicia sesión otra vez."
        case .passwordTooWeak: "Esta contraseña es demasiado fácil."
        case .identityNotFound: "No existe esta forma de iniciar sesión."
        case .lastIdentity: "Es la única forma de entrar en tu cuenta. Añade antes otra."
        case .identityInUse: "Esta forma de iniciar sesión es de otra cuenta."
        case .identityOfIssuerExists: "Tu cuenta ya tiene esta forma de iniciar sesión."
        case .parentAdminExists: "Otra persona ya administra esta familia."
        case .familyFull: "Esta familia está completa."
        case .playerHasFamily: "Cada deportista solo puede tener una familia."
        case .roleMismatch:
            "Esta cuenta tiene el otro papel (deportista, o madre o padre) en una familia."
        case .tooManyFamilies: "Tu cuenta ya tiene el máximo de familias."
        case .guardianHasManagedMembers:
            "Otra persona tiene que asumir antes la tutela de los menores."
        case .guardianNotAdult: "Solo una persona adulta con cuenta puede tener la tutela."
        case .tooManyGuardians: "Como máximo, cuatro personas pueden tener la tutela de un menor."
        case .adminNotAdult: "Solo una persona adulta con cuenta puede administrar la familia."
        case .transferAdminFirst: "Pasa antes la administración a otra persona adulta."
        case .memberIsWaiting: "Esta persona aún espera la aprobación."
        case .memberIsNotWaiting: "Esta persona ya no está en espera: otra persona ha decidido."
        case .roleFixedInFamily:
            "No puedes cambiar de papel mientras estés en una familia con más personas o esperes "
                + "entrar en una."
        case .personAlreadyMember: "Esta persona ya forma parte de la familia."
        case .alreadyInvited: "Otra persona ya la ha invitado."
        case .invitationAnswered: "Esta invitación ya tiene respuesta."
        case .notTheGraduate:
            "Esta cuenta ya es de una familia y no puede pasar a ser este miembro."
        case .consentOutdated: "El texto ha cambiado. Léelo otra vez."
        case .consentRequired: "Antes hace falta el consentimiento de quien tiene la tutela."
        case .consentMissing: "Para esto hace falta un consentimiento que aún no has dado."
        case .purposeNotFound: "Este consentimiento ya no se pide."
        case .tooManyAttempts: "Demasiados intentos. Espera unos minutos."
        case .tooManyInvitations: "Demasiadas invitaciones. Inténtalo dentro de una hora."
        case .invitationJustSent: "Esta invitación se acaba de enviar. Espera un minuto."
        case .tooManyKeys: "Demasiados cambios por hoy. Inténtalo más tarde."
        case .preconditionFailed: "Esto ha cambiado entretanto. Vuelve a cargarlo."
        case .accountBlocked: "Esta cuenta está bloqueada. Te hemos escrito un correo sobre ello."
        case .operatorRoleStands:
            "Esta cuenta administra este servicio. Otra persona tiene que quitarle antes ese papel."
        case .invalidAPIKey: "Esta clave de API no es válida."
        case .insufficientScope: "Esta clave de API no puede hacer esto."
        case .browserRefused: "Las claves de API son solo para servidores."
        case .keyLimitReached: "Esta clave de API ha hecho demasiadas peticiones."
        case .personNotFound: "No se ha encontrado a esta persona."
        case .cursorExpired: "Este cursor es demasiado antiguo."
        case .notSignedIn: "Inicia sesión."
        case .invalidToken: "Inicia sesión otra vez."
        case .outcomeUnknown: "No se sabe si se ha hecho. Vuelve a cargarlo."
        case .malformedRequest, .malformedActingAs, .invalidBody, .notAcceptable,
            .unsupportedMediaType, .bodyTooLarge, .headersTooLarge, .notFound, .methodNotAllowed,
            .serverFault, .unrecognized:
            "Algo ha fallado. Inténtalo de nuevo."
        case .unavailable, .keysPending, .draining, .databaseAway, .databaseBusy, .schemaBehind,
            .poolerUnfit, .secretKeyDiffers, .databaseRestartNeeded:
            "No hay conexión. Inténtalo de nuevo."
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
