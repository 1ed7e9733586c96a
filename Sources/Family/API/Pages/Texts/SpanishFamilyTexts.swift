import Basics
import Domain

/// The pages of families in Spanish.
enum SpanishFamilyTexts: FamilyPageTexts {
    static func day(_ moment: Timestamp) -> String { SpanishTexts.day(moment) }

    static func nameOfFamily(of person: String) -> String { "Familia de \(person)" }

    static func text(_ text: FamilyText) -> HTML {
        switch text {
        case .family: "Familia"
        case .yourFamily: "Tu familia"
        case .backToFamily: "Volver a la familia"
        case .shownFamily: "Elige una familia"
        case .show: "Mostrar"
        case .more: "Más"
        case .undo: "Deshacer"
        case .code: "Código de la familia"
        case .codeSince(let moment): "Creado el \(date(moment))."
        case .codeUntil(let moment): "Válido hasta el \(date(moment))."
        case .codeWithoutEnd: "Sirve hasta que alguien lo renueve."
        case .codeAsks(isApprover: true): "Quien lo introduce pide unirse, y tú decides."
        case .codeAsks(isApprover: false):
            "Quien lo introduce pide unirse, y decide alguien de la familia."
        case .codeEnters: "Quien lo introduce se une a la familia."
        case .noCode:
            "Esta familia no tiene un código válido. Con uno nuevo, otros podrán unirse otra vez."
        case .showToScan: "Mostrar o imprimir"
        case .renewCode: "Renovar el código"
        case .codeSpelled(let code): "\(spelled(code, dash: "guion"))"
        case .copyCode: "Copiar el código"
        case .copyLink: "Copiar el enlace"
        case .copied: "Copiado."
        case .share: "Compartir"
        case .print: "Imprimir"
        case .members(let count, let limit): "Miembros (\(String(count)) de \(String(limit)))"
        case .full(let limit):
            """
            La familia está completa: como máximo, puede tener \(String(limit)) miembros. Para que \
            entre otra persona o se añada un menor, antes alguien tiene que salir.
            """
        case .nobodyElse(hasCode: true): "Aún no hay otros miembros. Comparte tu código."
        case .nobodyElse(hasCode: false): "Aún no hay otros miembros."
        case .waitingPeople: "En espera de aprobación"
        case .inFamily: "En la familia"
        case .waits: "En espera"
        case .askedOn(let moment): "Pidió unirse el \(date(moment))"
        case .since(let moment): "Desde el \(date(moment))"
        case .guardians(let names): "Tutela: <bdi>\(list(names))</bdi>"
        case .you: "Tú"
        case .child: "Menor"
        case .side(.player): "Deportista"
        case .side(.parent): "Madre o padre"
        case .role(let role): Self.role(role)
        case .approve: "Aprobar"
        case .approveOf(let name): "Aprobar a \(name)"
        case .reject: "Rechazar"
        case .rejectOf(let name): "Rechazar a \(name)"
        case .open: "Abrir"
        case .openOf(let name): "Abrir la página de \(name)"
        case .manage: "Gestionar"
        case .manageOf(let name): "Gestionar a \(name)"
        case .yourRole: "Tu papel"
        case .invitations: "Invitaciones pendientes"
        case .noInvitations: "No hay invitaciones pendientes."
        case .byLink: "Enlace para compartir"
        case .byEmail: "Por correo"
        case .notDelivered: "No entregada"
        case .timeLeft(let now, let end): timeLeft(hours(now, end))
        case .roleUndone(let name, let author):
            """
            \(someone(author)) cambió el papel de <bdi>\(name)</bdi> sin haber visto tu cambio. \
            Vale su cambio.
            """
        case .roleOverwritten(let name, let role, let author):
            """
            Entretanto, \(someone(author, begins: false)) había dado a <bdi>\(name)</bdi> el \
            papel «\(Self.role(role))». Vale tu cambio.
            """
        case .understood: "Entendido"
        case .done(let notice): done(notice)
        case .doneTo(.approve, let name?):
            "Solicitud aprobada. <bdi>\(name)</bdi> ya forma parte de la familia."
        case .doneTo(.role, let name?): "Se ha cambiado el papel de <bdi>\(name)</bdi>."
        case .doneTo(.role, nil): "Se ha cambiado tu papel."
        case .doneTo(.seat, let name?), .doneTo(.transfer, let name?):
            "Ahora administra la familia <bdi>\(name)</bdi>."
        case .doneTo(.seat, nil): "Ahora administras tú la familia."
        case .doneTo(let notice, _): done(notice)
        }
    }

