import HearthClient
import Testing

@Suite("Profile session")
struct ProfileSessionTests {
    private let own = SwitchableProfile(
        userID: UserID("u1"), displayName: "Eva", isManaged: false)
    private let max = SwitchableProfile(
        userID: UserID("managed_1"), displayName: "Max", isManaged: true,
        guardianID: UserID("u1"))
    private let mia = SwitchableProfile(
        userID: UserID("managed_2"), displayName: "Mia", isManaged: true,
        guardianID: UserID("u1"))

    private func session() -> ProfileSession {
        let session = ProfileSession()
        session.updateProfiles(authenticatedUser: own, managedMembers: [max, mia])
        return session
    }

    @Test("a new session acts as the authenticated user, without acting for a child")
    func beginning() {
        #expect(ProfileSession().activeProfile == .placeholder)
        let session = session()
        #expect(session.activeProfile == own && session.actingAs == nil)
        #expect(!session.isActingAsManaged && session.managedProfiles == [max, mia])
        #expect(
            session.availableProfiles.map(\.typeLabel) == ["You", "Family Member", "Family Member"])
    }

    @Test("switching to a child, to another child and back changes the active profile")
    func switching() {
        let session = session()
        #expect(session.switchProfile(to: max))
        #expect(session.isActingAsManaged && session.actingAs == max.userID)
        #expect(session.switchProfile(to: mia) && session.activeProfile == mia)
        session.resetToAuthenticatedUser()
        #expect(session.activeProfile == own && session.actingAs == nil)
        #expect(session.switchProfile(to: max) && session.switchProfile(to: own))
        #expect(!session.isActingAsManaged)
    }

    @Test("a child's profile names its membership, and the caller's own names none")
    func membership() {
        #expect(max.memberID == MemberID("managed_1") && max.id == max.userID)
        #expect(own.memberID == nil && own.id == UserID("u1"))
    }

    @Test("switching to an unavailable profile is refused")
    func strangers() {
        let session = session()
        let stranger = SwitchableProfile(
            userID: UserID("managed_9"), displayName: "Nobody", isManaged: true)
        #expect(!session.switchProfile(to: stranger) && session.activeProfile == own)
    }

    @Test("the session returns to the authenticated user silently when the child is gone")
    func gone() {
        let session = session()
        session.switchProfile(to: max)
        session.updateProfiles(authenticatedUser: own, managedMembers: [mia])
        #expect(session.activeProfile == own && session.actingAs == nil)
    }

    @Test("a child whose name changed stays active, with the new name")
    func renamed() {
        let session = session()
        session.switchProfile(to: max)
        let maximilian = SwitchableProfile(
            userID: max.userID, displayName: "Maximilian", isManaged: true)
        session.updateProfiles(authenticatedUser: own, managedMembers: [maximilian, mia])
        #expect(session.activeProfile == maximilian)
    }

    @Test("the stream of changes emits each active profile")
    func watching() async {
        let session = session()
        var changes = session.changes.makeAsyncIterator()
        #expect(await changes.next() == own)
        session.switchProfile(to: max)
        #expect(await changes.next() == max)
        session.switchProfile(to: mia)
        session.resetToAuthenticatedUser()
        #expect(await changes.next() == own)
    }

    @Test("the stream of changes ends when the session is deinitialised")
    func ending() async {
        var changes: AsyncStream<SwitchableProfile>.Iterator
        do {
            let session = session()
            changes = session.changes.makeAsyncIterator()
        }
        #expect(await changes.next() == own)
        #expect(await changes.next() == nil)
    }
}
