import Postgres
import Testing

@Suite("SQLSTATEs")
struct SQLStateTests {
    @Test("a text that is not five characters long is not an SQLSTATE")
    func otherLengths() {
        #expect(SQLState("23505") == "23505" && SQLState("23505").description == "23505")
        for text in ["", "2350", "23505x", "é2350"] {
            #expect(SQLState(text) != "23505" && SQLState(text) != "2350x", "\(text)")
        }
    }
}