    static func text(_ text: FamilyQuestionText) -> HTML {
        switch text {
        case .keepAsIs: "No, volver"
        case .nothingToDo: "Aquí no hay nada que hacer"
        case .nothingToDoAdvice: "Ya está hecho, o ahora no puedes hacerlo."
        case .confirm(let action): confirm(action)
        case .rejectQuestion(let name): "¿Rechazar a <bdi>\(name)</bdi>?"
        case .rejectAdvice:
            """
            Avisaremos a esta persona por correo de que su solicitud se ha rechazado. Puede pedir \
            unirse otra vez, pero tras dos rechazos en 30 días necesitará una invitación durante \
            los 30 días siguientes.
            """
        case .removeQuestion(let name): "¿Quitar a <bdi>\(name)</bdi> de la familia?"
        case .removeAdvice:
            """
            Esta persona pierde el acceso a la familia al momento, y la avisaremos por correo. \
            Puede pedir unirse otra vez con el código, pero tendrá que esperar hasta que alguien \
            de la familia lo apruebe.
            """
        case .renewToo: "Renovar también el código, para que el anterior deje de servir"
        case .remove: "Quitar de la familia"
        case .claimSeat: "Asumir la administración"
        case .giveSeat: "Dar la administración a esta persona"
        case .transferSeat: "Pasar la administración"
        case .claimQuestion: "¿Asumir la administración de la familia?"
        case .giveQuestion(let name): "¿Dar la administración a <bdi>\(name)</bdi>?"
        case .seatAdvice:
            """
            Quien administra la familia decide quién se une, cambia papeles y ajustes, y puede \
            quitar miembros. Avisaremos por correo a las demás personas adultas.
            """
        case .confirmGiving(let name): "Sí, dar la administración a <bdi>\(name)</bdi>"
        case .transferQuestion(let name): "¿Pasar la administración a <bdi>\(name)</bdi>?"
        case .transferAdvice(isCreator: true):
            """
            Pasas a ser una persona adulta. Como creaste la familia, sigues decidiendo quién se \
            une y puedes cambiar los ajustes. Solo quien administre entonces la familia podrá \
            devolverte la administración.
            """
        case .transferAdvice(isCreator: false):
            """
            Pasas a ser una persona adulta como las demás. Solo quien administre entonces la \
            familia podrá devolverte la administración.
            """
        case .givesUpSeat:
            """
            Tú administras la familia. Si eliges otro papel, otra persona puede asumir la \
            administración.
            """
        case .giveUpSeat: "Dejar la administración"
        case .leave: "Dejar esta familia"
        case .leaveQuestion(let family): "¿Dejar <bdi>\(family)</bdi>?"
        case .leaveAdvice:
            "Pierdes el acceso al momento. Para volver necesitas el código o una invitación."
        case .leaveAsLast:
            "Eres la última persona con cuenta: no queda nadie que pueda dejarte entrar otra vez."
        case .noHeir:
            """
            Solo otra persona adulta puede tener la tutela. Si no hay ninguna en la familia, \
            invita a una o quita al menor en su página.
            """
        case .renewQuestion: "¿Renovar el código de la familia?"
        case .renewAdvice:
            """
            Al renovarlo, el código anterior deja de servir al momento. Los miembros siguen en la \
            familia.
            """
        case .days: "¿Cuántos días será válido?"
        case .daysHint: "De 1 a 365. Déjalo vacío para un código que no caduque."
        case .householdRole: "Papel en el hogar"
        case .sideHint(.player): "Niña, niño o adolescente."
        case .sideHint(.parent): "Madre, padre u otra persona adulta."
        case .roleHint(let role, let side): roleHint(role, side)
        case .creatorHint:
            "Creó la familia, y por eso también decide quién se une y cambia los ajustes."
        case .changeRole: "Cambiar el papel"
        case .heir: "¿Quién asume la tutela de los menores?"
        case .chooseHeir: "Elige a una persona adulta"
        case .sheetOpen(let address):
            """
            Apunta la cámara del teléfono a la imagen, o abre <strong>\(address)</strong> y \
            escribe el código.
            """
        case .sheetAccept: "Inicia sesión y pulsa el botón para unirte."
        }
    }

