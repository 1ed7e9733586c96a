import Testing
import UseCases

/// Keys for the tokens of invitations, newest first. The first byte of each differs.
func testKeys(_ first: [UInt8] = [1]) throws -> InvitationKeys {
    try #require(try InvitationKeys(first.map { [$0] + [UInt8](repeating: 7, count: 31) }))
}
