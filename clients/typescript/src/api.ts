// Types of Hearth's API, and the table of its operations.
// Generated from the API's declarations; don't edit.

export type AcceptedInvitation = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The family's id. */
  familyUnitId: string;
  /** The family that the caller, its only member, has left for this one. */
  leftFamilyId?: string;
};

export type Actor = {
  /** The id. */
  id: string;
  /** The person's name. */
  fullName: string | null;
};

export type AuditEntry = {
  /** The entry's id. */
  id: string;
  /** The time of the action. */
  at: string;
  /** The user id of the account that acted; null if the actor is not an account. */
  actorUserId: string | null;
  /** The actor, if it was not an account. */
  actorLabel: string | null;
  /** The user id of the person whom the action concerned. */
  subjectUserId: string | null;
  /** The name of the action; see permissions.md. */
  action: string;
  /** The id of the object of the action, such as a member. */
  targetId: string | null;
  /** Details, which depend on the action. */
  details: Record<string, unknown>;
};

export type AuditPage = {
  /** The entries, newest first. */
  entries: Array<AuditEntry>;
  /** The value for `cursor` to request the next page; null on the last page. */
  nextCursor: string | null;
};

export type AwaitedApproval = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The family's id. */
  familyId: string;
  /** The family's name. */
  familyName: string;
  /** Whether the person waits for the family's approval. */
  status: "invited";
  /** A message to show to people. */
  message: "Your request to join is waiting for approval";
};

export type BatchResult = {
  /** The status of the response; 424 if the operation was not tried. */
  status: number;
  /** Its headers. */
  headers: Record<string, unknown>;
  /** The body of the response; null if it has none. */
  body: unknown;
};

export type BatchResults = {
  /** The responses, in the order of the operations. */
  results: Array<BatchResult>;
};

export type Change = {
  /** The kind of the changed data. */
  kind: "family" | "member" | "invitation" | "receivedInvitation" | "profile" | "preferences" | "playerDetails" | "attributes";
  /** The id of the changed entity. */
  id: string;
  /** The family's id. */
  familyId: string | null;
  /** The version of the family, or of the person, that the entity belongs to. */
  version: number;
  /** The entity, in the form that its own route returns. */
  value?: ChangedValue;
  /** Always true: the entity is deleted, or no longer visible to the caller. */
  deleted?: boolean;
};

export type ChangedMembers = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The members. */
  members: Array<Member>;
};

export type ChangedValue = Family | Member | Invitation | ReceivedInvitation | OwnProfile | MemberPreferences | PlayerDetails | Record<string, unknown>;

export type CodePreview = {
  /** The family's name. */
  familyName: string;
  /** The number of active members. */
  memberCount: number;
  /** Whether the caller would wait for approval: this family requires it for people who join by its code, or at present every family does. */
  approvalRequired: boolean;
};

export type Consent = {
  /** The name of the purpose. */
  purpose: string;
  /** Whether the consent is in force. A required consent is in force only for the current version of the text. */
  given: boolean;
  /** The version of the text. */
  version: string | null;
  /** The user id of the guardian who gave the consent; null if none is in force. */
  givenBy: string | null;
  /** The time at which the consent was given; null if none is in force. */
  givenAt: string | null;
  /** The method by which the guardian proved the consent: by being signed in, or also by a mailed code. */
  method: "signed_in" | "email_code" | null;
  /** The version of the current text; null for a purpose that no longer exists. */
  currentVersion: string | null;
  /** Whether the child's preferences can be written only with this consent. */
  required: boolean;
  /** The title, once for each language. */
  title: Array<LocalText>;
  /** The text to show, once for each language. */
  text: Array<LocalText>;
};

export type Consents = {
  /** The purposes, each with the consent that was given. */
  consents: Array<Consent>;
};

export type CreatedFamily = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The family's id. */
  familyId: string;
  /** Empty if it has expired or the caller may not see it. */
  familyCode: string;
  /** The family's name. */
  familyName: string;
  /** A message to show to people. */
  message?: "Family already exists";
};

export type Delegation = {
  /** Send it as a bearer token. */
  access_token: string;
  /** The type of the token. */
  issued_token_type: "urn:ietf:params:oauth:token-type:access_token";
  /** The type of the token, which says how to send it. */
  token_type: "Bearer";
  /** The number of seconds for which the token is valid. */
  expires_in: number;
};

export type ErasureBlocker = {
  /** The kind of obstacle: the caller is a child's only guardian, or holds the Parent Admin's seat. */
  kind: "guardian_has_managed_members" | "transfer_admin_first";
  /** The family's id. */
  familyId: string;
  /** The child, or the caller's own membership. */
  memberId: string;
};

export type Families = {
  /** The caller's families. */
  families: Array<Family>;
};

export type Family = {
  /** The family's id. */
  familyId: string;
  /** Empty if it has expired or the caller may not see it. */
  familyCode: string;
  /** The family's name. */
  familyName: string;
  /** Empty if there is no code. */
  codeGeneratedAt: string;
  /** The time at which the code expires; null if it does not expire. */
  codeExpiresAt: string | null;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The role in the household, which determines the member's rights. */
  householdRole: "parent_admin" | "adult" | "kid" | "visitor";
  /** The member's id. */
  memberId: string;
  /** The number of active members. */
  memberCount: number;
  /** The maximum number of active members. */
  memberLimit: number;
  /** The user who created the family. */
  createdByUserId: string;
  /** Whether people who join by code wait for approval. */
  approvalRequired: boolean;
  /** The position of the family's home, in degrees; null if unknown. */
  homeLatitude: number | null;
  /** The position of the family's home, in degrees; null if unknown. */
  homeLongitude: number | null;
  /** The time at which it was created. */
  createdAt: string;
  /** The time of the last change. */
  updatedAt: string;
  /** The household roles below Parent Admin that the caller may choose for itself. */
  selectableRoles: Array<"parent_admin" | "adult" | "kid" | "visitor">;
  /** Whether the caller may claim the Parent Admin's seat. `free`: yes; `taken`: somebody has it, perhaps the caller; `reserved`: it is vacant, but the caller may not claim it. */
  parentAdmin: "free" | "taken" | "reserved";
};

export type Group = {
  /** The family's id. */
  group_id: string;
  /** The family's name. */
  name: string;
  /** The user who created the family. */
  created_by: string;
  /** The number of active members. */
  member_count: number;
  /** The time at which it was created. */
  created_at: string;
  /** The texts of the family's attribute `streaming_services`. */
  streaming_services: Array<string>;
  /** The members. */
  members: Array<GroupMember>;
};

export type GroupMember = {
  /** The user's id. */
  user_id: string;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  display_name: string;
  /** Empty unless the caller may see it. */
  email: string;
  /** The key of a picture; the app defines the keys. */
  avatar_key: string;
  /** `creator` for the person who created the family. */
  role: "creator" | "member";
  /** The time at which the membership began. */
  joined_at: string;
  /** Whether this is a child without an account. */
  is_managed: boolean;
  /** The primary guardian's user id; null for a member with an account. */
  parent_user_id: string | null;
  /** The guardians of a child without an account, the primary one first; empty for other members. */
  guardians: Array<Guardian>;
  /** The type of the profile: `managed` for a child without an account. */
  member_type: "independent" | "managed";
};

export type Guardian = {
  /** The user's id. */
  userId: string;
  /** The member's id. */
  memberId: string;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** Whether this is the child's primary guardian. */
  isPrimary: boolean;
  /** The time at which the person became a guardian. */
  since: string;
};

export type Identities = {
  /** The sign-in methods. */
  identities: Array<Identity>;
};

export type Identity = {
  /** The id. */
  id: string;
  /** The kind of the sign-in method. */
  kind: "issuer" | "email" | "password" | "passkey";
  /** The issuer of the exchanged token; null if the session began without one. */
  issuer: string | null;
  /** The e-mail address. */
  email: string | null;
  /** The time at which the person became a guardian. */
  since: string;
};

export type Invitation = {
  /** The invitation's id. */
  id: string;
  /** The family's id. */
  family_unit_id: string;
  /** The inviter's user id; empty for an API key. */
  invited_by: string;
  /** The invited address; empty for a link. */
  invited_email: string;
  /** The effect of accepting: `member` makes the account a new member; with `graduation` it takes over the membership of a child without an account. */
  kind: "member" | "graduation";
  /** For a graduation, the child whose membership the accepting account takes over; null for other invitations. */
  member_id: string | null;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The role in the household, which determines the member's rights. */
  household_role: "parent_admin" | "adult" | "kid" | "visitor";
  /** The token of the link; never shown in lists. */
  token: "";
  /** The state of the invitation. */
  status: "pending" | "accepted" | "declined" | "revoked" | "expired";
  /** How the invitation reaches the person: by e-mail or by a link. */
  delivery: "email" | "link";
  /** The status of the e-mail: `failed` if it could not be delivered. */
  delivery_status: string | null;
  /** The time at which the invitation expires. */
  expires_at: string;
  /** The time at which it was created. */
  created_at: string;
  /** The time at which it was accepted. */
  accepted_at: string | null;
};

export type InvitationPreview = {
  /** The invitation's id. */
  invitationId: string;
  /** Masked unless the caller has this address; empty for a link. */
  email: string;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The family's name. */
  familyName: string;
  /** The inviter's name; may be empty. */
  inviterName: string;
  /** The time at which the invitation expires. */
  expiresAt: string;
  /** The effect of accepting: `member` makes the account a new member; with `graduation` it takes over the membership of a child without an account. */
  kind: "member" | "graduation";
};

export type Invitations = {
  /** The pending invitations. */
  invitations: Array<Invitation>;
  /** The value for `cursor` to request the next page; null on the last page. */
  nextCursor: string | null;
};

