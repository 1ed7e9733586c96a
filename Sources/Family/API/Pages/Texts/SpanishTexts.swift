import Domain
import Basics
import UseCases

/// Hearth's pages in Spanish.
enum SpanishTexts: PageTexts {
    static func text(_ text: PageText) -> HTML {
        switch text {
        case .or: "o"
        case .goOn: "Continuar"
        case .back: "Volver"
        case .signIn: "Iniciar sesión"
        case .signOut: "Cerrar sesión"
        case .questions: "¿Preguntas?"
        case .appStore: "Consíguela en el App Store"
        case .playStore: "Disponible en Google Play"
        case .emailLabel: "Correo electrónico"
        case .passwordLabel: "Contraseña"
        case .newPasswordLabel: "Nueva contraseña"
        case .passwordHint:
            "Al menos 8 caracteres. Lo mejor son varias palabras sin relación entre sí."
        case .nameLabel: "Tu nombre"
        case .codeLabel: "Código"
        case .showPassword: "Mostrar la contraseña"
        case .mailMeACode: "Enviarme un código"
        case .createAccount: "Crear una cuenta"
        case .accept: "Aceptar"
        case .decline: "Rechazar"
        case .signedInAs(let who): "Has iniciado sesión como <strong><bdi>\(who)</bdi></strong>."
        case .yourAccount: "Tu cuenta"
        case .openApp(let app): "Abrir \(app)"
        case .backToApp(let app): "Volver a \(app)"
        }
    }

    static func text(_ text: SignInText) -> HTML {
        switch text {
        case .signInSummary(let app): "Inicia sesión en \(app)."
        case .codeHint: "¿Aún no tienes cuenta? El código que te enviamos por correo crea una."
        case .enterCode: "Introduce el código"
        case .codeSent(let email):
            """
            Hemos enviado un correo a <strong><bdi>\(email)</bdi></strong>. Contiene un código de \
            seis cifras, válido durante diez minutos.
            """
        case .codeSentAgain: "Te hemos enviado otro código por correo. Usa el más reciente."
        case .codeMissing: "¿No te llega? Mira también en el correo no deseado."
        case .resendCode: "Enviar otro código"
        case .startAgain: "Empezar de nuevo"
        case .linkOpened(let app, let email):
            """
            Has abierto el enlace de nuestro correo. Pulsa el botón para iniciar sesión en \(app) \
            como <strong><bdi>\(email)</bdi></strong>.
            """
        case .signInAs(let who): "Iniciar sesión como <bdi>\(who)</bdi>"
        case .stayAs(let who): "Seguir como <bdi>\(who)</bdi>"
        case .signInInApp(let app): "Para iniciar sesión, abre la app <strong>\(app)</strong>."
        case .sessionHasEnded: "Se ha cerrado tu sesión. Iníciala para continuar."
        case .usePasskey: "Usar una llave de acceso"
        case .passkeyFailed: "No ha funcionado. Inténtalo otra vez o elige otra forma."
        case .haveAccount: "¿Ya tienes cuenta? Inicia sesión"
        case .forgotPassword: "¿Has olvidado tu contraseña?"
        case .roleLabel: "¿Quién eres en la familia?"
        case .iAmAParent: "Madre, padre u otra persona adulta"
        case .iAmAPlayer: "Deportista (la persona joven)"
        case .mailMeALink: "Enviarme un enlace"
        case .forgotAdvice: "Te enviamos un enlace con el que puedes elegir otra contraseña."
        case .linkSent: "Mira tu correo"
        case .linkSentTo(let email):
            """
            Si <strong><bdi>\(email)</bdi></strong> tiene una cuenta, le hemos enviado un enlace. \
            Es válido durante media hora.
            """
        case .setPassword: "Elegir una contraseña"
        case .resetAdvice: "Se cerrará la sesión en todos tus dispositivos."
        case .resetLinkDead:
            """
            Este enlace ya se ha usado o es demasiado antiguo. Escribe tu correo y te enviaremos \
            otro.
            """
        case .passwordChanged: "Tu contraseña está guardada"
        case .passwordChangedAdvice:
            "Inicia sesión con ella. Hemos cerrado la sesión en todas partes."
        }
    }