    static func text(_ text: FamilyFormText) -> HTML {
        switch text {
        case .welcome: "Tu familia en un solo lugar"
        case .welcomeAdvice: "Inicia sesión para ver tu familia, o crea una cuenta."
        case .haveCode: "¿Tienes el código de una familia?"
        case .codeHint(let form): "Los códigos son como \(form)."
        case .joinAdvice: "Introduce el código que te dio la familia. La verás antes de unirte."
        case .joinFamily: "Unirte a otra familia"
        case .noFamily: "No formas parte de ninguna familia"
        case .noFamilyAdvice: "Crea una, o únete a una con su código o una invitación."
        case .noFamilyAsPlayer:
            "Pulsa el botón para crear tu familia y comparte su código con tu madre o tu padre."
        case .notInFamily: "No formas parte de esa familia"
        case .notInFamilyAdvice:
            """
            Puede que la hayas dejado o que alguien te haya quitado de ella. Para volver a unirte \
            necesitas su código o una invitación.
            """
        case .invitedAdvice: "Te han invitado a una familia. Acepta o rechaza aquí."
        case .waitingAdvice:
            "Has pedido unirte a una familia. Te enviaremos su respuesta por correo."
        case .forYou: "A la espera de la respuesta de la familia"
        case .familyInApp(let app): "Para ver tu familia, abre la app <strong>\(app)</strong>."
        case .newFamily: "Crear una familia"
        case .anotherFamily: "Crear otra familia"
        case .newFamilyAdvice: "Recibirás un código con el que los demás podrán unirse."
        case .familyName: "Nombre de la familia"
        case .familyNameHint: "Lo ven todas las personas de la familia."
        case .create: "Crear la familia"
        case .settings: "Ajustes de la familia"
        case .save: "Guardar"
        case .saved: "Guardado."
        case .rename: "Nombre"
        case .approval: "Unirse con el código"
        case .approvalQuestion: "¿Qué pasa cuando alguien introduce el código?"
        case .approvalOn: "Espera hasta que se apruebe su solicitud"
        case .approvalOff: "Se une al momento"
        case .home: "Casa"
        case .homeAdvice:
            """
            Las apps la usan para mostrar lo que hay cerca. Solo la ven las personas adultas y \
            deportistas de la familia.
            """
        case .latitude: "Latitud"
        case .longitude: "Longitud"
        case .noHomeHint: "Deja los dos campos vacíos para no indicar ninguna."
        case .invite: "Invitar a alguien"
        case .inviteTitle: "Invitaciones"
        case .whoIsInvited: "¿A quién invitas?"
        case .usualRole: "El habitual"
        case .usualRoleHint:
            "El habitual es «Persona adulta» para madres y padres, y «Joven» para deportistas."
        case .emailHint: "Déjalo vacío para crear un enlace que compartas tú."
        case .addressOrLink:
            "Introduce la dirección de correo, o crea un enlace que compartas tú."
        case .sendInvitation: "Enviar un correo"
        case .makeLink: "Crear un enlace"
        case .manageInvitations: "Gestionar las invitaciones"
        case .sees(.player): "Si invitas a una persona deportista, la invitación dice:"
        case .sees(.parent): "Si invitas a una madre o un padre, la invitación dice:"
        case .linkShown:
            "Cópialo ahora: solo se muestra aquí, durante diez minutos. Sirve una sola vez."
        case .growsUp(let name): "<bdi>\(name)</bdi> tendrá su propia cuenta"
        case .newLink: "Enlace nuevo"
        case .resend: "Enviar otra vez"
        case .resendOf(let email): "Enviar otra vez a \(email)"
        case .revoke: "Retirar"
        case .revokeOf(let email): "Retirar la invitación a \(email)"
        case .revokeQuestion: "¿Retirar esta invitación?"
        case .revokeAdvice: "Su enlace deja de servir al momento."
        case .noFamilyCode(let form):
            "Esto no es el código de una familia. Los códigos son como \(form)."
        }
    }