/** An object whose fields the client defines. */
export type JSONDocument = Record<string, unknown>;

export type JoinRequest = {
  /** The family's id. */
  familyId: string;
  /** The family's name. */
  familyName: string;
  /** The side on which the caller enters the family if the request is approved. */
  role: "player" | "parent";
  /** The time at which the caller asked to join. */
  requestedAt: string;
};

export type JoinedFamily = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The family's id. */
  familyId: string;
  /** The family's name. */
  familyName: string;
  /** A message to show to people. */
  message: "Successfully joined family";
  /** The family that the caller, its only member, has left for this one. */
  leftFamilyId?: string;
};

export type ListedSession = {
  /** The id. */
  id: string;
  /** The method by which the person signed in. */
  method: "exchange" | "email" | "password" | "passkey";
  /** The issuer of the exchanged token; null if the session began without one. */
  issuer: string | null;
  /** The name of the device in the list of sessions. */
  device: string | null;
  /** The time at which the person signed in. */
  startedAt: string;
  /** The time at which the session was last used to get a new token. */
  lastUsedAt: string;
  /** The time at which the session ends unless it is continued. */
  endsAt: string;
  /** The app's session that opened this one in a browser; null if the person signed in. */
  openedBy: string | null;
  /** Whether this is the session of the request's token. */
  isCurrent: boolean;
};

export type LocalText = {
  /** The language; `und` for a text without one. */
  language: string;
  /** The text in this language. */
  text: string;
};

export type Member = {
  /** The member's id. */
  id: string;
  /** The family's id. */
  family_unit_id: string;
  /** The user's id. */
  user_id: string;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The role in the household, which determines the member's rights. */
  household_role: "parent_admin" | "adult" | "kid" | "visitor";
  /** The state of the membership. A person with `invited` waits for approval. */
  status: "active" | "invited" | "removed";
  /** The time at which the membership began. */
  added_at: string;
  /** Whether this is a child without an account. */
  is_managed: boolean;
  /** The primary guardian's user id; null for a member with an account. */
  parent_user_id: string | null;
  /** The guardians of a child without an account, the primary one first; empty for other members. */
  guardians: Array<Guardian>;
  /** The type of the profile: `managed` for a child without an account. */
  member_type: "independent" | "managed";
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  display_name: string;
  /** The key of a picture; the app defines the keys. */
  avatar_key: string;
  /** The https address of a picture. */
  avatar_url: string | null;
  /** The time at which it was created. */
  created_at: string;
  /** The time of the last change. */
  updated_at: string;
  /** The person behind the membership. */
  users: MemberUser;
  /** The conflict between two changes of a household role: one came too late, or was undone. */
  conflict?: RoleConflict;
};

export type MemberPreferences = {
  /** The user id of the owner of the preferences. */
  user_id: string;
  /** The family's id. */
  group_id: string;
  /** The stored object. */
  preferences: Record<string, unknown>;
  /** The time of the last change. */
  updated_at: string | null;
  [name: string]: unknown;
};

export type MemberUser = {
  /** The id. */
  id: string;
  /** Empty unless the caller may see it. */
  email: string;
  /** The person's name. */
  full_name: string | null;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
};

export type Members = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The family's id. */
  familyId: string;
  /** The members. */
  members: Array<Member>;
  /** The number of elements in the list. */
  count: number;
  /** The value for `cursor` to request the next page; null on the last page. */
  nextCursor: string | null;
  /** The household roles below Parent Admin that the caller may choose for itself. */
  selectableRoles: Array<"parent_admin" | "adult" | "kid" | "visitor">;
  /** Whether the caller may claim the Parent Admin's seat. `free`: yes; `taken`: somebody has it, perhaps the caller; `reserved`: it is vacant, but the caller may not claim it. */
  parentAdmin: "free" | "taken" | "reserved";
};

export type MissingConsent = {
  /** The name of the purpose. */
  purpose: string;
  /** The version of the current text. */
  version: string;
};

export type NoGroup = {
  /** Null if the caller has no family. */
  group: null;
};

export type OverwrittenChange = {
  /** The role in the household, which determines the member's rights. */
  household_role?: string;
  /** The member who made the other change. */
  by?: string;
  /** The time at which the change was made. */
  at: string;
};

export type OwnConsent = {
  /** The name of the purpose. */
  purpose: string;
  /** Whether the consent is in force. A required consent is in force only for the current version of the text. */
  given: boolean;
  /** The version of the text. */
  version: string | null;
  /** The time at which the consent was given; null if none is in force. */
  givenAt: string | null;
  /** The method by which the consent was proved; null if no consent is in force. */
  method: "self" | null;
  /** The version of the current text; null for a purpose that no longer exists. */
  currentVersion: string | null;
  /** Whether every account is asked for this consent. */
  required: boolean;
  /** The permissions that the account lacks while this consent is missing. */
  refuses: Array<string>;
  /** The title, once for each language. */
  title: Array<LocalText>;
  /** The text to show, once for each language. */
  text: Array<LocalText>;
};

export type OwnConsents = {
  /** The purposes, each with the consent that was given. */
  consents: Array<OwnConsent>;
};

export type OwnProfile = {
  /** The id. */
  id: string;
  /** The e-mail address. */
  email: string;
  /** The person's name. */
  fullName: string | null;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** Whether the caller's role is a default, `parent`, because nobody has stated it. `PATCH /api/me` can then set it once, even while the caller is in a family. */
  roleIsDefault: boolean;
  /** The key of a picture; the app defines the keys. */
  avatarKey: string;
  /** The https address of a picture. */
  avatarUrl: string | null;
  /** The language of e-mails to the account, by its tag (RFC 5646); null if none is known. */
  locale: string | null;
  /** Whether this is a child without an account. */
  isManaged: boolean;
  /** The caller's requests to join that wait for a family's approval, the oldest first. `DELETE /api/me/requests/:id` withdraws one. */
  joinRequests: Array<JoinRequest>;
  /** The consents that the account is asked for and has not given. `PUT /api/me/consents/:purpose` gives one. */
  consentsMissing: Array<MissingConsent>;
};

export type PageTicket = {
  /** Open it in a browser or a web view. */
  url: string;
  /** The number of seconds for which the address works. */
  expiresIn: number;
};

export type Passkey = {
  /** The id. */
  id: string;
  /** The name that the person gave the passkey. */
  label: string | null;
  /** Whether the passkey is synced to other devices of the person. */
  isBackedUp: boolean;
  /** The time at which it was created. */
  createdAt: string;
  /** The time of the last sign-in with the passkey; null if there was none. */
  lastUsedAt: string | null;
};

export type PasskeyOptions = {
  /** The options for `navigator.credentials.create` or `get`, as JSON for `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. */
  publicKey: Record<string, unknown>;
  /** The minimum number of seconds for which it is valid. */
  expiresIn: number;
};

export type Passkeys = {
  /** The passkeys, the oldest first. */
  passkeys: Array<Passkey>;
};

export type PlayerDetails = {
  /** The player's name. */
  playerName: string | null;
  /** The player's date of birth. */
  playerDob: string | null;
  /** The year in which the player leaves school. */
  graduationYear: number | null;
  /** The player's sport. */
  sport: string | null;
  /** The player's position in the team. */
  position: string | null;
  /** The player's gender, in the app's own words. */
  gender: string | null;
  /** A further detail. */
  [name: string]: unknown;
};

export type PlayerDetailsAnswer = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The stored notes after the request. */
  playerDetails: PlayerDetails;
};

export type Profile = {
  /** Empty for an anonymous caller. */
  id: string;
  /** The e-mail address. */
  email: string;
  /** The person's name. */
  fullName: string | null;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** Whether the caller's role is a default, `parent`, because nobody has stated it. `PATCH /api/me` can then set it once, even while the caller is in a family. */
  roleIsDefault: boolean;
  /** The key of a picture; the app defines the keys. */
  avatarKey: string;
  /** The https address of a picture. */
  avatarUrl: string | null;
  /** The language of e-mails to the account, by its tag (RFC 5646); null if none is known. */
  locale: string | null;
  /** Whether this is a child without an account. */
  isManaged: boolean;
  /** The caller's families. */
  families: Array<Family>;
  /** The caller's requests to join that wait for a family's approval, the oldest first. `DELETE /api/me/requests/:id` withdraws one. */
  joinRequests: Array<JoinRequest>;
  /** The consents that the account is asked for and has not given. `PUT /api/me/consents/:purpose` gives one. */
  consentsMissing: Array<MissingConsent>;
  /** The guardian, while acting for a child. */
  actor?: Actor;
};

export type Profiles = {
  /** The caller's own profile, followed by those of the children whose guardian the caller is. */
  profiles: Array<SwitchableProfile>;
};

export type ReceivedInvitation = {
  /** The invitation's id. */
  id: string;
  /** The family's name. */
  familyName: string;
  /** The inviter's name; may be empty. */
  inviterName: string;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The time at which the invitation expires. */
  expiresAt: string;
  /** The effect of accepting: `member` makes the account a new member; with `graduation` it takes over the membership of a child without an account. */
  kind: "member" | "graduation";
};

export type ReceivedInvitations = {
  /** The pending invitations. */
  invitations: Array<ReceivedInvitation>;
};

export type RegeneratedCode = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** Empty if it has expired or the caller may not see it. */
  familyCode: string;
  /** The time at which the code was generated. */
  codeGeneratedAt: string;
  /** The time at which the code expires; null if it does not expire. */
  codeExpiresAt: string | null;
};

export type ResentInvitation = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The link; only for an invitation by link. */
  inviteUrl?: string;
};

export type RoleConflict = {
  /** The author of the change that was kept. */
  kept?: "theirs" | "yours";
  /** The member who made the other change. */
  by?: string;
  /** The time of the other change. */
  at?: string;
  /** The other person's change that this change undid, and that the client had not seen. */
  overwrote?: OverwrittenChange;
};