    static func text(_ text: ContinueText) -> HTML {
        switch text {
        case .title(let who): "¿Continuar como <bdi>\(who)</bdi>?"
        case .titlePlainly(let who): "¿Continuar como \(who)?"
        case .fromApp(let app):
            """
            Esta página se abrió desde <strong>\(app)</strong>. Continúa solo si acabas de abrirla \
            tú.
            """
        case .fromDemo:
            "Este enlace pertenece a la demostración. Funciona hasta que la demostración termina."
        case .continueAs(let who): "Continuar como <bdi>\(who)</bdi>"
        case .over: "Este enlace ya no funciona"
        case .overAdvice(let app):
            """
            Los enlaces de <strong>\(app)</strong> a este sitio funcionan una sola vez, durante un \
            minuto. Abre la página otra vez desde la app.
            """
        }
    }

    static func text(_ text: JoinText) -> HTML {
        switch text {
        case .invitation: "Invitación"
        case .familyCode: "Código de la familia"
        case .joinTitle(let family): "Únete a \(family)"
        case .joinFamily(let family): "Únete a <bdi>\(family)</bdi>"
        case .joinAFamily: "Únete a una familia"
        case .invitesYou(let inviter, let role):
            inviter.isEmpty
                ? "Te invitan a unirte a esta familia \(side(role))."
                : "<bdi>\(inviter)</bdi> te invita a unirte a esta familia \(side(role))."
        case .invitesYouPlainly(let inviter, let role):
            inviter.isEmpty
                ? "Te invitan a unirte a esta familia \(side(role))."
                : "\(inviter) te invita a unirte a esta familia \(side(role))."
        case .growUpTitle(let family): "Tu propia cuenta en \(family)"
        case .growUp(let family): "Tu propia cuenta en <bdi>\(family)</bdi>"
        case .growsUp(let inviter):
            """
            \(inviter.isEmpty ? "Te invitan" : "<bdi>\(inviter)</bdi> te invita") a iniciar sesión \
            por tu cuenta a partir de ahora. Conservas tu sitio en la familia y todo lo que es \
            tuyo en ella. Desde entonces haces tú lo que hacía por ti quien tiene tu tutela.
            """
        case .growsUpPlainly(let inviter):
            inviter.isEmpty
                ? "Te invitan a tener tu propia cuenta."
                : "\(inviter) te invita a tener tu propia cuenta."
        case .invitedAddress(let email):
            """
            Inicia sesión con <strong>\(email)</strong>, la dirección a la que se envió la \
            invitación.
            """
        case .sentToAddress(let email):
            """
            Esta invitación se envió a <strong><bdi>\(email)</bdi></strong>. Para aceptarla, \
            cierra la sesión e iníciala con esa dirección.
            """
        case .alreadyAsked:
            """
            Ya has pedido unirte a esta familia. Te enviaremos la respuesta por correo. Puedes \
            retirar la solicitud en tu cuenta.
            """
        case .endsFamily(let family):
            "Dejarás <bdi>\(family)</bdi>. Nadie más forma parte de ella: dejará de existir."
        case .endsFamilyOnceIn(let family):
            """
            Cuando esta familia te acepte, dejarás <bdi>\(family)</bdi>. Nadie más forma parte de \
            ella: dejará de existir.
            """
        case .becomes(let role): "A partir de ahora serás \(noun(role)) en todas tus familias."
        case .growsUpAs(let role): "En la familia serás \(noun(role))."
        case .keepsKnownName:
            "Déjalo vacío para conservar el nombre con el que te conoce tu familia."
        case .ifYouAccept: "Si aceptas:"
        case .ifYouJoin: "Si te unes:"
        case .validUntil(let moment):
            """
            La invitación es válida hasta el <time datetime="\(moment.description)">\(day(moment))\
            </time> y sirve una sola vez. Abrir esta página no la gasta.
            """
        case .givenACode: "Te han dado el código de una familia."
        case .codeLeadsTo(let members):
            """
            Este código lleva a una familia con \
            \(members == 1 ? "una persona" : "\(members) personas").
            """
        case .familyApproves:
            "Alguien de la familia decide quién se une. Te enviaremos la respuesta por correo."
        case .fullForNow:
            "La familia está completa ahora. Podrá aceptarte cuando alguien la deje."
        case .askToJoin: "Pedir unirme a esta familia"
        case .signInToAnswer: "Inicia sesión para responder"
        case .signInToJoin: "Inicia sesión para unirte"
        case .noAccountNeeded:
            "¿Aún no tienes cuenta? El código que te enviamos por correo crea una."
        case .useTheApp(let app, hasCode: true):
            """
            ¿Ya usas la app <strong>\(app)</strong>? Introduce el código en ella, o inicia sesión \
            aquí con la dirección que usas en ella. Con otra, como las direcciones privadas de \
            Apple, se crea una segunda cuenta.
            """
        case .useTheApp(let app, hasCode: false):
            """
            ¿Ya usas la app <strong>\(app)</strong>? Abre este enlace en el teléfono en el que \
            tienes la sesión iniciada, o escribe la dirección que usas en ella. Con otra, como las \
            direcciones privadas de Apple, se crea una segunda cuenta.
            """
        case .usePassword: "Iniciar sesión con contraseña"
        case .joinNow: "Unirme a esta familia"
        case .notYou: "¿No eres tú? Cierra la sesión"
        case .howToGoOn: "Cómo seguir"
        case .openOnPhone(hasCode: true):
            "Introduce el código en la app de la familia, en tu teléfono."
        case .openOnPhone(hasCode: false):
            """
            Abre este enlace en el teléfono que tiene la app de la familia. La app te muestra la \
            invitación.
            """
        case .signInOrCreate: "Inicia sesión o crea una cuenta."
        case .acceptInApp: "Acepta en la app. Hasta entonces no cambia nada."
        case .haveApp(let app): "También puedes responder en la app <strong>\(app)</strong>."
        case .qrCode: "Código QR de este enlace"
        case .pointCamera:
            "¿Prefieres tu teléfono? Apunta aquí con la cámara."
        }
    }

