import Domain
import Foundation
import TestSupport
import Testing
import UseCases

@testable import API

/// Tests that SQL functions, Swift code and the error table use the same refusal codes.
@Suite("Refusals")
struct RefusalTests {
    /// Contents of the files below a folder, without comments.
    private static func texts(_ folder: String, _ kind: String) throws -> [String: String] {
        let url = SourceTree.root.appendingPathComponent(folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        let comment = kind == "sql" ? "--" : "//"
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasSuffix(".\(kind)") }.map { name in
                let text = try String(
                    contentsOf: url.appendingPathComponent(name), encoding: .utf8)
                let lines = text.split(separator: "\n").filter {
                    !$0.drop { $0 == " " }.hasPrefix(comment)
                }
                return (name, lines.joined(separator: "\n"))
            })
    }

    private struct Raised {
        let file: String
        let status: Int
        let code: String
    }

    private static func raised() throws -> [Raised] {
        let refusal = /(?:refuse\(\s*'HF(\d+)',|ERRCODE = 'HF(\d+)', CONSTRAINT =)\s*'([a-z_]+)'/
        return try texts("sql", "sql").filter { !$0.key.hasPrefix("schema") }
            .flatMap { file, text in
                let found = text.matches(of: refusal).map { match in
                    Raised(
                        file: file,
                        status: (match.output.1 ?? match.output.2).flatMap { Int($0) } ?? 0,
                        code: String(match.output.3))
                }
                #expect(found.count == text.ranges(of: "'HF").count, "\(file)")
                return found
            }
    }

    @Test("SQL raises each code with the SQLSTATE of its status in the error table")
    func states() throws {
        let ofOperators: [OperatorRefusalCode: Int] = [
            .notAnOperator: 403, .roleDoesNotAllow: 403, .userNotFound: 404,
            .exportNotBegun: 409,
            .auditMonthOpen: 409, .auditNotExported: 409, .addressSuppressed: 409,
            .lastAdmin: 409, .operatorExists: 409, .operatorNotFound: 404,
            .webhookNotFound: 404, .webhookChanged: 409,
            .apiKeyNotFound: 404, .apiKeyExists: 409, .apiKeyExpired: 409, .apiKeyRotating: 409,
            .guardianChanged: 409,
        ]
        let raised = try Self.raised()
        #expect(raised.count > 60)
        for refusal in raised {
            let status =
                RefusalCode(rawValue: refusal.code)?.response.status
                ?? OperatorRefusalCode(rawValue: refusal.code).flatMap { ofOperators[$0] }
            #expect(status == refusal.status, "\(refusal)")
        }
        for code in ofOperators.keys {
            #expect(raised.contains { $0.code == code.rawValue }, "\(code)")
        }
        // Only one function refuses to remove oneself, with the advice to leave instead.
        #expect(raised.filter { $0.code == RefusalCode.oneself.rawValue }.count == 1)
    }

    @Test("no message of SQL functions and use cases names a command of hearth-admin")
    func neutral() throws {
        let functions = try Self.texts("sql/functions", "sql")
        let useCases = try Self.texts("Sources/Family/UseCases", "swift")
        #expect(functions.count > 50 && useCases.count > 50)
        for (file, text) in functions.merging(useCases, uniquingKeysWith: { $1 }) {
            #expect(!text.contains("hearth-admin ") && !text.contains("--reassign"), "\(file)")
        }
    }

    @Test("every refusal code is raised by SQL, the policy or a use case")
    func used() throws {
        let answers = try Self.texts("sql/functions", "sql").values.joined()
        let useCases = try Self.texts("Sources/Family/UseCases", "swift")
        let endpoints = try Self.texts("Sources/Family/API", "swift").values.joined()
        let deeds = useCases.values.joined()
        for code in RefusalCode.allCases where !RefusalCode.ofPolicy.contains(code) {
            let isThrown = try Regex("\\.\(code)\\b")
            // The last pattern matches calls of `Problem.field`.
            let isTold = try Regex(
                "(?:Refusal|Problem)\\(\\s*\\.\(code)\\b|\", \\.\(code)\\)")
            #expect(
                answers.contains("'\(code.rawValue)'") || deeds.contains(isThrown)
                    || endpoints.contains(isTold), "\(code)")
        }
        let commands = useCases.filter { $0.key != "Operators/OperatorRefusalCode.swift" }
            .merging(try Self.texts("Sources/Programs/hearth-admin", "swift")) { $1 }
        for code in OperatorRefusalCode.allCases {
            #expect(RefusalCode(rawValue: code.rawValue) == nil, "\(code)")
            let isTold = try Regex("\\.\(code)\\b")
            #expect(
                answers.contains("'\(code.rawValue)'")
                    || commands.values.contains { $0.contains(isTold) }, "\(code)")
        }
    }

    @Test("every refusal code is unique, and at least one route returns it")
    func once() {
        #expect(Set(ProblemCode.allCases.map(\.rawValue)).count == ProblemCode.allCases.count)
        let told = Set(Routes.table.flatMap(\.problems))
        for code in RefusalCode.allCases {
            #expect(told.contains(.refusal(code)), "\(code)")
        }
    }

    @Test("every field that SQL refuses exists in the API")
    func fields() throws {
        let names = Set(Routes.table.flatMap { $0.operation.inputs.map(\.declaration.name) })
        let fields = try Self.texts("sql/functions", "sql").values.flatMap { text in
            text.matches(of: /PERFORM app\.refuse_field\(\s*'(\w+)'/).map { String($0.output.1) }
        }
        #expect(fields.count > 8)
        // Only `hearth-admin` and the console send these.
        #expect(
            Set(fields).subtracting(names) == [
                "before", "error", "expires", "name", "operator", "overlap", "queue", "reason",
            ])
        // All other fields are refused through that function, which reports the field.
        let raised = try Self.raised().filter { $0.code == RefusalCode.invalidField.rawValue }
        #expect(raised.map(\.file) == ["functions/refusals.sql"])
    }
}
