import Domain
import QRCode
import UseCases

/// A family's join link as a QR code: generated on request, never stored.
enum QREndpoints {
    private static let refusals: [RefusalCode] =
        .inFamily + [.visitorsOnlyRead, .codeExpired]

    static let svg = Operation(
        "readQRCodeSVG", "The family's join link as a QR code, as SVG.",
        inputs: [Inputs.family], responses: [.media("image/svg+xml", "The QR code.")],
        refusals: refusals
    ) { services, call in
        let code = try code(services, call)
        return Reply(status: 200, mediaType: "image/svg+xml", body: Array(code.svg.utf8))
    }

    /// Pixels per module in the PNG, for an image of about 300 pixels.
    private static let scale = 8

    static let png = Operation(
        "readQRCodePNG", "The family's join link as a QR code, as PNG.",
        inputs: [Inputs.family],
        responses: [
            .media(
                "image/png", schema: Schema(["contentMediaType": "image/png"]), "The QR code.")
        ],
        refusals: refusals
    ) { services, call in
        let code = try code(services, call)
        return Reply(status: 200, mediaType: "image/png", body: try code.png(scale: scale))
    }

    private static func code(_ services: Services, _ call: Call) throws -> QRCode {
        let family = try services.codes.read(
            by: call.context, family: call[Inputs.family])
        guard let code = FamilyCode(family.code) else { throw Refusal(.codeExpired, .noCode) }
        return try QRCode(services.site.joinLink(code))
    }
}