    static func text(_ text: AnswerText) -> HTML {
        switch text {
        case .welcome: "Te damos la bienvenida"
        case .ownAccountIn(let family): "Ya tienes tu propia cuenta en <bdi>\(family)</bdi>"
        case .youAreIn(let family): "Ya formas parte de <bdi>\(family)</bdi>"
        case .seeFamily: "Ver tu familia"
        case .whatNext: "Qué hacer ahora"
        case .getApp(let app): "Instala la app <strong>\(app)</strong> en tu teléfono."
        case .signInThere(let email):
            email.map { "Ábrela e inicia sesión como <strong><bdi>\($0)</bdi></strong>." }
                ?? "Ábrela e inicia sesión igual que aquí."
        case .almostIn: "Ya casi está"
        case .youAreWaiting(let family): "Tu solicitud se ha enviado a <bdi>\(family)</bdi>"
        case .somebodyApproves:
            """
            Alguien de la familia decide quién se une. Te enviaremos la respuesta por correo.
            """
        case .wasFull:
            """
            Cuando enviaste tu solicitud, la familia estaba completa. Podrá aceptarte cuando \
            alguien la deje.
            """
        case .declined: "Has rechazado la invitación"
        case .declinedAdvice: "No ha cambiado nada para ti. Puedes cerrar esta página."
        case .expired: "Esta invitación ha caducado"
        case .expiredAdvice:
            "Pide a quien te invitó que la envíe otra vez. Recibirás un enlace nuevo."
        case .familyCodeExpired: "Pide a la familia su código nuevo."
        case .deadLink: "Este enlace no funciona"
        case .deadLinkAdvice:
            """
            Puede que la invitación se haya retirado o sustituido por otra, o que falte parte del \
            enlace. Busca un mensaje más reciente o pregunta a quien te invitó.
            """
        case .answered: "Esta invitación ya tiene respuesta"
        case .answeredAdvice(let address):
            """
            Ya se aceptó o se rechazó. Si la aceptaste, \
            \(link("inicia sesión", to: address) ?? "abre la app e inicia sesión") para ver la \
            familia.
            """
        case .answeredAdviceSignedIn:
            """
            Se aceptó o se rechazó. Si la aceptaste con esta cuenta, ya formas parte de la \
            familia. Si fue con otra, cierra la sesión e iníciala con esa.
            """
        case .incompleteLink: "A este enlace le falta una parte"
        case .incompleteLinkAdvice(let address, let form):
            """
            Ábrelo de nuevo desde el mensaje que recibiste, o \
            \(link("introduce el código de la familia", to: address)
                ?? "introduce en la app el código de la familia"). \
            Los códigos son como \(form).
            """
        case .invitationUnchanged:
            "Inténtalo de nuevo en unos minutos. Tu invitación no ha cambiado."
        }
    }

