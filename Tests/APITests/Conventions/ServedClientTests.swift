import Foundation
import TestSupport
import Testing

@testable import API

@Suite("The served TypeScript client")
struct ServedClientTests {
    @Test("/client.ts serves the declarations and the client in one file without imports")
    func typeScriptFile() throws {
        let answer = try Site().send("GET", "/client.ts")
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "text/typescript; charset=utf-8")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text == Reference.typeScript && text.hasPrefix(Reference.typeScriptDeclarations))
        #expect(!text.contains("\nimport ") && text.contains("export function createHearth"))
    }
}