export type SentCode = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The minimum number of seconds for which it is valid. */
  expiresIn: number;
};

export type SentInvitation = {
  /** Always true: a failure is a problem document. */
  success: true;
  /** The invitation's id. */
  invitationId: string;
  /** The link; only for an invitation by link. */
  inviteUrl?: string;
};

export type ServerEvent = {
  /** The event's id: `webhook-id` in the request of a webhook. */
  id: string;
  /** The type of the event. */
  type: "member.joined" | "member.left" | "member.removed" | "member.role_changed" | "managed.created" | "managed.graduated" | "invitation.created" | "invitation.accepted" | "invitation.declined" | "family.created" | "family.updated" | "account.erased";
  /** The time of the event. */
  timestamp: string;
  /** A number that grows within a family. */
  sequence: number;
  /** Ids and words of fixed sets, which depend on the type; see webhooks.md. */
  data: Record<string, unknown>;
};

export type ServerEvents = {
  /** The events, the oldest first. */
  events: Array<ServerEvent>;
  /** The value for `cursor` to read on; null if there has been no event yet. */
  nextCursor: string | null;
};

export type ServerFamilies = {
  /** The families, in the order of their ids. */
  families: Array<ServerFamily>;
  /** The value for `cursor` to request the next page; null on the last page. */
  nextCursor: string | null;
};

export type ServerFamily = {
  /** The id. */
  id: string;
  /** The family's name. */
  familyName: string;
  /** The user who created the family. */
  createdByUserId: string;
  /** The maximum number of active members. */
  memberLimit: number;
  /** Whether people who join by code wait for approval. */
  approvalRequired: boolean;
  /** The time at which it was created. */
  createdAt: string;
  /** The time of the last change. */
  updatedAt: string;
};

export type ServerMember = {
  /** The member's id. */
  id: string;
  /** The family's id. */
  familyId: string;
  /** The user's id. */
  userId: string;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** Whether this is a child without an account. */
  isManaged: boolean;
  /** The guardians of a child without an account, the primary one first; empty for other members. */
  guardians: Array<Guardian>;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The role in the household, which determines the member's rights. */
  householdRole: "parent_admin" | "adult" | "kid" | "visitor";
  /** The e-mail address; empty without the scope `people:addresses`. */
  email: string;
  /** Whether the address was proved or verified. */
  emailVerified: boolean;
  /** The time at which the membership began. */
  addedAt: string;
};

export type ServerMembers = {
  /** The members. */
  members: Array<ServerMember>;
};

export type ServerPeople = {
  /** The people that were found. */
  people: Array<ServerPerson>;
};

export type ServerPerson = {
  /** The id. */
  id: string;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** Whether this is a child without an account. */
  isManaged: boolean;
  /** The guardians of a child without an account, the primary one first; empty for other members. */
  guardians: Array<Guardian>;
  /** The side of the family that the person is on: player or parent. */
  role: "player" | "parent";
  /** The e-mail address; empty without the scope `people:addresses`. */
  email: string;
  /** Whether the address was proved or verified. */
  emailVerified: boolean;
  /** The time at which it was created. */
  createdAt: string;
  /** The person's active memberships; empty without the scope `members:read`. */
  memberships: Array<ServerMember>;
};

export type Session = {
  /** The id. */
  id: string;
  /** The time at which the person signed in. */
  startedAt: string;
  /** The method by which the person signed in. */
  method: "exchange" | "email" | "password" | "passkey";
};

export type Sessions = {
  /** The sessions, the most recently used first. */
  sessions: Array<ListedSession>;
};

export type SignedIn = {
  /** Send it as a bearer token. */
  access_token: string;
  /** The type of the token, which says how to send it. */
  token_type: "Bearer";
  /** The minimum number of seconds for which it is valid. */
  expires_in: number;
  /** An opaque token. Each use replaces it with a new one. */
  refresh_token: string;
  /** The number of seconds for which the refresh token can be used. */
  refresh_expires_in: number;
  /** The session. */
  session: Session;
  /** The person's profile. */
  user: Profile;
  /** Whether this sign-in created the account. */
  isNew: boolean;
};

export type Status = {
  /** The list of results. */
  status: string;
};

export type Success = {
  /** Always true: a failure is a problem document. */
  success: true;
};

export type SwitchableProfile = {
  /** The user's id, for `X-Acting-As-Member`. */
  memberId: string;
  /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
  displayName: string;
  /** The key of a picture; the app defines the keys. */
  avatarKey: string;
  /** Whether this is a child without an account. */
  isManaged: boolean;
  /** The primary guardian's user id; null for a member with an account. */
  parentUserId: string | null;
  /** The guardians of a child without an account, the primary one first; empty for other members. */
  guardians: Array<Guardian>;
  /** The family's id. */
  familyId: string | null;
};

export type SyncPage = {
  /** The changes, in the order in which to apply them. */
  changes: Array<Change>;
  /** The cursor for the next request. */
  cursor: string;
  /** Whether another page can be requested at once. */
  hasMore: boolean;
  /** Whether the app must first discard the data that it has. */
  reset: boolean;
};

export type Ticket = {
  /** Send it with the code. */
  ticket: string;
  /** The minimum number of seconds for which it is valid. */
  expiresIn: number;
};

export type WrongField = {
  /** The position of the field: a JSON pointer. */
  pointer: string;
  /** The explanation of the error, for people. */
  detail: string;
  /** The code of the error, for programs. */
  code: string;
};