    static func text(_ text: NoInvitationsText) -> HTML {
        switch text {
        case .mail: "Correo electrónico"
        case .question: "¿No quieres más invitaciones?"
        case .advice:
            """
            Dejaremos de enviar invitaciones a tu dirección. Todo lo demás queda como está.
            """
        case .dead: "Este enlace ya no funciona"
        case .deadAdvice:
            """
            Usa el enlace de la última invitación que recibiste, o pide a la familia que deje de \
            invitarte.
            """
        case .noneOf(let family): "No recibir más invitaciones de <bdi>\(family)</bdi>"
        case .noneOfAny: "No recibir ninguna invitación"
        case .done: "No recibirás más invitaciones"
        case .doneAdvice:
            """
            Ya no te enviaremos estas invitaciones. Si cambias de idea, la familia puede darte su \
            código.
            """
        }
    }

    static func text(_ text: ProblemText) -> HTML {
        switch text {
        case .formRefused: "Este formulario ya no sirve"
        case .formRefusedAdvice:
            """
            Puede ser demasiado antiguo, o las cookies pueden estar desactivadas. Vuelve atrás, \
            carga la página e inténtalo otra vez. No ha cambiado nada.
            """
        case .signedOut: "Se ha cerrado tu sesión"
        case .signedOutAdvice: "Inicia sesión para continuar. No ha cambiado nada."
        case .didNotWork: "No ha funcionado"
        case .nothingHere: "Aquí no hay nada"
        case .nothingHereAdvice: "Comprueba la dirección de esta página."
        case .tryAgain: "Algo ha fallado. Inténtalo de nuevo."
        case .tryLater: "El servicio está ocupado. Inténtalo de nuevo en unos minutos."
        case .unreadable:
            """
            No podemos leer esto. Si has abierto un enlace, comprueba que lo has copiado completo.
            """
        case .formTooLong:
            "Has escrito más de lo que podemos recibir. Acórtalo e inténtalo de nuevo."
        case .cookiesTooLong:
            """
            Tu navegador ha enviado más de lo que podemos recibir. Borra las cookies de este sitio \
            e inténtalo de nuevo.
            """
        case .wrongPassword: "La dirección o la contraseña no es correcta."
        case .noMailedCode: "Un código tiene seis cifras. Cópialo del correo."
        case .wrongCode(let left):
            left.map { $0 == 1 ? "Código incorrecto. Queda un intento." : tries($0) }
                ?? "El código es incorrecto o demasiado antiguo."
        case .codeOver: "Este código o enlace ya no es válido. Pide otro."
        case .wrongEmail: "Esto no es una dirección de correo."
        case .noEmail: "Introduce tu dirección de correo."
        case .wrongName: "Introduce un nombre de 80 caracteres como máximo."
        case .wrongPicture: "Elige una de las imágenes."
        case .wrongLanguage: "Elige uno de los idiomas de la lista."
        case .wrongLabel: "Escribe un nombre de 80 caracteres como máximo para la llave de acceso."
        case .wrongRole: "Elige quién eres en la familia."
        case .wrongCurrentPassword: "Esa no es tu contraseña actual."
        case .roleFixed:
            """
            No puedes cambiar de papel mientras estés en una familia con más personas o esperes \
            entrar en una.
            """
        case .guardianFirst:
            """
            Tienes la tutela de un menor, así que debes constar como persona adulta. Nombra antes \
            a otra persona que tenga su tutela.
            """
        case .weak(let weakness): advice(weakness)
        case .tooMany(let minutes):
            minutes == 1
                ? "Demasiados intentos. Espera un minuto."
                : "Demasiados intentos. Espera \(String(minutes)) minutos."
        case .sentToAnother:
            """
            Esta invitación se envió a otra dirección de correo. Cierra la sesión e iníciala con \
            esa dirección.
            """
        case .otherSide:
            """
            Esta invitación es para otro papel (deportista o madre, padre u otra persona adulta). \
            Pide a la familia que te envíe otra.
            """
        case .otherSideChosen(let role):
            """
            Esta invitación es para \(noun(role)). Si es tu caso, elige ese papel. Si no, pide a \
            la familia otra invitación.
            """
        case .roleOfGraduate(let role):
            """
            Quien te invitó ha elegido que seas \(noun(role)). Acepta así, o pide que te invite \
            otra vez con el otro papel.
            """
        case .withdrawRequestFirst:
            """
            Has pedido unirte a otra familia con un papel (deportista, o madre, padre u otra \
            persona adulta) distinto del de esta invitación. Retira esa solicitud en tu cuenta o \
            espera la respuesta.
            """
        case .notTheGraduate:
            """
            Esta invitación da a un menor su propia cuenta. No se puede aceptar con una cuenta que \
            ya forma parte de una familia.
            """
        case .tooManyFamilies: "Ya formas parte del máximo de familias. Deja antes una."
        case .transferAdminFirst:
            "Administras esta familia. Pasa antes la administración a otra persona."
        case .consentMissing(let account):
            """
            Para esto hace falta un consentimiento que aún no has dado. \
            <a href="\(account)">Léelo y dalo</a> antes.
            """
        case .hasFamily(let family):
            family.map { "Cada deportista solo tiene una familia. Deja antes <bdi>\($0)</bdi>." }
                ?? "Cada deportista solo tiene una familia. Deja antes la otra."
        case .familyFull: "Esta familia está completa."
        case .wasRemoved: "Por ahora, solo puedes volver a esta familia con una invitación."
        case .alreadyIn:
            """
            Ya formas parte de esta familia. Si la app no te muestra ninguna, allí has iniciado \
            sesión con otra dirección: usa la que tienes aquí.
            """
        case .passkeyUnknown: "Aquí no se conoce esta llave de acceso. Elige otra forma."
        case .passkeyKnown: "Tu cuenta ya tiene esta llave de acceso."
        case .tooManyPasskeys: "Tu cuenta ya tiene el máximo de llaves de acceso."
        case .codeUnknown: "No hay ninguna familia con este código. Compruébalo."
        case .lastWayIn: "Es la única forma de entrar en tu cuenta. Añade antes otra."
        case .signInAgainFirst:
            "Cierra la sesión, iníciala otra vez y hazlo en los diez minutos siguientes."
        case .accountBlocked:
            """
            Esta cuenta está bloqueada y no puedes iniciar sesión. Te hemos escrito un correo que \
            explica qué significa y cómo contactarnos.
            """
        case .operatorRoleStands:
            "Esta cuenta administra este servicio. Otra persona tiene que quitarle antes ese papel."
        case .otherAccount:
            """
            Esto ya es de otra cuenta de este sitio. Para usar esa cuenta, cierra la sesión e \
            iníciala con ella. Si no, elige otra opción.
            """
        case .oneOfItsKind:
            """
            Tu cuenta ya tiene un inicio de sesión con un proveedor de este tipo, y solo puede \
            tener uno.
            """
        case .noAddress:
            """
            Tu cuenta no tiene una dirección de correo confirmada para enviarle un código. Cierra \
            la sesión, iníciala otra vez y hazlo en los diez minutos siguientes.
            """
        case .handOverFirst(let tasks):
            """
            No se ha borrado tu cuenta, porque otras personas dependen de ti. \
            <a href="\(tasks)">Mira qué hacer antes</a>.
            """
        }
    }

