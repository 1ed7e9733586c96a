import Domain
import UseCases

/// Hearth's e-mails in Spanish.
enum SpanishMails: MailWriter {
    static func unknown(_ value: MailValue) -> String {
        switch value {
        case .family: "una familia"
        case .inviter, .admin, .guardian, .requester: "Alguien"
        case .provider: "otro proveedor"
        default: ""
        }
    }

    static func greeting(_ name: String) -> String { name.isEmpty ? "Hola:" : "Hola, \(name):" }

    static func side(_ role: MemberRole) -> String {
        role == .player ? "como deportista" : "como madre, padre u otra persona adulta"
    }

    private static let months = [
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
        "octubre", "noviembre", "diciembre",
    ]

    static func identity(_ kind: IdentityKind) -> String {
        switch kind {
        case .issuer: "el inicio de sesión de otro proveedor"
        case .email: "los códigos por correo, y la contraseña si era la última dirección"
        case .password: "la contraseña"
        case .passkey: "una llave de acceso"
        }
    }

    static func day(_ day: MailDate.Day) -> String {
        "\(day.day) de \(months[day.month - 1]) de \(day.year)"
    }

    static func sender(_ values: MailValues) -> String {
        "Lo ha enviado \(values[.app]) a \(values[.address])."
    }

    private static let ofAccount =
        "Recibes este mensaje porque tienes una cuenta con esta dirección."
    private static let unknownSender =
        "Si no sabes de qué se trata, puedes ignorar este mensaje."
    private static let addressOnly =
        "Es solo para esta dirección de correo, así que inicia sesión con ella."

    // MARK: Families

    static func invitation(_ values: MailValues) -> MailTemplate {
        let (family, inviter) = (values[.family], values[.inviter])
        return MailTemplate(
            subject: "\(inviter) te invita a unirte a \(family)",
            paragraphs: [
                "Hola:", "\(inviter) te invita a unirte a \(family) \(values[.side]).",
                "La invitación es válida hasta el \(values[.until]). \(addressOnly)",
            ],
            link: ("Abrir la invitación", values[.link]), smallPrint: unknownSender,
            refusal: ("No quiero más invitaciones", values[.refusal]))
    }

    static func adminChanged(_ values: MailValues) -> MailTemplate {
        let (family, admin) = (values[.family], values[.admin])
        if values.isAboutRecipient {
            return MailTemplate(
                subject: "Ahora administras \(family)",
                paragraphs: [
                    values[.greeting],
                    "Ahora administras \(family) y te ocupas de sus miembros, su código y sus "
                        + "invitaciones.",
                ],
                link: ("Ver tu familia", values[.link]),
                smallPrint: "Recibes este mensaje porque eres una persona adulta de esta familia.")
        }
        return MailTemplate(
            subject: "\(admin) administra ahora \(family)",
            paragraphs: [
                values[.greeting],
                "\(admin) administra ahora \(family) y se ocupa de sus miembros, su código y sus "
                    + "invitaciones.",
            ],
            link: ("Ver tu familia", values[.link]),
            smallPrint: "Recibes este mensaje porque eres una persona adulta de esta familia.")
    }

