import Identity
import Testing

@testable import API

@Suite("Unused keys of issuers")
struct IssuerKeyTests {
    @Test("unused keys are logged as warnings and counted by reason")
    func noted() throws {
        let site = try Site()
        let set = try JSONWebKeySet(
            parsing: Array(
                #"""
                {"keys": [{"kty": "RSA", "kid": "s3cret"}, {"kty": "new"}, {"kty": "newer"},
                  {"kty": "OKP", "crv": "Ed25519",
                   "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
                """#.utf8))
        site.services.issuerKeyMeters.record(
            .renewed(keyCount: set.keys.count, ignored: set.ignored))
        let metrics = String(decoding: try site.send("GET", "/metrics").body, as: UTF8.self)
        for (reason, count) in [("malformed", 1), ("unsuitable", 2), ("private", 0)] {
            let line = "hearth_issuer_keys_ignored_total{reason=\"\(reason)\"} \(count)\n"
            #expect(metrics.contains(line), "\(reason)")
        }
        site.services.log.flush()
        let log = site.lines.text
        #expect(log.contains(#""reason":"malformed","error":"`keys[0].n` is missing"#), "\(log)")
        #expect(log.contains(#""reason":"unsuitable","error":"`keys[1]` is not for RS256"#))
        #expect(!log.contains("s3cret"))
    }
}
