/// A right of an API key. The raw values are those of the table `app.api_keys`.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Reads families.
    case familiesRead = "families:read"
    /// Reads the members of families, with the guardians of children.
    case membersRead = "members:read"
    /// Reads people, and finds them by a provider's subject.
    case peopleRead = "people:read"
    /// Adds e-mail addresses to the people and members that a key may read.
    case peopleAddresses = "people:addresses"
    /// Invites people into families.
    case invitationsWrite = "invitations:write"
    /// Reads the events of webhooks.
    case eventsRead = "events:read"
}