    static func text(_ text: ChildText) -> HTML {
        switch text {
        case .addChild: "Añadir a un menor"
        case .addChildAdvice: "Para un menor sin cuenta propia. Tú asumes su tutela."
        case .childName: "Nombre del menor"
        case .nameAndPicture: "Nombre e imagen"
        case .picture: "Imagen"
        case .pictureName(let drawing): name(of: drawing)
        case .noPicture: "Ninguna, mostrar las iniciales"
        case .pictureOfApp: "La imagen de la app"
        case .guardiansTitle: "Tutela"
        case .primaryGuardian: "Principal"
        case .primaryHint:
            """
            Quien tiene la tutela principal puede además quitar otras tutelas, invitar al menor a \
            tener una cuenta y quitarlo de la familia.
            """
        case .anotherGuardian: "Otra persona"
        case .addGuardian: "Darle la tutela"
        case .makePrimary: "Hacer principal"
        case .makePrimaryOf(let name): "Hacer principal la tutela de \(name)"
        case .removeGuardian: "Quitar la tutela"
        case .removeGuardianOf(let name): "Quitar la tutela a \(name)"
        case .removeGuardianQuestion(let name, let child):
            "¿Quitar a <bdi>\(name)</bdi> la tutela de <bdi>\(child)</bdi>?"
        case .removeGuardianAdvice:
            "Esta persona ya no podrá actuar en nombre del menor. La avisaremos por correo."
        case .declineGuardianship: "Dejar la tutela"
        case .declineQuestion(let name): "¿Dejar la tutela de <bdi>\(name)</bdi>?"
        case .declineAdvice:
            "Ya no podrás actuar en nombre del menor. Las demás personas conservan la tutela."
        case .consents: "Consentimientos"
        case .required: "Obligatorio"
        case .consentSince(let moment): "Dado el \(date(moment))"
        case .consentOutdated: "El texto ha cambiado desde que lo diste. Léelo otra vez."
        case .consentMissing: "Aún no se ha dado"
        case .giveConsent: "Dar el consentimiento"
        case .giveConsentOf(let title): "Dar el consentimiento: \(title)"
        case .withdrawConsent: "Retirar el consentimiento"
        case .withdrawConsentOf(let title): "Retirar el consentimiento: \(title)"
        case .withdrawQuestion(let title): "¿Retirar el consentimiento para «\(title)»?"
        case .withdrawAdvice: "Termina al momento. Puedes darlo otra vez más adelante."
        case .withdrawRequired:
            """
            Este consentimiento es obligatorio: sin él no se puede guardar nada del menor. \
            Termina al momento. Puedes darlo otra vez más adelante.
            """
        case .growUp: "Una cuenta propia"
        case .growAdvice:
            """
            La persona que acepte la invitación pasa a ser este miembro. Una vez aceptada no se \
            puede deshacer: nadie más podrá actuar en nombre del menor.
            """
        case .growing: "Hay una invitación pendiente:"
        case .startGrowing: "Invitar a tener una cuenta"
        case .growQuestion(let name): "¿Invitar a <bdi>\(name)</bdi> a tener una cuenta?"
        case .growsUpAs: "¿Será deportista, madre o padre?"
        case .growEmailHint: "Déjalo vacío para obtener un enlace que compartas tú."
        case .grownUp(let name): "<bdi>\(name)</bdi> tiene su propia cuenta"
        case .grownUpAdvice:
            "Ahora la gestiona por su cuenta. Aparece entre los miembros de la familia."
        case .backToChild(let name): "Volver a la página de <bdi>\(name)</bdi>"
        case .removeChild: "Quitar al menor"
        case .removeChildAdvice:
            """
            Se quitará al menor de la familia y se borrará todo lo que se guarda sobre él. No se \
            puede deshacer.
            """
        case .preferences: "Preferencias"
        case .changePreferences: "Ver y cambiar"
        case .preferencesAdvice:
            "Lo que las apps han guardado sobre sus gustos. Vacía un campo para borrarlo."
        case .newPreference(let isFirst): isFirst ? "Añadir una" : "Añadir otra"
        case .preferenceName: "Nombre"
        case .preferenceValue: "Valor"
        case .commas: "Separa varias con comas."
        case .yes: "Sí"
        case .no: "No"
        case .otherPreferences(let names):
            "Las apps han guardado más, que queda como está: <bdi>\(list(names))</bdi>."
        case .consentByCode: "Confirmar por correo"
        case .consentByCodeOf(let title): "Confirmar por correo: \(title)"
        case .consentCodeSent:
            "Te hemos enviado un código por correo. Introdúcelo para dar tu consentimiento."
        case .activity: "Actividad"
        case .noActivity: "No hay actividad que mostrar."
        case .older: "Anteriores"
        case .ofPerson: "Persona"
        case .everybody: "Todas"
        case .wrong(let field): wrong(field)
        case .showPreferences: "Ver"
        case .preferencesNeedConsent:
            "Da antes los consentimientos obligatorios. Después puedes cambiar estas preferencias."
        case .preferencesChanged:
            "Otra persona también está cambiando esto. Mira lo que hay ahora y guarda otra vez."
        }
    }

