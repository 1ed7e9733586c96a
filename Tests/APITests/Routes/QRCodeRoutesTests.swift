import Foundation
import QRCode
import Testing

@Suite("QR codes of families")
struct QRCodeRoutesTests {
    static let home = Result { try Site().home() }

    @Test("SVG and PNG contain the join link")
    func pictures() throws {
        let home = try Self.home.get()
        let expected = try QRCode(Site.publicURL + "/join?code=\(home.code)")
        let svg = try home.player.get("/api/family/\(home.id)/qr.svg")
        #expect(svg.status == 200 && svg.headers["content-type"] == "image/svg+xml")
        #expect(svg.body == Array(expected.svg.utf8))
        let png = try home.player.get("/api/family/\(home.id)/qr.png")
        #expect(png.status == 200 && png.headers["content-type"] == "image/png")
        #expect(png.body == (try expected.png(scale: 8)))
    }

    @Test("a client that does not accept the image type gets 406")
    func accept() throws {
        let home = try Self.home.get()
        let path = "/api/family/\(home.id)/qr.png"
        for (accept, status) in [
            ("image/*", 200), ("image/avif,image/webp,*/*;q=0.8", 200), ("image/svg+xml", 406),
            ("image/png;q=0, */*", 406), ("nonsense", 200),
        ] {
            let answer = try home.admin.send("GET", path, headers: ["Accept": accept])
            #expect(answer.status == status, "\(accept)")
        }
    }
}