    static func memberRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ya no formas parte de \(values[.family])",
            paragraphs: [
                values[.greeting],
                "Te han quitado de \(values[.family]) y ya no tienes acceso a la familia.",
                "Si crees que es un error, habla con tu familia: puede volver a invitarte.",
            ],
            smallPrint: "Recibes este mensaje porque formabas parte de esta familia.")
    }

    static func joinRequested(_ values: MailValues) -> MailTemplate {
        let (family, requester) = (values[.family], values[.requester])
        return MailTemplate(
            subject: "\(requester) pide unirse a \(family)",
            paragraphs: [
                values[.greeting],
                "\(requester) ha usado el código de la familia para pedir unirse a \(family). "
                    + "Esta persona no puede ver nada de tu familia hasta que alguien apruebe la "
                    + "solicitud.",
                "Puedes aprobar o rechazar la solicitud en la página de tu familia. Si no sabes "
                    + "quién es, recházala y renueva el código de la familia.",
            ],
            link: ("Ver la solicitud", values[.link]),
            smallPrint: "Recibes este mensaje porque decides quién se une a esta familia.")
    }

    static func requestApproved(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Ya formas parte de \(family)",
            paragraphs: [
                values[.greeting],
                "Tu solicitud para unirte a \(family) ha sido aprobada.",
            ],
            link: ("Ver tu familia", values[.link]),
            smallPrint: "Recibes este mensaje porque pediste unirte a esta familia.")
    }

    static func requestRejected(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Tu solicitud para unirte a \(family) ha sido rechazada",
            paragraphs: [
                values[.greeting],
                "Pediste unirte a \(family) y la solicitud ha sido rechazada.",
                "Si crees que es un error, habla con la familia: puede invitarte. También puedes "
                    + "crear tu propia familia o unirte a otra.",
            ],
            link: ("Ver qué puedes hacer", values[.link]),
            smallPrint: "Recibes este mensaje porque pediste unirte a esta familia.")
    }

    static func waitingEnded(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Tu solicitud para unirte a \(family) se ha cerrado",
            paragraphs: [
                values[.greeting],
                "Pediste unirte a \(family) y esperabas su aprobación. Ya nadie forma parte de "
                    + "esta familia, así que nadie puede aprobar tu solicitud.",
                "Si quieres unirte a otra familia, pídele su código o una invitación.",
            ],
            link: ("Introducir el código de una familia", values[.link]),
            smallPrint: "Recibes este mensaje porque pediste unirte a esta familia.")
    }

    static func requestInOtherRole(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "\(family) todavía no puede aprobar tu solicitud",
            paragraphs: [
                values[.greeting],
                "\(family) quería aprobar tu solicitud. Pero pediste unirte con un papel "
                    + "(deportista, o madre o padre) distinto del que tienes en tu otra familia, y "
                    + "tu papel tiene que ser el mismo en todas tus familias.",
                "Puedes dejar la otra familia. O retira tu solicitud y vuelve a pedir unirte con "
                    + "el papel que tienes allí.",
            ],
            link: ("Ver tu familia", values[.link]),
            smallPrint: "Recibes este mensaje porque pediste unirte a esta familia.")
    }

    // MARK: Guardians

    static func guardianReplaced(_ values: MailValues) -> MailTemplate {
        let (family, guardian) = (values[.family], values[.guardian])
        return MailTemplate(
            subject: "\(guardian) tiene ahora la tutela en \(family)",
            paragraphs: [
                values[.greeting],
                "En \(family), \(guardian) tiene ahora la tutela de los menores que estaban a tu "
                    + "cargo.",
            ],
            smallPrint: "Recibes este mensaje porque tenías la tutela de estos menores.")
    }

    static func guardianNamed(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ahora tienes una tutela en \(values[.family])",
            paragraphs: [
                values[.greeting],
                "Otra persona que tiene la tutela de un menor en \(values[.family]) te la ha dado "
                    + "a ti también. Puedes actuar en nombre del menor, y ver y cambiar lo que se "
                    + "guarda sobre él.",
                "Si no quieres, puedes dejar la tutela en cualquier momento: abre al menor en la "
                    + "página de tu familia.",
            ],
            link: ("Ver tu familia", values[.link]),
            smallPrint: "Recibes este mensaje porque te han dado la tutela de un menor.")
    }

    static func guardianRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ya no tienes la tutela en \(values[.family])",
            paragraphs: [
                values[.greeting],
                "Ya no tienes la tutela de un menor en \(values[.family]). Así lo ha decidido "
                    + "quien tiene la tutela principal. El menor sigue bajo la tutela de otras "
                    + "personas.",
            ],
            smallPrint: "Recibes este mensaje porque tenías la tutela del menor.")
    }

    static func graduation(_ values: MailValues) -> MailTemplate {
        let (family, inviter) = (values[.family], values[.inviter])
        return MailTemplate(
            subject: "\(inviter) te invita a tener tu propia cuenta en \(family)",
            paragraphs: [
                "Hola:",
                "Ya formas parte de \(family), sin una cuenta propia. \(inviter) te invita a "
                    + "iniciar sesión por tu cuenta a partir de ahora. Todo lo que es tuyo allí "
                    + "lo sigue siendo, y nadie más actúa en tu nombre.",
                "La invitación es válida hasta el \(values[.until]). \(addressOnly)",
            ],
            link: ("Tener mi propia cuenta", values[.link]), smallPrint: unknownSender)
    }

    static func graduationStarted(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Un menor de \(values[.family]) está invitado a tener su propia cuenta",
            paragraphs: [
                values[.greeting],
                "Un menor que está bajo tu tutela en \(values[.family]) ha recibido una invitación "
                    + "para tener su propia cuenta. Cuando la acepte, iniciará sesión por sí mismo "
                    + "y nadie más actuará en su nombre.",
            ],
            smallPrint: "Recibes este mensaje porque tienes la tutela del menor.")
    }

    static func graduated(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Un menor de \(values[.family]) tiene ahora su propia cuenta",
            paragraphs: [
                values[.greeting],
                "Un menor que estaba bajo tu tutela en \(values[.family]) ya tiene su propia "
                    + "cuenta e inicia sesión por sí mismo. Sigue en la familia con todo lo que le "
                    + "pertenece; ya no puedes actuar en su nombre.",
            ],
            smallPrint: "Recibes este mensaje porque tenías la tutela del menor.")
    }

    static func consentCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "El código para tu consentimiento",
            paragraphs: [
                values[.greeting],
                "Introduce este código para dar el consentimiento que se te ha pedido como "
                    + "responsable de la tutela de un menor:",
            ],
            code: values[.code],
            afterCode: [
                "Es válido durante diez minutos. Puedes retirar tu consentimiento en cualquier "
                    + "momento.",
                notAsked,
            ],
            smallPrint: ofAccount)
    }

    // MARK: The account

    private static let notAsked =
        "Si no has pedido este código, es posible que otra persona esté usando tu cuenta: no se lo "
        + "des a nadie y cierra la sesión en todos tus dispositivos."
    private static let sessions =
        "revisa «Dónde tienes la sesión abierta» en la página de tu cuenta"
    private static let sessionsThere = "revisa allí «Dónde tienes la sesión abierta»"

    static func deletionCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "El código para borrar tu cuenta",
            paragraphs: [
                values[.greeting],
                "Introduce este código para borrar tu cuenta y todos tus datos, al momento y para "
                    + "siempre:",
            ],
            code: values[.code],
            afterCode: ["Es válido durante diez minutos.", notAsked],
            smallPrint: ofAccount)
    }

    static func accountErased(_: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Tu cuenta está borrada",
            paragraphs: [
                "Hola:",
                "Como pediste, hemos borrado tu cuenta y todo lo que sabíamos de ti. No se puede "
                    + "deshacer.",
                "Ya no formas parte de ninguna familia y tu sesión está cerrada en todas partes. "
                    + "Si vuelves a iniciar sesión, empiezas con una cuenta nueva.",
            ],
            smallPrint: "Este es el último mensaje: también hemos borrado tu dirección.")
    }

    static func accountBlocked(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Tu cuenta está bloqueada",
            paragraphs: [
                values[.greeting],
                "Hemos bloqueado tu cuenta y hemos cerrado la sesión en todos tus dispositivos. De "
                    + "momento no puedes iniciar sesión. Tu sitio en tus familias se mantiene.",
                "Si crees que es un error, o si quieres una copia de tus datos o que los borremos, "
                    + "responde a este correo.",
            ],
            smallPrint: ofAccount)
    }

    static func sessionReused(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Hemos cerrado tu sesión en uno de tus dispositivos",
            paragraphs: [
                values[.greeting],
                "Una de tus sesiones se ha usado desde dos sitios a la vez. Es posible que alguien "
                    + "la haya copiado, así que la hemos cerrado.",
                "Inicia sesión otra vez en ese dispositivo. Si no sabes por qué ha pasado, "
                    + "\(sessions), cierra las sesiones que no conozcas y cambia tu contraseña si "
                    + "tienes una.",
            ],
            smallPrint: ofAccount)
    }

    static func passwordChanged(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Tu contraseña ha cambiado",
            paragraphs: [
                values[.greeting],
                "Se ha cambiado tu contraseña y hemos cerrado la sesión en los demás dispositivos.",
                "Si no has sido tú: pide un enlace para cambiar tu contraseña y \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passwordSet(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Tu cuenta ya tiene contraseña",
            paragraphs: [
                values[.greeting],
                "Se ha creado una contraseña para tu cuenta y hemos cerrado la sesión en los demás "
                    + "dispositivos.",
                "Si no has sido tú: pide un enlace para cambiar tu contraseña y \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passkeyAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Tu cuenta tiene una llave de acceso nueva",
            paragraphs: [
                values[.greeting],
                "A partir de ahora puedes iniciar sesión con ella, en el dispositivo que la "
                    + "guarda, en lugar de usar un código o una contraseña.",
                "Si no has sido tú: quítala en «Cómo puedes iniciar sesión» de la página de tu "
                    + "cuenta y \(sessionsThere).",
            ],
            smallPrint: ofAccount)
    }

    static func operatorPasskey(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "La consola de \(values[.app]) tiene una llave de acceso nueva",
            paragraphs: [
                values[.greeting],
                "Alguien del equipo de \(values[.app]) ha añadido una llave de acceso a la "
                    + "consola. Recibes este mensaje porque la administras. El registro de "
                    + "auditoría de la consola dice quién: operator.passkey_add.",
                "Si no conoces a esa persona: retírale el acceso con hearth-admin operator remove.",
            ],
            smallPrint: ofAccount)
    }

    static func signInLinked(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ya puedes iniciar sesión con \(values[.provider])",
            paragraphs: [
                values[.greeting],
                "Alguien ha iniciado sesión en \(values[.app]) con \(values[.provider]), que ha "
                    + "confirmado esta dirección. A partir de ahora, este inicio de sesión "
                    + "lleva a la misma cuenta que los códigos por correo.",
                "Si no lo quieres, o si no has sido tú: inicia sesión con un código por correo, "
                    + "quítalo en «Cómo puedes iniciar sesión» de la página de tu cuenta y "
                    + "\(sessionsThere). No se volverá a añadir.",
            ],
            link: ("Abrir tu cuenta", values[.link]), smallPrint: ofAccount)
    }

    static func passkeySynced(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Una de tus llaves de acceso puede estar en varios dispositivos",
            paragraphs: [
                values[.greeting],
                "Una llave de acceso tuya que estaba en un solo dispositivo puede copiarse a "
                    + "partir de ahora, para que la usen también tus demás dispositivos. No tienes "
                    + "que hacer nada.",
                "Si no has activado esa copia: quita la llave en «Cómo puedes iniciar sesión» de "
                    + "la página de tu cuenta, añade una nueva y \(sessionsThere).",
            ],
            smallPrint: ofAccount)
    }

    static func identityAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ya puedes iniciar sesión con \(values[.provider])",
            paragraphs: [
                values[.greeting],
                "A partir de ahora también puedes iniciar sesión con \(values[.provider]).",
                "Si no has sido tú: inicia sesión cuanto antes, quítalo en «Cómo puedes iniciar "
                    + "sesión» de la página de tu cuenta, cierra las sesiones que no conozcas y "
                    + "cambia tu contraseña si tienes una.",
            ],
            smallPrint: ofAccount)
    }

    static func identityRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Se ha quitado una forma de iniciar sesión de tu cuenta",
            paragraphs: [
                values[.greeting],
                "Ya no se puede entrar en tu cuenta con esto: \(values[.identity]).",
                "Si no has sido tú: inicia sesión cuanto antes de otra forma, cierra las sesiones "
                    + "que no conozcas y revisa «Cómo puedes iniciar sesión»: quita lo que no "
                    + "conozcas y vuelve a añadir lo que falte.",
            ],
            smallPrint: ofAccount)
    }

    // MARK: Signing in

    private static func unasked(_ values: MailValues) -> String {
        "Recibes este mensaje porque alguien ha indicado esta dirección en \(values[.app]). Si no "
            + "has sido tú, ignóralo: sin él nadie puede entrar."
    }

    static func signIn(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) es tu código para \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Tu código para iniciar sesión en \(values[.app]):",
            ],
            code: values[.code],
            afterCode: [
                "Es válido durante diez minutos. También puedes abrir este enlace en el "
                    + "dispositivo en el que quieres iniciar sesión."
            ],
            link: ("Iniciar sesión", values[.link]), smallPrint: unasked(values))
    }

    static func signUp(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) es tu código para \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Tu código para crear tu cuenta en \(values[.app]):",
            ],
            code: values[.code],
            afterCode: [
                "Es válido durante diez minutos. Introdúcelo solo si eres tú quien está creando "
                    + "una cuenta ahora mismo."
            ],
            smallPrint: unasked(values))
    }

    static func accountExists(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Ya tienes una cuenta en \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Alguien, probablemente tú, quería crear una cuenta en \(values[.app]) con esta "
                    + "dirección. Ya hay una, y nada ha cambiado.",
                "Puedes iniciar sesión con este enlace durante diez minutos. Si no recuerdas tu "
                    + "contraseña, entra así y elige otra.",
            ],
            link: ("Iniciar sesión", values[.link]), smallPrint: unasked(values))
    }

    static func reset(_ values: MailValues) -> MailTemplate {
        var paragraphs = [
            values[.greeting],
            "Con este enlace puedes elegir otra contraseña para \(values[.app]). Es válido durante "
                + "treinta minutos y solo se puede usar una vez.",
        ]
        if values.has(.appLink) {
            paragraphs.append("En un teléfono con la app: \(values[.appLink])")
        }
        return MailTemplate(
            subject: "Otra contraseña para \(values[.app])", paragraphs: paragraphs,
            link: ("Elegir otra contraseña", values[.link]), smallPrint: unasked(values))
    }

    // MARK: A new address

    private static func unwanted(_ values: MailValues) -> String {
        "Recibes este mensaje porque alguien ha indicado esta dirección en \(values[.app]). Si no "
            + "has sido tú, ignóralo: sin él nada cambia."
    }

    static func newAddress(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) es el código para tu nueva dirección",
            paragraphs: [
                values[.greeting],
                "Introduce este código para que tu cuenta de \(values[.app]) use esta dirección a "
                    + "partir de ahora:",
            ],
            code: values[.code],
            afterCode: [
                "Es válido durante diez minutos. Introdúcelo solo si eres tú quien está cambiando "
                    + "de dirección ahora mismo."
            ],
            smallPrint: unwanted(values))
    }

    static func addressByOperator(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Confirma tu nueva dirección para \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Abre este enlace para que tu cuenta de \(values[.app]) use esta dirección a "
                    + "partir de ahora, y para iniciar sesión. Es válido durante treinta minutos y "
                    + "solo se puede usar una vez.",
                "Ábrelo solo si has pedido el cambio de dirección. Se cerrará la sesión en todos "
                    + "tus dispositivos.",
            ],
            link: ("Usar esta dirección", values[.link]), smallPrint: unwanted(values))
    }

    static func addressChanging(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "La dirección de tu cuenta está a punto de cambiar",
            paragraphs: [
                values[.greeting],
                "Alguien, probablemente tú, ha pedido que tu cuenta use otra dirección de correo. "
                    + "Cuando se confirme, ya no podrás iniciar sesión con esta.",
                "Si no has sido tú: inicia sesión cuanto antes, cierra las sesiones que no "
                    + "conozcas y revisa «Cómo puedes iniciar sesión».",
            ],
            smallPrint: ofAccount)
    }

    // MARK: The console

    static func consoleCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) es tu código para la consola de \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Tu código para entrar en la consola de operadores de \(values[.app]):",
            ],
            code: values[.code],
            afterCode: [
                "Es válido durante diez minutos y solo en el navegador donde lo has pedido. "
                    + "Introdúcelo solo en la página de la consola y no se lo digas a nadie."
            ],
            smallPrint: unasked(values))
    }
}
