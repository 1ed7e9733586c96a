import Testing
import UseCases

/// Keys for invitations' tokens: the first byte of each tells them apart, the newest first.
func testKeys(_ first: [UInt8] = [1]) throws -> InvitationKeys {
    try #require(try InvitationKeys(first.map { [$0] + [UInt8](repeating: 7, count: 31) }))
}