/** HTTP status of each code, with advice. */
export interface RefusalStatuses {
  /** Correct the client; `detail` says what is wrong. */
  malformed_request: 400;
  /** Correct the client; `detail` says what is wrong. */
  malformed_acting_as: 400;
  /** Correct the client; `detail` says what is wrong. */
  invalid_body: 400;
  /** Correct the client; `detail` says what is wrong. */
  not_acceptable: 406;
  /** Correct the client; `detail` says what is wrong. */
  unsupported_media_type: 415;
  /** Send less, or request less. */
  body_too_large: 413;
  /** Correct the client; `detail` says what is wrong. */
  headers_too_large: 431;
  /** Correct the client; `detail` says what is wrong. */
  not_found: 404;
  /** Leave the condition out, or read the resource again and decide whether to repeat the change. */
  precondition_failed: 412;
  /** Correct the client; `detail` says what is wrong. */
  method_not_allowed: 405;
  /** Get a new token (Hearth's own: `POST /api/auth/refresh`), or let the person sign in. */
  not_signed_in: 401;
  /** Get a new token (Hearth's own: `POST /api/auth/refresh`), or let the person sign in. */
  invalid_token: 401;
  /** Try again later; report the `requestId` if it happens again. */
  internal: 500;
  /** Send the request again after `Retry-After`, with the same key. */
  unavailable: 503;
  /** Send the request again after `Retry-After`, with the same key. */
  keys_pending: 503;
  /** Send the request again with the same `Idempotency-Key`. Without a key, read the resource before you repeat the request. */
  outcome_unknown: 503;
  /** For load balancers: send requests to another instance. */
  draining: 503;
  /** Send the request again after `Retry-After`, with the same key. For load balancers: send requests to another instance. */
  database_away: 503;
  /** Send the request again after `Retry-After`, with the same key. */
  database_busy: 503;
  /** For load balancers: send requests to another instance. */
  database_restart_needed: 503;
  /** For load balancers: send requests to another instance. */
  schema_behind: 503;
  /** For load balancers: send requests to another instance. */
  pooler_unfit: 503;
  /** For load balancers: send requests to another instance. */
  secret_key_differs: 503;
  /** Correct the field that `detail` names. */
  invalid_field: 400;
  /** Correct the field that `detail` names. */
  missing_field: 400;
  /** Leave the field out: only the server decides it. */
  privileged_field: 400;
  /** Make a new key for each new request. */
  idempotency_key_reused: 422;
  /** Send the same request again after `Retry-After`. */
  idempotency_key_in_use: 409;
  /** Send the same request again after `Retry-After`. */
  retry_later: 409;
  /** Let the person sign in again. */
  session_ended: 401;
  /** Let the person sign in again. */
  invalid_refresh_token: 401;
  /** Read the list again. */
  session_not_found: 404;
  /** Forget the session, and tell the person; signing in again does not help. */
  account_blocked: 403;
  /** Ask for address and password again, or offer a code by e-mail. */
  invalid_credentials: 401;
  /** Show `detail`, which says what would help, and ask again. */
  password_too_weak: 400;
  /** Read the list again. */
  identity_not_found: 404;
  /** Add another way to sign in first. */
  last_identity: 409;
  /** Let the person use that account, or leave its family first. */
  identity_in_use: 409;
  /** Let the person use the sign-in that the account has, or remove that one first. */
  identity_of_issuer_exists: 409;
  /** The client made a mistake, or the passkey is for another site: read `detail`. */
  passkey_invalid: 400;
  /** Offer another passkey, or another way to sign in. */
  passkey_refused: 401;
  /** Ask for new options, and let the person start again. */
  challenge_expired: 410;
  /** Read the list again. */
  passkey_not_found: 404;
  /** Nothing: the account has the passkey. */
  passkey_exists: 409;
  /** Let the person remove a passkey that is no longer used. */
  too_many_passkeys: 409;
  /** Exchange the token: `POST /api/auth/exchange`. */
  session_required: 403;
  /** Send a valid key, as `Authorization: Bearer hk_...`. An operator creates keys with `hearth-admin api-key create`. */
  invalid_api_key: 401;
  /** Use a key with the scope of the operation. */
  insufficient_scope: 403;
  /** Send the request from a server, without the header `Origin`. */
  browser_refused: 403;
  /** Wait for the seconds in `Retry-After`. */
  key_limit_reached: 429;
  /** Nothing: the person doesn't exist, or was erased. */
  person_not_found: 404;
  /** Read everything that you store again, then the events without a cursor. */
  cursor_expired: 410;
  /** Let the person sign in with an account. */
  account_required: 403;
  /** Let the person sign in again and use the new token. A mailed code is enough as well: `POST /api/me/deletion-code`, then `X-Confirmation-Code`. */
  fresh_sign_in_required: 403;
  /** Let the person sign in again, and send the request with the new token within ten minutes. */
  sign_in_again: 403;
  /** Read `/api/me/profiles` again, and act only for a listed child. */
  acting_refused: 403;
  /** Send the request without `X-Acting-As-Member`. */
  not_while_acting: 403;
  /** Don't offer this to the person; see permissions.md. */
  visitors_only_read: 403;
  /** Let the Parent Admin transfer the seat, or leave. */
  target_is_parent_admin: 403;
  /** Don't offer this to the person; see permissions.md. */
  target_is_managed: 403;
  /** Let the family's creator, or an adult who is vouched for, decide. */
  seat_reserved: 403;
  /** Don't offer this to the person; see permissions.md. */
  role_too_high: 403;
  /** Don't offer this to the person; see permissions.md. */
  standing_too_low: 403;
  /** Let the person sign in with the account of that address. */
  not_the_addressee: 403;
  /** Request the caller's own preferences, or those of a child whose guardian the caller is. */
  preferences_of_another: 403;
  /** Show a guardian the purposes of `GET /api/family/managed/:id/consents`, and let the guardian give the required consents. */
  consent_required: 403;
  /** Show the purposes of `GET /api/me/consents`, and let the person give the consents that `consentsMissing` of `GET /api/me` lists. */
  consent_missing: 403;
  /** Ask for a new invitation from the Parent Admin, the creator, or a member who is vouched for. A person who was rejected twice can ask to join again after 30 days. */
  removed_from_family: 403;
  /** Discard the id and read the lists again: the object does not exist, or the caller may not see it. */
  family_not_found: 404;
  /** Discard the id and read the lists again: the object does not exist, or the caller may not see it. */
  member_not_found: 404;
  /** Look for a newer message, or ask for another invitation. */
  invitation_not_found: 404;
  /** Read the list of consents again. */
  purpose_not_found: 404;
  /** Check the code with the family; it may have a new one. */
  code_unknown: 404;
  /** Ask the family for its new code; for a mailed code or link, have another one mailed. */
  code_expired: 410;
  /** Ask the inviter to send the invitation again. */
  invitation_expired: 410;
  /** Send `familyId`: the caller is in no family, or in several. */
  family_required: 400;
  /** Ask for the code again, and show its format, which `detail` states. This was not counted as an attempt. */
  code_malformed: 400;
  /** Use the route for the caller itself, such as leaving the family. */
  oneself: 400;
  /** Ask for the code again, unless `attemptsLeft` is 0, or have another one mailed. */
  code_wrong: 400;
  /** Nothing: the person is a member. */
  already_member: 400;
  /** Store less. */
  preferences_too_large: 413;
  /** Store less. */
  attributes_too_large: 413;
  /** Let the Parent Admin transfer the seat: `POST /api/family/admin/transfer`. */
  parent_admin_exists: 409;
  /** Remove a member. */
  family_full: 409;
  /** Leave the family that `familyId` names first. */
  player_has_family: 409;
  /** Ask for an invitation for the account's own role, or leave the other families first. */
  role_mismatch: 409;
  /** Use a family that the account has, or leave one first. */
  too_many_families: 409;
  /** Send the request again with `reassignManagedTo`, another adult of the family. Where the route has no such parameter, name another guardian first: `POST /api/family/managed/:id/guardians`. */
  guardian_has_managed_members: 409;
  /** Choose an adult of the family with an account. */
  guardian_not_adult: 409;
  /** Remove a guardian of the child before you name another. */
  too_many_guardians: 409;
  /** Choose an adult of the family with an account. */
  admin_not_adult: 409;
  /** Transfer the seat, then send the request again. */
  transfer_admin_first: 409;
  /** Approve the person first. */
  member_is_waiting: 409;
  /** Nothing: read the members, or the caller's families, again. */
  member_is_not_waiting: 409;
  /** Change the role before joining a family, or after leaving it. */
  role_fixed_in_family: 409;
  /** Nothing: the person is a member. */
  person_already_member: 409;
  /** Let the inviter, the creator or the Parent Admin send the invitation again. */
  already_invited: 409;
  /** Read the families again. If this one is not among them, ask for another invitation. */
  invitation_answered: 409;
  /** Let the person sign in with an account that is in no family. */
  not_the_graduate: 409;
  /** Read the list of consents again, and show the current text. */
  consent_outdated: 409;
  /** Remove each obstacle in `blockers`, or send the request again with `reassignManagedTo`, `transferAdminTo` or `eraseManaged=true`. */
  erasure_blocked: 409;
  /** Let the person sign in again. */
  no_verified_address: 409;
  /** Let an admin remove the role: `hearth-admin operator remove`. */
  operator_role_stands: 409;
  /** Wait for as many seconds as `Retry-After` says. */
  too_many_attempts: 429;
  /** Wait for as many seconds as `Retry-After` says. */
  too_many_invitations: 429;
  /** Wait for as many seconds as `Retry-After` says. */
  invitation_just_sent: 429;
  /** Wait for as many seconds as `Retry-After` says. */
  too_many_keys: 429;
}

/** A machine-readable reason of a refusal. */
export type RefusalCode = keyof RefusalStatuses;

/** Fields that problems of all codes have (RFC 9457). */
export type ProblemFields = {
  /** The type of the problem: a URN that ends in the code. */
  type: string;
  /** The name of the status. */
  title: string;
  /** The explanation, for people. */
  detail: string;
  /** The same as `detail`. */
  message: string;
  /** The id of the request in the server's log. */
  requestId: string;
  /** For `player_has_family`, the family that the caller belongs to. */
  familyId?: string;
  /** The name of that family. */
  familyName?: string;
  /** All invalid fields of the body. */
  errors?: Array<WrongField>;
  /** For `erasure_blocked`, the obstacles to the erasure. */
  blockers?: Array<ErasureBlocker>;
  /** The number of attempts that are left after a wrong code. */
  attemptsLeft?: number;
  /** The current resource, as GET returns it, if `If-Match` failed. */
  current?: Record<string, unknown>;
};

/** The problem of a code; of several codes, a union that `code` tells apart. */
export type Problem<Code extends RefusalCode = RefusalCode> = {
  [One in Code]: ProblemFields & { code: One; status: RefusalStatuses[One] };
}[Code];

/** Codes that every operation can return. */
export type CommonCode = "malformed_request" | "malformed_acting_as" | "invalid_token" | "session_ended" | "account_blocked" | "acting_refused" | "consent_required" | "not_acceptable" | "precondition_failed" | "body_too_large" | "headers_too_large" | "internal" | "unavailable" | "keys_pending" | "database_away" | "database_busy";

/** Further codes that every change can return. */
export type ChangeCode = "invalid_field" | "account_required" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found" | "idempotency_key_in_use" | "retry_later" | "idempotency_key_reused" | "too_many_keys" | "outcome_unknown";

/**
 * What each operation takes and returns. A newer server may refuse with codes that are
 * not listed here: give each `switch` a default.
 */
