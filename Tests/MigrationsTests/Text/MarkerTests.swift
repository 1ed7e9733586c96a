import Testing

@testable import Migrations

/// Markers of goose, dbmate and similar tools.
struct MarkerTests {
    private func script(_ sql: String) throws -> Script { try Script(SourceText(sql)) }

    private func refusals(_ sql: String) throws -> [String] {
        try Refusals.found(in: script(sql), file: "f.sql").map { "\($0.line) \($0.rule.rawValue)" }
    }

    @Test(
        "markers of goose and dbmate have the same meaning as in those tools",
        arguments: [
            "-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT 2;",
            "--+goose up\nSELECT 1;\n--  +GOOSE  DOWN  \nSELECT 2;",
            "-- why\n\n-- +goose Up\nSELECT 1\n-- +goose Down\nSELECT '",
            "-- migrate:up\nSELECT 1;\n-- migrate:down\nSELECT 2;",
            "--migrate:up transaction:true\nSELECT 1;\n--   migrate:down transaction:false\n",
            "-- +goose ENVSUB OFF\n-- +goose Up\nSELECT 1;",
            "-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n-- +goose StatementEnd",
        ])
    func understood(_ sql: String) throws {
        #expect(try refusals(sql) == [])
        let script = try script(sql)
        #expect(script.statements.map(\.text) == ["SELECT 1"])
        #expect(script.isTransactional)
    }

    @Test(
        "a file that is marked to run outside a transaction runs outside one",
        arguments: [
            "-- +goose NO TRANSACTION\n-- +goose Up\nVACUUM;",
            "-- +goose Up\nVACUUM;\n-- +goose Down\n-- +goose no transaction\n",
            "-- migrate:up transaction:false\nVACUUM;\n-- migrate:down",
        ])
    func withoutTransaction(_ sql: String) throws {
        #expect(try refusals(sql) == [])
        #expect(try !script(sql).isTransactional)
    }