    private static func name(of drawing: AvatarDrawing) -> HTML {
        switch drawing {
        case .bear: "Oso"
        case .cat: "Gato"
        case .dog: "Perro"
        case .fox: "Zorro"
        case .owl: "Búho"
        case .rabbit: "Conejo"
        case .star: "Estrella"
        }
    }

    private static func someone(_ name: String?, begins: Bool = true) -> HTML {
        guard let name else { return begins ? "Otra persona" : "otra persona" }
        return "<bdi>\(name)</bdi>"
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    private static func role(_ role: HouseholdRole) -> HTML {
        switch role {
        case .parentAdmin: "Administración"
        case .adult: "Persona adulta"
        case .kid: "Joven"
        case .visitor: "Visita"
        }
    }

    private static func roleHint(_ role: HouseholdRole, _ side: MemberRole) -> HTML {
        switch (role, side) {
        case (.visitor, _): "Solo puede mirar."
        case (_, .player): "Ve la familia, renueva su código e invita a madres y padres."
        case (.parentAdmin, .parent): "Decide quién se une y cambia papeles y ajustes."
        case (.adult, .parent): "Invita a personas y añade a menores."
        case (.kid, .parent): "Ve la familia y sus miembros."
        }
    }

    private static func confirm(_ action: FamilyMainPage.Action) -> HTML {
        switch action {
        case .hide: "Ocultar"
        case .choose: "Mostrar"
        case .approve: "Aprobar"
        case .reject: "Rechazar"
        case .role: "Cambiar el papel"
        case .seat: "Sí, asumir la administración"
        case .transfer: "Pasar la administración"
        case .remove: "Quitar"
        case .leave: "Dejar la familia"
        case .renew: "Renovar el código"
        }
    }

    private static func timeLeft(_ hours: Int) -> HTML {
        if hours == 1 { return "caduca en una hora" }
        if hours < 48 { return "caduca en \(String(hours)) horas" }
        return "caduca en \(String(hours / 24)) días"
    }

    private static func done(_ notice: FamilyNotice) -> HTML {
        switch notice {
        case .create: "Has creado tu familia. Comparte su código."
        case .approve: "Solicitud aprobada. Esta persona ya es miembro."
        case .reject: "Has rechazado la solicitud."
        case .role: "Se ha cambiado el papel."
        case .seat: "La familia ya tiene quien la administre."
        case .transfer: "Ahora administra la familia otra persona."
        case .remove: "Se ha quitado a la persona de la familia."
        case .removeAndRenew:
            """
            Se ha quitado a la persona de la familia. La familia tiene un código nuevo, y el \
            anterior ya no sirve.
            """
        case .leave: "Has dejado la familia."
        case .renew: "La familia tiene un código nuevo. El anterior ya no sirve."
        case .send: "La invitación está en camino."
        case .link: "Tu enlace está listo."
        case .resend: "La invitación se ha enviado otra vez."
        case .revoke: "Has retirado la invitación."
        case .add: "Se ha añadido al menor."
        case .edit, .preferences: "Guardado."
        case .promote: "La tutela principal ha cambiado."
        case .decline: "Has dejado la tutela de este menor."
        case .consent: "Has dado tu consentimiento."
        case .withdraw: "Has retirado tu consentimiento."
        case .grow: "Se ha invitado al menor a tener su propia cuenta."
        case .addGuardian: "Se ha añadido una persona a la tutela del menor."
        case .removeGuardian: "Se ha quitado la tutela a esa persona."
        case .removeChild: "Se ha quitado al menor de la familia."
        case .unchanged: "No se ha cambiado nada."
        }
    }

    private static func wrong(_ field: FormField) -> HTML {
        switch field {
        case .familyName: "Introduce un nombre para la familia, de 80 caracteres como máximo."
        case .fullName: "Introduce un nombre de 80 caracteres como máximo."
        case .displayName:
            "Introduce el nombre del menor, de \(longestChildName) caracteres como máximo."
        case .email: "Esto no es una dirección de correo."
        case .role: "Elige entre deportista y madre o padre."
        case .householdRole: "Este papel en el hogar no es posible. Elige otro."
        case .expiresInDays: "Introduce un número de días de 1 a 365, o nada."
        case .homeLatitude: "La latitud es un número de -90 a 90."
        case .homeLongitude: "La longitud es un número de -180 a 180."
        case .avatarKey: "Elige una de las imágenes."
        case .memberId: "Elige a un miembro de la familia."
        case .preferences:
            "Escribe un número donde había un número, y sí o no donde había uno de los dos."
        case .newPreference: "Da a la nueva preferencia un nombre que aún no exista, y un valor."
        case .otherPreference:
            """
            Una app guarda esto ahora de una manera que esta página no puede cambiar. Vacía el \
            campo.
            """
        case .approvalRequired: "Elige una de las dos opciones."
        }
    }

    static func sentence(for refusal: RefusalCode) -> HTML {
        switch refusal {
        case .invalidField, .missingField, .privilegedField, .familyRequired,
            .idempotencyKeyReused, .retryLater:
            "Algo ha fallado. Inténtalo de nuevo."
        case .challengeExpired: "Tardó demasiado o ya se había enviado. Empieza de nuevo."
        case .idempotencyKeyInUse:
            "Esto se está haciendo ahora mismo. Vuelve a cargar la página para ver el resultado."
        case .oneself: "No puedes hacer esto con tu propia cuenta."
        case .codeMalformed: "El código no es válido. Los códigos son como FAM-XXXXXX."
        case .codeWrong: "El código es incorrecto o demasiado antiguo."
        case .codeUnknown: "No hay ninguna familia con este código. Compruébalo."
        case .codeExpired: "Este código ha caducado."
        case .alreadyMember: "Ya formas parte de esta familia."
        case .sessionEnded, .invalidRefreshToken: "Tu sesión ha terminado. Inicia sesión otra vez."
        case .sessionNotFound: "Esta sesión ya no existe."
        case .sessionRequired: "Para esto hace falta una sesión. Inicia sesión otra vez."
        case .invalidCredentials: "La dirección o la contraseña no es correcta."
        case .passwordTooWeak: "Esta contraseña es demasiado fácil."
        case .identityNotFound: "No existe esta forma de iniciar sesión."
        case .lastIdentity: "Es la única forma de entrar en tu cuenta. Añade antes otra."
        case .identityInUse: "Esta forma de iniciar sesión es de otra cuenta."
        case .identityOfIssuerExists: "Tu cuenta ya tiene esta forma de iniciar sesión."
        case .passkeyInvalid, .passkeyRefused: "Aquí no se conoce esta llave de acceso."
        case .passkeyNotFound: "Esta llave de acceso ya no existe."
        case .passkeyExists: "Tu cuenta ya tiene esta llave de acceso."
        case .tooManyPasskeys: "Tu cuenta ya tiene el máximo de llaves de acceso."
        case .accountRequired: "Para esto necesitas una cuenta propia."
        case .freshSignInRequired, .signInAgain: "Inicia sesión otra vez para hacer esto."
        case .actingRefused: "No puedes actuar en nombre de esta persona."
        case .notWhileActing: "Esto no se puede hacer en nombre de otra persona."
        case .visitorsOnlyRead: "Las visitas solo pueden mirar."
        case .targetIsParentAdmin: "Esto no se puede hacer a quien administra la familia."
        case .targetIsManaged: "Esto no se puede hacer a un menor sin cuenta."
        case .seatReserved:
            """
            Por ahora, esto solo puede hacerlo quien creó la familia, o una persona adulta a la \
            que alguien invitó o aprobó.
            """
        case .roleTooHigh: "No puedes dar este papel."
        case .standingTooLow: "No tienes permiso para hacer esto en esta familia."
        case .notTheAddressee: "Esta invitación se envió a otra dirección de correo."
        case .preferencesOfAnother: "No puedes ver las preferencias de otra persona."
        case .consentRequired: "Antes hace falta el consentimiento de quien tiene la tutela."
        case .consentMissing: "Para esto hace falta un consentimiento que aún no has dado."
        case .removedFromFamily: "Por ahora, solo puedes volver a esta familia con una invitación."
        case .familyNotFound: "No existe esta familia, o ya no formas parte de ella."
        case .memberNotFound: "Esta persona ya no está en la familia."
        case .invitationNotFound: "Esta invitación ya no está pendiente."
        case .purposeNotFound: "Este consentimiento ya no se pide."
        case .invitationExpired: "Esta invitación ha caducado."
        case .preferencesTooLarge: "Las preferencias son demasiado largas."
        case .attributesTooLarge: "Los datos son demasiado largos."
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
            """
            No puedes cambiar de papel mientras estés en una familia con más personas o esperes \
            entrar en una.
            """
        case .personAlreadyMember: "Esta persona ya forma parte de la familia."
        case .alreadyInvited: "Otra persona ya la ha invitado."
        case .invitationAnswered: "Esta invitación ya tiene respuesta."
        case .notTheGraduate:
            "Esta cuenta ya es de una familia y no puede pasar a ser este miembro."
        case .consentOutdated: "El texto ha cambiado. Léelo otra vez."
        case .erasureBlocked: "Otra persona tiene que asumir antes tus tareas."
        case .accountBlocked: "Esta cuenta está bloqueada. Te hemos escrito un correo sobre ello."
        case .operatorRoleStands:
            "Esta cuenta administra este servicio. Otra persona tiene que quitarle antes ese papel."
        case .noVerifiedAddress: "Tu cuenta no tiene una dirección de correo confirmada."
        case .tooManyAttempts: "Demasiados intentos. Espera unos minutos."
        case .tooManyInvitations: "Demasiadas invitaciones. Inténtalo dentro de una hora."
        case .invitationJustSent: "Esta invitación se acaba de enviar. Espera un minuto."
        case .tooManyKeys: "Demasiados cambios por hoy. Inténtalo más tarde."
        // Only servers get these, with an API key.
        case .invalidAPIKey: "Esta clave de API no es válida."
        case .insufficientScope: "Esta clave de API no puede hacer esto."
        case .browserRefused: "Las claves de API son solo para servidores."
        case .keyLimitReached: "Esta clave de API ha hecho demasiadas peticiones."
        case .personNotFound: "No se ha encontrado a esta persona."
        case .cursorExpired: "Este cursor es demasiado antiguo."
        }
    }

    // MARK: Activity

    private static func name(_ person: ActivityPerson, begins: Bool = false) -> HTML {
        switch person {
        case .reader: begins ? "Tú" : "ti"
        case .member(let name): "<bdi>\(name)</bdi>"
        case .former:
            begins ? "Alguien que ya no está en la familia" : "alguien que ya no está en la familia"
        case .formerChild: begins ? "Un menor" : "un menor"
        case .outsider: begins ? "Alguien" : "alguien"
        case .support: begins ? "El equipo de ayuda" : "el equipo de ayuda"
        case .nobody: begins ? "Hearth" : "alguien"
        }
    }

    static func activity(_ entry: FamilyActivity) -> HTML {
        let actor = name(entry.actor, begins: true)
        let subject = name(entry.subject)
        /// Returns the sentence with the verb for the reader, or for anybody else.
        func did(_ own: HTML, _ others: HTML, _ rest: HTML) -> HTML {
            if case .reader = entry.actor { return "\(own)\(rest)." }
            return "\(actor) \(others)\(rest)."
        }
        /// Returns the sentence with the subject as an object after the verb and its complement;
        /// the reader is a pronoun before the verb.
        func didTo(_ own: HTML, _ others: HTML, _ complement: HTML = "") -> HTML {
            if case .reader = entry.subject, !entry.isOwn {
                return "\(actor) te \(others)\(complement)."
            }
            return did(own, others, "\(complement) a \(subject)")
        }
        let role: HTML = entry.role.map { "el papel «\(Self.role($0))»" } ?? "otro papel"
        var child: HTML = "al menor \(subject)"
        var ofChild: HTML = "del menor \(subject)"
        if case .formerChild = entry.subject {
            child = "a un menor"
            ofChild = "de un menor"
        }
        switch entry.action {
        case "family.create": return did("Creaste", "creó", " la familia")
        case "family.update": return did("Cambiaste", "cambió", " los ajustes de la familia")
        case "family.export": return did("Exportaste", "exportó", " los datos de la familia")
        case "code.join":
            return entry.isAboutRequest
                ? did("Pediste unirte", "pidió unirse", " con el código")
                : did("Te uniste", "se unió", " con el código")
        case "code.regenerate": return did("Renovaste", "renovó", " el código de la familia")
        case "member.approve": return didTo("Dejaste entrar", "dejó entrar")
        case "member.add": return didTo("Añadiste", "añadió")
        case "member.remove":
            if !entry.isAboutRequest { return didTo("Quitaste", "quitó") }
            if case .outsider = entry.subject {
                return did("Rechazaste", "rechazó", " una solicitud para unirse")
            }
            return did("Rechazaste", "rechazó", " la solicitud de \(subject)")
        case "member.leave" where entry.isAboutRequest:
            return did("Retiraste tu", "retiró su", " solicitud para unirse")
        case "member.leave" where entry.isOwn: return did("Dejaste", "dejó", " la familia")
        case "member.leave":
            if case .reader = entry.subject { return "Dejaste la familia." }
            return "\(name(entry.subject, begins: true)) dejó la familia."
        case "member.set_role":
            return entry.isOwn
                ? did("Elegiste", "eligió", " \(role)") : didTo("Diste", "dio", " \(role)")
        case "admin.transfer": return didTo("Pasaste", "pasó", " la administración")
        case "invitation.create":
            let side: HTML =
                entry.side.map { $0 == .player ? " como deportista" : " como madre o padre" } ?? ""
            return did("Invitaste", "invitó", " a alguien\(side)")
        case "invitation.resend": return did("Enviaste", "envió", " otra vez una invitación")
        case "invitation.revoke": return did("Retiraste", "retiró", " una invitación")
        case "invitation.accept": return did("Aceptaste", "aceptó", " una invitación")
        case "invitation.decline": return did("Rechazaste", "rechazó", " una invitación")
        case "managed.create": return did("Añadiste", "añadió", " \(child)")
        case "managed.update": return did("Cambiaste", "cambió", " los datos \(ofChild)")
        case "managed.remove": return did("Quitaste", "quitó", " \(child)")
        case "managed.reassign":
            return did("Pasaste", "pasó", " a otra persona la tutela de \(subject)")
        case "managed.graduate":
            return did("Invitaste", "invitó", " a \(subject) a tener una cuenta")
        case "guardian.add":
            return did("Diste", "dio", " también a otra persona la tutela de \(subject)")
        case "guardian.remove": return did("Pusiste", "puso", " fin a una tutela de \(subject)")
        case "guardian.promote":
            return did("Cambiaste", "cambió", " la tutela principal de \(subject)")
        case "consent.give": return did("Diste", "dio", " un consentimiento para \(subject)")
        case "consent.withdraw":
            return did("Retiraste", "retiró", " un consentimiento para \(subject)")
        case "player_details.write": return did("Cambiaste", "cambió", " las notas de deportista")
        case "attributes.write":
            return did("Cambiaste", "cambió", " lo que las apps guardan sobre la familia")
        case "preferences.write":
            return did("Cambiaste", "cambió", " las preferencias de \(subject)")
        default: return did("Hiciste", "hizo", " algo: \(entry.action)")
        }
    }
}
