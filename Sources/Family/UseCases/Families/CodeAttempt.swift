import Domain
import Postgres
import Repositories

/// An attempt at a family code: counted first, then made.
///
/// The attempt is counted in a transaction of its own before the code is looked up, and taken back
/// if the code was valid. No failure is therefore ever lost.
struct CodeAttempt {
    let code: FamilyCode
    let client: ClientAddress

    /// - Throws: ``Refusal``: `codeMalformed`, which doesn't count.
    init(_ typedCode: String, from client: ClientAddress) throws(Refusal) {
        guard let code = FamilyCode(typedCode) else { throw Refusal(.codeMalformed) }
        self.code = code
        self.client = client
    }

    /// Counts the attempt and makes it by `statement`.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts`; then nothing was looked up.
    func make<Row>(
        _ statement: Statement<Row, String, String?, String?>, by caller: Caller,
        in database: Database
    ) throws -> Row {
        try database.count(by: caller) {
            $0.add(CodeAttempts.reserve, code.text, client.address, client.network)
        }
        let row = try database.request(by: caller, writes: true) { batch in
            let row = batch.add(statement, code.text, client.address, client.network)
            return { answers, _ in try answers.row(row) }
        }
        // Whatever the result, the function has taken the count back or kept it.
        caller.keyed?.commitRefusals()
        return row
    }
}