    /// Returns a link within a sentence; nil without an address.
    private static func link(_ words: String, to address: String?) -> HTML? {
        address.map { "<a href=\"\($0)\">\(words)</a>" }
    }

    private static func side(_ role: MemberRole) -> String {
        role == .player ? "como deportista" : "como madre, padre u otra persona adulta"
    }

    /// Returns a role as a noun within a sentence.
    static func noun(_ role: MemberRole) -> String {
        role == .player ? "deportista" : "madre, padre u otra persona adulta"
    }

    private static func tries(_ count: Int) -> HTML {
        "Código incorrecto. Quedan \(String(count)) intentos."
    }

    private static func advice(_ weakness: PasswordWeakness) -> HTML {
        switch weakness {
        case .length: "Una contraseña tiene entre 8 y 256 caracteres."
        case .commonWord: "Es una contraseña muy común. Mejor junta varias palabras."
        case .ownWord: "No pongas tu nombre ni tu dirección en la contraseña."
        case .repetition: "Esta contraseña se repite. Junta varias palabras distintas."
        case .sequence: "Las series como abc o 123 se adivinan pronto. Junta varias palabras."
        case .keyboardPattern: "Las teclas vecinas se adivinan pronto. Junta varias palabras."
        case .date: "Las fechas y los años se adivinan pronto. No los pongas."
        case .tooShort, .other: "Esta contraseña es demasiado fácil. Añade otra palabra."
        }
    }

    /// Formats a date as `5 de diciembre de 2026`.
    static func day(_ moment: Timestamp) -> String {
        let (year, month, day) = moment.civilDay
        return "\(day) de \(months[month - 1]) de \(year)"
    }

    private static let months = [
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
        "octubre", "noviembre", "diciembre",
    ]
}
