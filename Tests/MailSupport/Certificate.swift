package import Foundation

/// A self-signed certificate for 127.0.0.1.
package struct Certificate {
    package let path: String
    package let keyPath: String

    package init(in folder: URL) throws {
        path = folder.appendingPathComponent("certificate.pem").path
        keyPath = folder.appendingPathComponent("key.pem").path
        let program = try ChildProgram(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", keyPath, "-out", path,
            ], errors: .nullDevice)
        _ = try program.wholeOutput()
    }
}