    @Test(
        "markers that the tools refuse, or that can't be honoured, are refused with their line",
        arguments: [
            "SELECT 1;\n-- migrate:up\nSELECT 2;",
            "-- migrate:up\n -- migrate:down\nDROP TABLE t;",
            "-- migrate:up\n-- Migrate:Down\nDROP TABLE t;",
            "-- migrate:up\n---- migrate:down\nDROP TABLE t;",
            "-- migrate:up\nSELECT 1; -- migrate:down\nDROP TABLE t;",
            "-- migrate:up\n-- migrate:up\nSELECT 1;",
            "-- x\n-- migrate:down\nDROP TABLE t;",
            "-- migrate:up\nSELECT 1;\n-- migrate:down;\nDROP TABLE t;",
            "-- migrate:up\nSELECT 1;\n-- migrate:rollback\nDROP TABLE t;",
            "-- migrate:up\nSELECT 1;\n-- migrate:rollback transaction:false\nDROP TABLE t;",
            "-- migrate:up\nSELECT 1;\n/* migrate:down */\nDROP TABLE t;",
            "SELECT 1;\n-- migrate:up;\nSELECT 2;",
            "-- +goose Up\nSELECT 1;\n-- + goose Down\nDROP TABLE t;",
            "-- +goose Up\nSELECT 1;\n-- goose Down\nDROP TABLE t;",
            "-- +goose Up\nSELECT 1;\n-- goose:down;\nDROP TABLE t;",
            "-- +goose Up\nSELECT 1;\n/* +goose Down */\nDROP TABLE t;",
            "\n/*\n-- +goose Down\n*/ DROP TABLE t",
            "-- x\n-- migrate:up transaction:no\nSELECT 1;",
            "-- migrate:up\n/*\n-- migrate:down\n*/ DROP TABLE t;",
            "-- migrate:up\nSELECT '\n-- migrate:down\n'; DROP TABLE t;",
            "-- migrate:up\n-- +goose Down\nDROP TABLE t;",
            "-- x\n-- +goose Down\nDROP TABLE t;",
            "-- +goose Up\n  -- +goose Down\nDROP TABLE t;",
            "-- +goose Up\n-- +goose Sideways\nDROP TABLE t;",
            "-- +goose Up\n-- +goose ENVSUB ON\nSELECT '${X}';",
            "-- +goose Up\n-- +goose StatementBegin\nSELECT 1;",
            "-- +goose Up\n-- +goose StatementEnd\nSELECT 1;",
            "-- +goose Up\nSELECT\n-- +goose StatementBegin\n1;\n-- +goose StatementEnd",
            "SELECT 1;\n-- +goose Up\nSELECT 1;",
            "SELECT 1;\n-- Down\nDROP TABLE t;", "SELECT 1;\n-- ==== DOWN ====\nDROP TABLE t;",
            "SELECT 1;\n--//@UNDO\nDROP TABLE t;", "SELECT 1;\n-- rambler down\nDROP TABLE t;",
            "SELECT 1;\n-- rollback\nDROP TABLE t;", "SELECT 1;\n--rollback drop table t;\n",
            "SELECT 1;\n-- atlas:txmode none\n", "SELECT 1;\n-- flyway:executeInTransaction=false",
            "\n-- Revert shop:users from pg\nDROP TABLE t;",
            "-- upgrade --\nSELECT 1;\n-- downgrade --\nDROP TABLE t;",
            "-- +mig Up\nSELECT 1;\n-- +mig Down\nDROP TABLE t;",
            "-- forward\nSELECT 1;\n-- backward\nDROP TABLE t;",
            "SELECT 1;\n-- backwards:\nDROP TABLE t;", "SELECT 1;\n-- teardown\nDROP TABLE t;",
            "SELECT 1;\n/* DOWN */\nDROP TABLE t;",
            "SELECT 1;\n/*\n * Rollback\n */\nDROP TABLE t;",
            "-- +goose Up\nSELECT 1;\n-- Down +goose\nDROP TABLE t;",
            "-- +goose Up\nSELECT 1;\n-- \u{FEFF}+goose Down\nDROP TABLE t;",
        ])
    func refused(_ sql: String) throws {
        let found = try refusals(sql)
        #expect(found.count >= 1 && found.allSatisfy { $0.hasSuffix(" other-tool") }, "\(found)")
        #expect(found.contains { Int($0.prefix { $0 != " " }) ?? 0 >= 2 }, "\(found)")
    }

    @Test("a goose block with two statements can't run outside a transaction")
    func block() throws {
        let block =
            "-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\nSELECT 2;\n"
            + "-- +goose StatementEnd\n"
        #expect(try refusals(block) == [])
        #expect(try refusals("-- +goose NO TRANSACTION\n" + block) == ["3 other-tool"])
    }

    @Test(
        "ordinary comments have no effect",
        arguments: [
            "-- scale down\nSELECT 1", "-- This goes up and down.\nSELECT 1",
            "-- rollback is not possible here\nSELECT 1", "-- migrate: the data move\nSELECT 1",
            "-- up\nSELECT 1", "SELECT '\n-- migrate:down\n'",
            "-- migrate:data to the new table\nSELECT 1",
            "-- changeset of March\nSELECT 1", "-- shut down the queue\nSELECT 1",
            "-- liquibase had made it\nSELECT 1", "-- upgrade --\nSELECT 1",
            "/* This can be rolled back, or taken down. */ SELECT 1",
            "-- downgrade of a plan\nSELECT 1",
            "/* down payments */ SELECT 1",
            // Comments for linters.
            "-- atlas:nolint\nSELECT 1", "-- atlas:nolint destructive DS103\nSELECT 1",
            "-- squawk-ignore ban-drop-column\nSELECT 1", "-- sqlfluff:dialect:postgres\nSELECT 1",
            "-- noqa: disable=all\nSELECT 1", "-- eugene: ignore E9\nSELECT 1",
            // Statements that were commented out.
            "-- ROLLBACK;\nSELECT 1", "-- BEGIN;\nSELECT 1\n-- ROLLBACK;\n-- COMMIT;",
            "/* ROLLBACK; */ SELECT 1", "--rollback ;\nSELECT 1",
        ])
    func comments(_ sql: String) throws {
        #expect(try refusals(sql) == [])
        #expect(try script(sql).statements.count == 1)
    }
}
