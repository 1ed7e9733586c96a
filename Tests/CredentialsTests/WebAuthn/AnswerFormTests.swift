import Crypto
import JSON
import PasskeySupport
import Testing

@testable import Credentials

@Suite("Malformed WebAuthn responses") struct AnswerFormTests {
    /// Returns the JSON of a response in which one member is replaced or removed.
    private func changed(
        _ credential: JSONValue, _ path: [String], _ value: JSONValue?
    ) -> JSONValue {
        guard case .object(let object) = credential, let name = path.first else {
            return value ?? .null
        }
        var members: [JSONObject.Member] = []
        for member in object.members {
            if member.name != name {
                members.append(member)
            } else if path.count > 1 {
                members.append(
                    .init(name: name, value: changed(member.value, Array(path.dropFirst()), value)))
            } else if let value {
                members.append(.init(name: name, value: value))
            }
        }
        return .object(JSONObject(members))
    }

    private func refusal(_ credential: JSONValue, isNew: Bool) -> WebAuthnRefusal? {
        do throws(WebAuthnRefusal) {
            let field = JSONField(credential, path: "credential")
            if isNew {
                _ = try RegistrationResponse(field)
            } else {
                _ = try AssertionResponse(field)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("a refusal names the response's missing member, or the one with an unusable value")
    func members() throws {
        let passkey = try passkey()
        let answers = [
            (try passkey.registration(challenge), true, ["attestationObject"]),
            (try passkey.assertion(challenge), false, ["authenticatorData", "signature"]),
        ]
        for (answer, isNew, own) in answers {
            #expect(refusal(answer, isNew: isNew) == nil)
            let paths =
                [["id"], ["type"], ["response"], ["response", "clientDataJSON"]]
                + own.map { ["response", $0] }
            for path in paths {
                for value: JSONValue? in [nil, .null, 1, "", "not base64url!", "AA==", ["AA"], [:]]
                {
                    let refusal = refusal(changed(answer, path, value), isNew: isNew)
                    guard case .malformed(let part, _)? = refusal else {
                        Issue.record("\(path): \(String(describing: refusal))")
                        continue
                    }
                    #expect(part.hasPrefix((["credential"] + path).joined(separator: ".")))
                }
            }
        }
    }

    @Test("an id that differs from the raw id is refused")
    func ids() throws {
        let answer = try passkey().assertion(challenge)
        #expect(refusal(changed(answer, ["rawId"], "AQID"), isNew: false) == .wrongCredential)
        #expect(refusal(changed(answer, ["rawId"], nil), isNew: false) == nil)
    }

    @Test("transports must be a short list of words")
    func transports() throws {
        let answer = try passkey().registration(challenge)
        let path = ["response", "transports"]
        #expect(refusal(changed(answer, path, nil), isNew: true) == nil)
        #expect(refusal(changed(answer, path, []), isNew: true) == nil)
        for value: JSONValue in [
            "usb", [1], ["USB"], [""], ["a b"], .array(Array(repeating: "usb", count: 9)),
            [.string(String(repeating: "x", count: 33))],
        ] {
            #expect(
                refusal(changed(answer, path, value), isNew: true)
                    == .malformed(
                        "credential.response.transports",
                        expected: "a list of up to 8 lower-case words"))
        }
    }

    @Test("a truncated response is refused")
    func truncation() throws {
        for algorithm in CredentialKey.Algorithm.allCases {
            let answer = try passkey(algorithm).registration(challenge)
            guard
                case .string(let text)? = try JSONField(answer)["response"]["attestationObject"]
                    .value, let whole = Base64URL.decode(text)
            else {
                Issue.record("no attestation object")
                return
            }
            for count in 0..<whole.count {
                #expect(throws: WebAuthnRefusal.self) {
                    try AttestationObject(Array(whole.prefix(count)))
                }
            }
            #expect(throws: WebAuthnRefusal.self) { try AttestationObject(whole + [0]) }
            #expect(throws: Never.self) { try AttestationObject(whole) }
        }
    }

    @Test("malformed, weak and unsupported keys are refused")
    func keys() throws {
        func refusal(_ key: CBORWriter) -> WebAuthnRefusal? {
            do throws(WebAuthnRefusal) {
                _ = try CredentialKey(key.encoded)
                return nil
            } catch {
                return error
            }
        }
        let zeros = CBORWriter.bytes([UInt8](repeating: 0, count: 32))
        let ec = { (x: CBORWriter, y: CBORWriter) in
            CBORWriter.map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), x),
                (.int(-3), y),
            ])
        }
        let rsa = { (n: [UInt8], e: [UInt8]) in
            CBORWriter.map([
                (.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes(n)),
                (.int(-2), .bytes(e)),
            ])
        }
        #expect(refusal(.map([(.int(1), .int(2)), (.int(3), .int(-35))])) == .unknownAlgorithm)
        #expect(refusal(.map([(.int(1), .int(4)), (.int(3), .int(5))])) == .unknownAlgorithm)
        for key in [
            ec(zeros, zeros),
            .map([
                (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), zeros),
            ]),
            rsa([0x80] + [UInt8](repeating: 1, count: 127), [1, 0, 1]),
            rsa([0x80] + [UInt8](repeating: 1, count: 383), [1, 0, 1]),
            rsa([0x80] + [UInt8](repeating: 1, count: 255), [3]),
        ] {
            guard case .unsoundKey? = refusal(key) else {
                Issue.record("\(String(describing: refusal(key)))")
                continue
            }
        }
        for key in [
            CBORWriter.map([]), .int(1), ec(zeros, .int(1)), rsa([], []),
            .map([(.int(1), .int(3)), (.int(3), .int(-7))]),
            .map([
                (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(2)), (.int(-2), zeros),
                (.int(-3), zeros),
            ]),
        ] {
            switch refusal(key) {
            case .malformed("credentialPublicKey", _)?, .unsoundKey?: break
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        let sound = try passkey().pair.coseKey()
        guard case .map(let entries) = sound else { return }
        #expect(refusal(sound) == nil)
        guard case .malformed? = refusal(.map(entries + [(.int(2), .bytes([1]))])) else {
            Issue.record("a key with an id of its own")
            return
        }
    }
}