export interface Operations {
  /** Reads the caller's profile; while acting, the managed member's. */
  readProfile: {
    request: {};
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Profile };
    code: CommonCode | "not_signed_in";
  };
  /** Changes the caller's profile; while acting, the managed member's. */
  updateProfile: {
    request: { body?: {
      /** If missing or empty, it stays unchanged. A managed member's name has 1 to 30 characters. */
      fullName?: string | null;
      /** The account's role. It can change only while the caller is in no family or alone in one, and waits for none. If `roleIsDefault` is true, it can be set once in any case; the household role changes as well, unless others have set it. */
      role?: "player" | "parent" | null;
      /** Null or empty clears it. */
      avatarKey?: string | null;
      /** Null or empty clears it. */
      avatarUrl?: string | null;
      /** The language of e-mails to the account. If missing or empty, it stays unchanged. */
      locale?: string | "" | null;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Profile };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "guardian_has_managed_members" | "role_fixed_in_family" | "unsupported_media_type";
  };
  /** Erases the caller's account at once and irrevocably. Requires a sign-in within the last ten minutes, or the mailed code. */
  eraseAccount: {
    request: { query?: { "reassignManagedTo"?: Array<string>; "transferAdminTo"?: Array<string>; "eraseManaged"?: boolean } };
    options: "actingAs" | "ifMatch" | "confirmationCode";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "code_malformed" | "code_wrong" | "not_signed_in" | "fresh_sign_in_required" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "admin_not_adult" | "erasure_blocked" | "operator_role_stands" | "too_many_attempts";
  };
  /** Mails the code that confirms the erasure of the caller's account. */
  sendDeletionCode: {
    request: {};
    options: "actingAs" | "idempotencyKey";
    success: { status: 202; body: SentCode };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "no_verified_address" | "operator_role_stands" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Mails a code to a new address of the caller's account, and a notice to the current one. Does the same for every address, whether or not it has an account. */
  requestAddressChange: {
    request: { body: {
      /** The new address. */
      email: string;
    } };
    options: "actingAs";
    success: { status: 202; body: Ticket };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "sign_in_again" | "consent_missing" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Changes the address of the caller's account with the mailed code. The previous address can no longer be used to sign in, and all other sessions end. */
  changeAddress: {
    request: { body: {
      /** The `ticket` from the response to the request for the code. */
      ticket: string;
      /** The six-digit code from the e-mail to the new address. */
      code: string;
    } };
    options: "actingAs";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "code_wrong" | "not_signed_in" | "consent_missing" | "not_found" | "identity_in_use" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Exports everything that is stored about the caller and the children whose guardian the caller is, as one document; at most three times a day. The document has more fields than this description. */
  exportAccount: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: {
      /** Its name. */
      format: "hearth-account-export";
      /** The version of the format; it is raised when fields change their meaning. */
      version: number;
      /** The time at which the export was made. */
      exportedAt: string;
      /** The data about the caller: profile, memberships, audit log. */
      account: Record<string, unknown>;
      /** The same data about each child. */
      children: Array<Record<string, unknown>>;
    } };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting" | "too_many_attempts";
  };
  /** Lists the profiles that the account can switch to, its own first. Acting for a member does not change the list. */
  listProfiles: {
    request: { query?: { "familyId"?: string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Profiles };
    code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "family_not_found";
  };
  /** Lists the consents that the account is asked for, and those that it gave. */
  listOwnConsents: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: OwnConsents };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
  };
  /** Gives the account's consent for itself. */
  giveOwnConsent: {
    request: { path: { "purpose": string }; body: {
      /** The version of the text that was shown. */
      version: string;
      /** The method by which the account proves the consent: being signed in itself. */
      method: "self";
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: OwnConsent };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "purpose_not_found" | "consent_outdated" | "unsupported_media_type";
  };
  /** Withdraws the account's consent for itself, with effect from the next request. */
  withdrawOwnConsent: {
    request: { path: { "purpose": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: OwnConsent };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "purpose_not_found";
  };
  /** Lists the pending invitations to the caller's verified address. */
  listMyInvitations: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: ReceivedInvitations };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
  };
  /** Accepts an invitation to the caller's verified address. */
  acceptMyInvitation: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: AcceptedInvitation };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "removed_from_family" | "invitation_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "too_many_families" | "invitation_answered" | "not_the_graduate" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Declines an invitation to the caller's verified address. */
  declineMyInvitation: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Withdraws the caller's request to join; never ends a membership. */
  withdrawRequest: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_is_not_waiting";
  };
  /** Lists the sessions of the caller's account, the most recently used first. */
  listSessions: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: Sessions };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
  };
  /** Ends all sessions of the caller's account except the current one. */
  endOtherSessions: {
    request: {};
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing";
  };
  /** Ends a session of the caller's account. */
  endSession: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "session_not_found";
  };
  /** Lists the sign-in methods of the caller's account. */
  listIdentities: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: Identities };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
  };
  /** Adds another issuer's sign-in to the caller's account. */
  addIdentity: {
    request: { body: {
      /** A token of a trusted issuer for the same person. */
      token: string;
      /** The nonce with which the client requested the token; the token's claim is the nonce's SHA-256 in hex. Required if the issuer's entry says so. */
      nonce?: string | null;
    } };
    options: "actingAs";
    success: { status: 200; body: Identities };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "sign_in_again" | "consent_missing" | "identity_in_use" | "identity_of_issuer_exists" | "operator_role_stands" | "unsupported_media_type";
  };
  /** Removes a sign-in method, but never the last one. Removing the last address also removes the password. */
  removeIdentity: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "sign_in_again" | "consent_missing" | "identity_not_found" | "last_identity";
  };
  /** Issues a token with which a service can act for a child for five minutes. */
  delegate: {
    request: { body: {
      /** The member's id. */
      memberId: string;
      /** The service that the token is for. */
      audience: string;
    } };
    options: "actingAs";
    success: { status: 200; body: Delegation };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "session_required" | "consent_missing" | "not_found" | "unsupported_media_type";
  };
  /** Opens a session for the person of another issuer's token. */
  exchangeToken: {
    request: { body: {
      /** A token of a trusted issuer. */
      token: string;
      /** The nonce with which the client requested the token; the token's claim is the nonce's SHA-256 in hex. Required if the issuer's entry says so. */
      nonce?: string | null;
      /** The authorization code that Apple returned with the token. With it Hearth detects that the person has revoked the app's access, and revokes the access when the account is erased. */
      authorizationCode?: string | null;
      /** The person's name, which Apple returns the first time only. It is used if neither the token nor the account has a name. */
      fullName?: string | null;
      /** The name of the device in the person's list of sessions. */
      device?: string | null;
    } };
    options: never;
    success: { status: 200; body: SignedIn };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type";
  };
  /** Continues a session: returns new access and refresh tokens. */
  refreshSession: {
    request: { body: {
      /** The refresh token of the latest response. */
      refresh_token: string;
    } };
    options: never;
    success: { status: 200; body: SignedIn };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_refresh_token" | "not_found" | "unsupported_media_type";
  };
  /** Ends the session of a refresh token; its access tokens end with it. */
  signOut: {
    request: { body: {
      /** The refresh token of the latest response. */
      refresh_token: string;
    } };
    options: never;
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_refresh_token" | "not_found" | "unsupported_media_type";
  };
  /** Returns an address that opens a page in a browser and signs the caller in there. It works once, within a minute. */
  createPageTicket: {
    request: { body: {
      /** The page to open, such as `/family`. */
      path: string;
      /** Where a button of the pages leads back to: an address with the app's scheme (`HEARTH_APP_SCHEME`), or another page. */
      return?: string | null;
    } };
    options: "actingAs";
    success: { status: 200; body: PageTicket };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "session_required" | "consent_missing" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Mails a code to an address, whether or not it has an account. */
  sendSignInCode: {
    request: { body: {
      /** The person's address. */
      email: string;
    } };
    options: never;
    success: { status: 202; body: Ticket };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Signs in with a mailed code. The first sign-in creates the account. */
  verifySignInCode: {
    request: { body?: {
      /** The `ticket` from the response to the request for the code; required with `code`. */
      ticket?: string | null;
      /** The six-digit code from the e-mail. */
      code?: string | null;
      /** The `token` of the e-mail's link, for apps that open the link; replaces ticket and code. */
      linkToken?: string | null;
      /** The name of the device in the person's list of sessions. */
      device?: string | null;
    } };
    options: never;
    success: { status: 200; body: SignedIn };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "code_wrong" | "not_found" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Mails a code that creates an account with this password. */
  signUp: {
    request: { body: {
      /** The person's address. */
      email: string;
      /** 8 to 256 characters that are not easy to guess. */
      password: string;
      /** The person's name. */
      fullName?: string | null;
      /** The side of the family that the person is on: player or parent. */
      role?: "player" | "parent" | null;
    } };
    options: never;
    success: { status: 202; body: Ticket };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Signs in with address and password. */
  signIn: {
    request: { body: {
      /** The person's address. */
      email: string;
      /** 8 to 256 characters that are not easy to guess. */
      password: string;
      /** The name of the device in the person's list of sessions. */
      device?: string | null;
    } };
    options: never;
    success: { status: 200; body: SignedIn };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_credentials" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Returns the options for `navigator.credentials`. Options to add a passkey require a signed-in caller. */
  makePasskeyOptions: {
    request: { body: {
      /** The purpose of the options: to add a passkey, or to sign in. */
      purpose: "register" | "assert";
    } };
    options: never;
    success: { status: 200; body: PasskeyOptions };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "sign_in_again" | "not_found" | "unsupported_media_type";
  };
  /** Adds a newly created passkey to the caller's account. */
  addPasskey: {
    request: { body: {
      /** The credential from `navigator.credentials`, as JSON: `credential.toJSON()`, or the response of the phone's system. */
      credential: Record<string, unknown>;
      /** The name that the person gives the passkey, such as its device. */
      label?: string | null;
    } };
    options: "actingAs";
    success: { status: 200; body: Passkeys };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "passkey_invalid" | "not_signed_in" | "sign_in_again" | "consent_missing" | "not_found" | "passkey_exists" | "too_many_passkeys" | "challenge_expired" | "unsupported_media_type";
  };
  /** Signs in with a passkey. */
  signInByPasskey: {
    request: { body: {
      /** The credential from `navigator.credentials`, as JSON: `credential.toJSON()`, or the response of the phone's system. */
      credential: Record<string, unknown>;
      /** The name of the device in the person's list of sessions. */
      device?: string | null;
    } };
    options: never;
    success: { status: 200; body: SignedIn };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "passkey_invalid" | "passkey_refused" | "not_found" | "challenge_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Lists the passkeys of the caller's account. */
  listPasskeys: {
    request: {};
    options: "actingAs";
    success: { status: 200; body: Passkeys };
    code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
  };
  /** Removes a passkey, but never the last way to sign in. */
  removePasskey: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "sign_in_again" | "consent_missing" | "passkey_not_found" | "last_identity";
  };
  /** Mails a link to set a new password, if the address has an account. */
  forgotPassword: {
    request: { body: {
      /** The person's address. */
      email: string;
    } };
    options: never;
    success: { status: 202; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Sets a new password with a mailed link. Every session of the account ends. */
  resetPassword: {
    request: { body: {
      /** The token from the link. */
      token: string;
      /** 8 to 256 characters that are not easy to guess. */
      password: string;
    } };
    options: never;
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_found" | "code_expired" | "unsupported_media_type";
  };
  /** Changes the caller's password, or sets the first one. All other sessions end. */
  changePassword: {
    request: { body: {
      /** The current password; left out if the account has none. The sign-in must then be recent. */
      currentPassword?: string | null;
      /** 8 to 256 characters that are not easy to guess. */
      newPassword: string;
    } };
    options: "actingAs" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_signed_in" | "invalid_credentials" | "sign_in_again" | "consent_missing" | "not_found" | "no_verified_address" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Makes several changes in order. Each runs like a separate request, with the same permissions, limits and audit log entries. */
  batch: {
    request: { body: {
      /** The changes, in the order in which they are made; each runs in a separate transaction. */
      operations: Array<{
        /** The method. */
        method: "POST" | "PUT" | "PATCH" | "DELETE";
        /** Path and query, of `/api` or `/groups`. */
        path: string;
        /** Of these: Idempotency-Key, If-Match, X-Acting-As-Member, X-Base-Version, X-Changed-At. */
        headers?: Record<string, unknown>;
        /** The body, if the operation takes one. */
        body?: Record<string, unknown>;
      }>;
      /** Whether the batch stops at the first operation that fails. */
      stopOnFailure?: boolean | null;
    } };
    options: "actingAs";
    success: { status: 200; body: BatchResults };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
  };
  /** Returns the changes since the last response in everything that the caller may see: its own data, its families, the children whose guardian it is, and invitations to it. */
  sync: {
    request: { query?: { "cursor"?: string; "wait"?: number } };
    options: "actingAs";
    success: { status: 200; body: SyncPage };
    code: CommonCode | "invalid_field" | "not_signed_in";
  };
  /** Creates a family, or returns the one that the caller has. */
  createFamily: {
    request: { body?: {
      /** The family's name. If missing, a new family gets a default name, and an existing one keeps its name. */
      familyName?: string | null;
      /** The caller's role in the family; default: the account's own role. */
      role?: "player" | "parent" | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: CreatedFamily };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "role_mismatch" | "too_many_families" | "unsupported_media_type";
  };
  /** Creates another family for the caller. */
  createAnotherFamily: {
    request: { body: {
      /** The family's name. */
      familyName: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 201; body: CreatedFamily };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "too_many_families" | "unsupported_media_type";
  };
  /** Lists the families that the caller belongs to. */
  listFamilies: {
    request: {};
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Families };
    code: CommonCode | "not_signed_in";
  };
  /** Reads one of the caller's families. */
  readFamily: {
    request: { path: { "id": string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Family };
    code: CommonCode | "not_signed_in" | "family_not_found";
  };
  /** Changes a family's name, home or whether joining needs approval. */
  updateFamily: {
    request: { path: { "id": string }; body?: {
      /** The family's name. If missing, a new family gets a default name, and an existing one keeps its name. */
      familyName?: string | null;
      /** Give it together with homeLongitude; both null clear the home. */
      homeLatitude?: number | null;
      /** Give it together with homeLatitude. */
      homeLongitude?: number | null;
      /** Whether people who join by code wait for approval. */
      approvalRequired?: boolean | null;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Family };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
  };
  /** Reads a family's attributes, a JSON object that only apps understand. */
  readAttributes: {
    request: { path: { "id": string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Record<string, unknown> };
    code: CommonCode | "not_signed_in" | "visitors_only_read" | "family_not_found";
  };
  /** Changes a family's attributes by a JSON merge patch (RFC 7396). */
  patchAttributes: {
    request: { path: { "id": string }; body: JSONDocument };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Record<string, unknown> };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "attributes_too_large" | "unsupported_media_type";
  };
  /** The family's join link as a QR code, as SVG. */
  readQRCodeSVG: {
    request: { path: { "id": string } };
    options: "actingAs";
    success: { status: 200; body: string };
    code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found" | "code_expired";
  };
  /** The family's join link as a QR code, as PNG. */
  readQRCodePNG: {
    request: { path: { "id": string } };
    options: "actingAs";
    success: { status: 200; body: ArrayBuffer };
    code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found" | "code_expired";
  };
  /** Lists the members of a family. */
  listMembers: {
    request: { query?: { "familyId"?: string; "status"?: "active" | "invited" | "removed"; "cursor"?: string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Members };
    code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
  };
  /** Reads one member of a family. */
  readMember: {
    request: { path: { "memberId": string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Member };
    code: CommonCode | "not_signed_in" | "member_not_found";
  };
  /** Changes a member's household role, or claims the vacant seat. An allowed change that is older than another person's also returns 200; it changes nothing, and the response has the `conflict`. */
  setHouseholdRole: {
    request: { path: { "memberId": string }; body: {
      /** The role in the household, which determines the member's rights. */
      householdRole: "parent_admin" | "adult" | "kid" | "visitor";
      /** The new guardian of the children, if the member is a guardian and stops being an adult. */
      reassignManagedTo?: string | null;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch" | "changedAt" | "baseVersion";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "seat_reserved" | "role_too_high" | "consent_missing" | "member_not_found" | "parent_admin_exists" | "guardian_has_managed_members" | "guardian_not_adult" | "admin_not_adult" | "member_is_waiting" | "unsupported_media_type";
  };
  /** Removes a member, or rejects a person who waits for approval. */
  removeMember: {
    request: { path: { "memberId": string }; query?: { "reassignManagedTo"?: string; "rotateCode"?: boolean } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "consent_missing" | "member_not_found" | "guardian_has_managed_members" | "guardian_not_adult";
  };
  /** Ends the caller's own membership, or withdraws the request to join the named family. */
  leaveFamily: {
    request: { query?: { "familyId"?: string; "reassignManagedTo"?: string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "family_required" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members" | "guardian_not_adult" | "transfer_admin_first";
  };
  /** Approves a person who asked to join by code. */
  approveMember: {
    request: { path: { "memberId": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "member_is_not_waiting" | "unsupported_media_type";
  };
  /** Rejects the request of a person who asked to join by code; never ends a membership. */
  rejectMember: {
    request: { path: { "memberId": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "consent_missing" | "member_not_found" | "member_is_not_waiting" | "unsupported_media_type";
  };
  /** Transfers the caller's seat as Parent Admin to another adult. */
  transferAdmin: {
    request: { body: {
      /** Optional for a member of exactly one family. */
      familyId?: string | null;
      /** The member's id. */
      memberId: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: ChangedMembers };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "oneself" | "not_signed_in" | "consent_missing" | "member_not_found" | "admin_not_adult" | "unsupported_media_type";
  };
  /** Shows which family a code belongs to, before joining. */
  previewFamilyCode: {
    request: { path: { "code": string } };
    options: "actingAs";
    success: { status: 200; body: CodePreview };
    code: CommonCode | "code_malformed" | "not_signed_in" | "account_required" | "not_while_acting" | "code_unknown" | "code_expired" | "too_many_attempts";
  };
  /** Joins a family by its code. */
  joinFamily: {
    request: { body: {
      /** The family's code in any letter case, with or without `FAM-`, with blanks or dashes anywhere; or the link in the family's QR code. */
      familyCode: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: JoinedFamily } | { status: 202; body: AwaitedApproval };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "already_member" | "not_signed_in" | "consent_missing" | "removed_from_family" | "code_unknown" | "family_full" | "player_has_family" | "too_many_families" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Does the same as joinFamily. */
  joinFamilyByFunction: {
    request: { body: {
      /** The family's code in any letter case, with or without `FAM-`, with blanks or dashes anywhere; or the link in the family's QR code. */
      familyCode: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: JoinedFamily } | { status: 202; body: AwaitedApproval };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "already_member" | "not_signed_in" | "consent_missing" | "removed_from_family" | "code_unknown" | "family_full" | "player_has_family" | "too_many_families" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Gives a family a new code; the old one stops working at once. */
  regenerateFamilyCode: {
    request: { body: {
      /** The family's id. */
      familyId: string;
      /** The number of days for which the new code is valid; default: until it is replaced. */
      expiresInDays?: number | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: RegeneratedCode };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
  };
  /** Invites a person, by e-mail or by a link to share. */
  createInvitation: {
    request: { body: {
      /** The address to invite; missing or empty for an invitation by link. */
      email?: string | "" | null;
      /** The side of the family that the person is on: player or parent. */
      role: "player" | "parent";
      /** The new member's household role; at most adult. */
      householdRole?: "parent_admin" | "adult" | "kid" | "visitor" | null;
      /** Optional for a member of exactly one family. */
      familyUnitId?: string | null;
      /** Default: by e-mail. */
      delivery?: "email" | "link" | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: SentInvitation };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "not_signed_in" | "role_too_high" | "consent_missing" | "person_already_member" | "already_invited" | "unsupported_media_type" | "too_many_invitations" | "invitation_just_sent";
  };
  /** Shows the invitation behind a link. Changes nothing. */
  previewInvitation: {
    request: { path: { "token": string } };
    options: never;
    success: { status: 200; body: InvitationPreview };
    code: CommonCode | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "too_many_attempts";
  };
  /** Accepts an invitation by its link: the caller becomes a member. */
  acceptInvitation: {
    request: { path: { "token": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: AcceptedInvitation };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "removed_from_family" | "invitation_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "too_many_families" | "invitation_answered" | "not_the_graduate" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Declines an invitation by its link. */
  declineInvitation: {
    request: { path: { "token": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Lists a family's pending invitations, newest first. */
  listInvitations: {
    request: { query?: { "familyId"?: string; "cursor"?: string } };
    options: "actingAs";
    success: { status: 200; body: Invitations };
    code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found";
  };
  /** Sends a pending invitation again, with a new link. */
  resendInvitation: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: ResentInvitation };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "invitation_not_found" | "unsupported_media_type" | "invitation_just_sent";
  };
  /** Revokes a pending invitation. */
  revokeInvitation: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "invitation_not_found";
  };
  /** Adds a child without an account; the caller becomes its guardian. */
  addManagedMember: {
    request: { body: {
      /** Optional for a member of exactly one family. */
      familyId?: string | null;
      /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
      displayName: string;
      /** Null or empty clears it. */
      avatarKey?: string | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 201; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "not_signed_in" | "consent_missing" | "family_full" | "unsupported_media_type";
  };
  /** Reads one managed member of a family. */
  readManagedMember: {
    request: { path: { "id": string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Member };
    code: CommonCode | "not_signed_in" | "member_not_found";
  };
  /** Changes the name or avatar of a child whose guardian the caller is. */
  updateManagedMember: {
    request: { path: { "id": string }; body?: {
      /** If missing or empty, it stays unchanged. */
      displayName?: string | null;
      /** Null or empty clears it. */
      avatarKey?: string | null;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "unsupported_media_type";
  };
  /** Removes a child without an account from its family. */
  removeManagedMember: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Success };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found";
  };
  /** Makes another adult the guardian of one of the caller's children. */
  reassignManagedMember: {
    request: { path: { "id": string }; body: {
      /** The member's id. */
      memberId: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "oneself" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "unsupported_media_type";
  };
  /** Makes another adult of the family an additional guardian of a child. */
  addGuardian: {
    request: { path: { "id": string }; body: {
      /** The adult who becomes a guardian. */
      memberId: string;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "too_many_guardians" | "unsupported_media_type";
  };
  /** Makes a guardian the primary guardian of a child; the previous one stays a guardian. */
  promoteGuardian: {
    request: { path: { "id": string; "memberId": string }; body: {
      /** Always true: the primary guardian names its successor. */
      isPrimary: boolean;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "unsupported_media_type";
  };
  /** Ends another adult's guardianship of a child. */
  removeGuardian: {
    request: { path: { "id": string; "memberId": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members";
  };
  /** Ends the caller's own guardianship of a child that has another guardian. */
  declineGuardianship: {
    request: { path: { "id": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Member };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members";
  };
  /** Invites a child without an account to get one. The account that accepts takes over the child's membership. */
  startGraduation: {
    request: { path: { "id": string }; body?: {
      /** The address to invite; missing or empty for an invitation by link. */
      email?: string | "" | null;
      /** The side. Default: player for a kid, parent for an adult. */
      role?: "player" | "parent" | null;
      /** The household role: `kid` for a player, `adult` for a parent. Default: the one that belongs to `role`; without `role`, `kid`. */
      householdRole?: "parent_admin" | "adult" | "kid" | "visitor" | null;
      /** Default: by e-mail. */
      delivery?: "email" | "link" | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: SentInvitation };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "person_already_member" | "already_invited" | "unsupported_media_type" | "too_many_invitations";
  };
  /** Lists the consents that a child's guardians are asked for, and those that they gave. */
  listConsents: {
    request: { path: { "id": string } };
    options: "actingAs";
    success: { status: 200; body: Consents };
    code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "member_not_found";
  };
  /** Reads one purpose of consent for a child. */
  readConsent: {
    request: { path: { "id": string; "purpose": string } };
    options: "actingAs";
    success: { status: 200; body: Consent };
    code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "member_not_found" | "purpose_not_found";
  };
  /** Gives consent for a child, or mails the code that proves it. */
  giveConsent: {
    request: { path: { "id": string; "purpose": string }; body: {
      /** The version of the text that was shown. */
      version: string;
      /** The method by which the guardian proves the consent. */
      method: "signed_in" | "email_code";
      /** The mailed code. If it is missing, a request with `email_code` mails one. */
      code?: string | null;
    } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Consent } | { status: 202; body: SentCode };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "code_wrong" | "not_signed_in" | "consent_missing" | "member_not_found" | "purpose_not_found" | "consent_outdated" | "no_verified_address" | "unsupported_media_type" | "too_many_attempts";
  };
  /** Withdraws consent for a child, with effect from the next request. */
  withdrawConsent: {
    request: { path: { "id": string; "purpose": string } };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: Consent };
    code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "purpose_not_found";
  };
  /** Reads the caller's group; of several, the one with other active members that the caller joined first. If the caller may not act for the named member, the response is for the caller's own account. */
  readMyGroup: {
    request: {};
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Group | NoGroup };
    code: CommonCode | "not_signed_in";
  };
  /** Reads a family with its active members. */
  readGroup: {
    request: { path: { "id": string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: Group };
    code: CommonCode | "not_signed_in" | "family_not_found";
  };
  /** Like addManagedMember, for the family in the path. */
  addManagedMemberToGroup: {
    request: { path: { "id": string }; body: {
      /** The name to show. For a person without a name: the part of a verified address before the @, or `Member`. */
      displayName: string;
      /** Null or empty clears it. */
      avatarKey?: string | null;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 201; body: Member };
    code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "family_full" | "unsupported_media_type";
  };
  /** Reads preferences: the caller's own, or those of a child whose guardian the caller is. */
  readPreferences: {
    request: { path: { "id": string }; query?: { "member_id"?: string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: MemberPreferences };
    code: CommonCode | "invalid_field" | "not_signed_in" | "preferences_of_another" | "family_not_found" | "member_not_found";
  };
  /** Replaces a member's preferences. */
  writePreferences: {
    request: { path: { "id": string }; query?: { "member_id"?: string }; body: JSONDocument };
    options: "actingAs" | "idempotencyKey" | "ifMatch";
    success: { status: 200; body: MemberPreferences };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "preferences_of_another" | "consent_missing" | "member_not_found" | "preferences_too_large" | "unsupported_media_type";
  };
  /** Reads a family's notes about its player. */
  readPlayerDetails: {
    request: { query?: { "familyId"?: string } };
    options: "actingAs" | "ifNoneMatch";
    success: { status: 200; body: PlayerDetailsAnswer };
    code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
  };
  /** Changes a family's notes about its player; only the given fields change. */
  writePlayerDetails: {
    request: { body?: {
      /** Optional for a member of exactly one family. */
      familyId?: string | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      playerName?: string | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      playerDob?: string | "" | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      graduationYear?: number | string | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      sport?: string | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      position?: string | null;
      /** If missing, it stays unchanged; null or empty clears it. */
      gender?: string | null;
      /** Further details, at most 20, under names that the app chooses; null or empty clears one. */
      [name: string]: unknown;
    } };
    options: "actingAs" | "idempotencyKey";
    success: { status: 200; body: PlayerDetailsAnswer };
    code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "family_required" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
  };
  /** Reads a family's audit log, newest first. */
  readAudit: {
    request: { query?: { "familyId"?: string; "cursor"?: string; "limit"?: number } };
    options: "actingAs";
    success: { status: 200; body: AuditPage };
    code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
  };
}

/** Name of an operation. */
export type OperationName = keyof Operations;

/** What each operation for servers takes and returns. `HearthServer` calls them. */
export interface ServerOperations {
  /** Lists all families, by id. Needs the scope `families:read`. */
  listServerFamilies: {
    request: { query?: { "cursor"?: string } };
    success: { status: 200; body: ServerFamilies };
    code: "malformed_request" | "invalid_field" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "not_acceptable" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
  /** Reads a family. Needs the scope `families:read`. */
  readServerFamily: {
    request: { path: { "id": string } };
    success: { status: 200; body: ServerFamily };
    code: "malformed_request" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "family_not_found" | "not_acceptable" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
  /** Lists the active members of a family. Needs the scope `members:read`. */
  listServerMembers: {
    request: { path: { "id": string } };
    success: { status: 200; body: ServerMembers };
    code: "malformed_request" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "family_not_found" | "not_acceptable" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
  /** Invites a person in the key's name. Needs the scope `invitations:write`. */
  createServerInvitation: {
    request: { path: { "id": string }; body: {
      /** The address to invite; missing or empty for an invitation by link. */
      email?: string | "" | null;
      /** The side of the family that the person is on: player or parent. */
      role: "player" | "parent";
      /** The new member's household role; at most adult. */
      householdRole?: "parent_admin" | "adult" | "kid" | "visitor" | null;
      /** Default: by e-mail. */
      delivery?: "email" | "link" | null;
    } };
    success: { status: 200; body: SentInvitation };
    code: "malformed_request" | "invalid_body" | "invalid_field" | "missing_field" | "privileged_field" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "role_too_high" | "family_not_found" | "not_acceptable" | "person_already_member" | "already_invited" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "key_limit_reached" | "too_many_invitations" | "invitation_just_sent" | "headers_too_large" | "internal" | "unavailable" | "outcome_unknown" | "database_away" | "database_busy";
  };
  /** Finds the person who signs in with a provider's subject. Needs the scope `people:read`. */
  findServerPeople: {
    request: { query?: { "issuer"?: string; "subject"?: string } };
    success: { status: 200; body: ServerPeople };
    code: "malformed_request" | "invalid_field" | "missing_field" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "not_acceptable" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
  /** Reads a person. Needs the scope `people:read`. */
  readServerPerson: {
    request: { path: { "id": string } };
    success: { status: 200; body: ServerPerson };
    code: "malformed_request" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "person_not_found" | "not_acceptable" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
  /** Lists the events of the last seven days. Needs the scope `events:read`. */
  listServerEvents: {
    request: { query?: { "cursor"?: string } };
    success: { status: 200; body: ServerEvents };
    code: "malformed_request" | "invalid_field" | "invalid_api_key" | "insufficient_scope" | "browser_refused" | "not_acceptable" | "cursor_expired" | "precondition_failed" | "body_too_large" | "key_limit_reached" | "headers_too_large" | "internal" | "unavailable" | "database_away" | "database_busy";
  };
}

/** Name of an operation for servers. */
export type ServerOperationName = keyof ServerOperations;

/** Operations of the API that are not called by name, and why. */
export interface OperationsWithoutCall {
  live: "An endless stream: `live()` follows it.";
  listServerFamilies: "For servers, with an API key: `HearthServer` calls it.";
  readServerFamily: "For servers, with an API key: `HearthServer` calls it.";
  listServerMembers: "For servers, with an API key: `HearthServer` calls it.";
  createServerInvitation: "For servers, with an API key: `HearthServer` calls it.";
  findServerPeople: "For servers, with an API key: `HearthServer` calls it.";
  readServerPerson: "For servers, with an API key: `HearthServer` calls it.";
  listServerEvents: "For servers, with an API key: `HearthServer` calls it.";
  showRefusePage: "A page for people, or a file that phones and services look for.";
  refuseInvitations: "A page for people, or a file that phones and services look for.";
  readAppleAppSiteAssociation: "A page for people, or a file that phones and services look for.";
  readAndroidAssetLinks: "A page for people, or a file that phones and services look for.";
  readPasskeyScript: "A page for people, or a file that phones and services look for.";
  readKeySet: "A page for people, or a file that phones and services look for.";
  readIssuerMetadata: "A page for people, or a file that phones and services look for.";
  checkHealth: "For load balancers and monitoring.";
  checkReadiness: "For load balancers and monitoring.";
  readMetrics: "For load balancers and monitoring.";
  describeAPI: "Describes the API; this file is made from the same declarations.";
  readTypeScriptClient: "Describes the API; this file is made from the same declarations.";
  showRoutes: "Describes the API; this file is made from the same declarations.";
  readRoutesStyle: "Describes the API; this file is made from the same declarations.";
  showSignInPage: "A page for people, or a file that phones and services look for.";
  showJoinPage: "A page for people, or a file that phones and services look for.";
  showResetPage: "A page for people, or a file that phones and services look for.";
  showAccountPage: "A page for people, or a file that phones and services look for.";
  showContinuePage: "A page for people, or a file that phones and services look for.";
  showHomePage: "A page for people, or a file that phones and services look for.";
  showFamilyMainPage: "A page for people, or a file that phones and services look for.";
  showNewFamilyPage: "A page for people, or a file that phones and services look for.";
  showJoinFamilyPage: "A page for people, or a file that phones and services look for.";
  showInvitePage: "A page for people, or a file that phones and services look for.";
  showChildPage: "A page for people, or a file that phones and services look for.";
  showActivityPage: "A page for people, or a file that phones and services look for.";
  showSettingsPage: "A page for people, or a file that phones and services look for.";
}

/** Method, path and properties of each operation. */
export const operations: {
  readonly [Name in OperationName]: readonly [string, string, string];
} = {
  readProfile: ["GET", "/api/me", "an"],
  updateProfile: ["PATCH", "/api/me", "akm"],
  eraseAccount: ["DELETE", "/api/me", "amc"],
  sendDeletionCode: ["POST", "/api/me/deletion-code", "ak"],
  requestAddressChange: ["POST", "/api/me/email", "a"],
  changeAddress: ["POST", "/api/me/email/verify", "a"],
  exportAccount: ["GET", "/api/me/export", "a"],
  listProfiles: ["GET", "/api/me/profiles", "an"],
  listOwnConsents: ["GET", "/api/me/consents", "a"],
  giveOwnConsent: ["PUT", "/api/me/consents/{purpose}", "akm"],
  withdrawOwnConsent: ["DELETE", "/api/me/consents/{purpose}", "akm"],
  listMyInvitations: ["GET", "/api/me/invitations", "a"],
  acceptMyInvitation: ["POST", "/api/me/invitations/{id}/accept", "ak"],
  declineMyInvitation: ["POST", "/api/me/invitations/{id}/decline", "ak"],
  withdrawRequest: ["DELETE", "/api/me/requests/{id}", "akm"],
  listSessions: ["GET", "/api/me/sessions", "a"],
  endOtherSessions: ["DELETE", "/api/me/sessions", "akm"],
  endSession: ["DELETE", "/api/me/sessions/{id}", "akm"],
  listIdentities: ["GET", "/api/me/identities", "a"],
  addIdentity: ["POST", "/api/me/identities", "a"],
  removeIdentity: ["DELETE", "/api/me/identities/{id}", "akm"],
  delegate: ["POST", "/api/delegations", "a"],
  exchangeToken: ["POST", "/api/auth/exchange", "o"],
  refreshSession: ["POST", "/api/auth/refresh", "o"],
  signOut: ["POST", "/api/auth/sign-out", "o"],
  createPageTicket: ["POST", "/api/auth/page-ticket", "a"],
  sendSignInCode: ["POST", "/api/auth/email", "o"],
  verifySignInCode: ["POST", "/api/auth/email/verify", "o"],
  signUp: ["POST", "/api/auth/sign-up", "o"],
  signIn: ["POST", "/api/auth/sign-in", "o"],
  makePasskeyOptions: ["POST", "/api/auth/passkeys/options", "o"],
  addPasskey: ["POST", "/api/auth/passkeys/register", "a"],
  signInByPasskey: ["POST", "/api/auth/passkeys/assert", "o"],
  listPasskeys: ["GET", "/api/me/passkeys", "a"],
  removePasskey: ["DELETE", "/api/me/passkeys/{id}", "akm"],
  forgotPassword: ["POST", "/api/auth/password/forgot", "o"],
  resetPassword: ["POST", "/api/auth/password/reset", "o"],
  changePassword: ["PUT", "/api/me/password", "am"],
  batch: ["POST", "/api/batch", "a"],
  sync: ["GET", "/api/sync", "a"],
  createFamily: ["POST", "/api/family/create", "ak"],
  createAnotherFamily: ["POST", "/api/families", "ak"],
  listFamilies: ["GET", "/api/family", "an"],
  readFamily: ["GET", "/api/family/{id}", "an"],
  updateFamily: ["PATCH", "/api/family/{id}", "akm"],
  readAttributes: ["GET", "/api/family/{id}/attributes", "an"],
  patchAttributes: ["PATCH", "/api/family/{id}/attributes", "akm"],
  readQRCodeSVG: ["GET", "/api/family/{id}/qr.svg", "ax"],
  readQRCodePNG: ["GET", "/api/family/{id}/qr.png", "ab"],
  listMembers: ["GET", "/api/family/members", "an"],
  readMember: ["GET", "/api/family/members/{memberId}", "an"],
  setHouseholdRole: ["PATCH", "/api/family/members/{memberId}", "akmtv"],
  removeMember: ["DELETE", "/api/family/members/{memberId}", "akm"],
  leaveFamily: ["DELETE", "/api/family/members/me", "akm"],
  approveMember: ["POST", "/api/family/members/{memberId}/approve", "ak"],
  rejectMember: ["POST", "/api/family/members/{memberId}/reject", "ak"],
  transferAdmin: ["POST", "/api/family/admin/transfer", "ak"],
  previewFamilyCode: ["GET", "/api/family/code/{code}", "a"],
  joinFamily: ["POST", "/api/family/code/join", "ak"],
  joinFamilyByFunction: ["POST", "/functions/v1/family-code-join", "ak"],
  regenerateFamilyCode: ["POST", "/api/family/code/regenerate", "ak"],
  createInvitation: ["POST", "/api/family/invite", "ak"],
  previewInvitation: ["GET", "/api/family/invite/{token}", "o"],
  acceptInvitation: ["POST", "/api/family/invite/{token}/accept", "ak"],
  declineInvitation: ["POST", "/api/family/invite/{token}/decline", "ak"],
  listInvitations: ["GET", "/api/family/invitations", "a"],
  resendInvitation: ["POST", "/api/family/invitations/{id}/resend", "ak"],
  revokeInvitation: ["DELETE", "/api/family/invitations/{id}", "akm"],
  addManagedMember: ["POST", "/api/family/managed", "ak"],
  readManagedMember: ["GET", "/api/family/managed/{id}", "an"],
  updateManagedMember: ["PATCH", "/api/family/managed/{id}", "akm"],
  removeManagedMember: ["DELETE", "/api/family/managed/{id}", "akm"],
  reassignManagedMember: ["POST", "/api/family/managed/{id}/guardian", "ak"],
  addGuardian: ["POST", "/api/family/managed/{id}/guardians", "ak"],
  promoteGuardian: ["PATCH", "/api/family/managed/{id}/guardians/{memberId}", "akm"],
  removeGuardian: ["DELETE", "/api/family/managed/{id}/guardians/{memberId}", "akm"],
  declineGuardianship: ["DELETE", "/api/family/managed/{id}/guardians/me", "akm"],
  startGraduation: ["POST", "/api/family/managed/{id}/graduation", "ak"],
  listConsents: ["GET", "/api/family/managed/{id}/consents", "a"],
  readConsent: ["GET", "/api/family/managed/{id}/consents/{purpose}", "a"],
  giveConsent: ["PUT", "/api/family/managed/{id}/consents/{purpose}", "akm"],
  withdrawConsent: ["DELETE", "/api/family/managed/{id}/consents/{purpose}", "akm"],
  readMyGroup: ["GET", "/groups/me", "an"],
  readGroup: ["GET", "/groups/{id}", "an"],
  addManagedMemberToGroup: ["POST", "/groups/{id}/members/managed", "ak"],
  readPreferences: ["GET", "/groups/{id}/preferences", "an"],
  writePreferences: ["PUT", "/groups/{id}/preferences", "akm"],
  readPlayerDetails: ["GET", "/api/family/player-details", "an"],
  writePlayerDetails: ["POST", "/api/family/player-details", "ak"],
  readAudit: ["GET", "/api/family/audit", "a"],
};

/** Method, path and properties of each operation for servers. */
export const serverOperations: {
  readonly [Name in ServerOperationName]: readonly [string, string, string];
} = {
  listServerFamilies: ["GET", "/api/server/families", ""],
  readServerFamily: ["GET", "/api/server/families/{id}", ""],
  listServerMembers: ["GET", "/api/server/families/{id}/members", ""],
  createServerInvitation: ["POST", "/api/server/families/{id}/invitations", ""],
  findServerPeople: ["GET", "/api/server/people", ""],
  readServerPerson: ["GET", "/api/server/people/{id}", ""],
  listServerEvents: ["GET", "/api/server/events", ""],
};
