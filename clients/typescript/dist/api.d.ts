export declare type AcceptedInvitation = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The family's id. */
    familyUnitId: string;
    /** The family in which the caller lived alone, and which it has left for this one. */
    leftFamilyId?: string;
};
export declare type Actor = {
    /** The id. */
    id: string;
    /** The person's name. */
    fullName: string | null;
};
export declare type AuditEntry = {
    /** The entry's id. */
    id: string;
    /** When it happened. */
    at: string;
    /** Who did it; null if it was no account. */
    actorUserId: string | null;
    /** The actor, if it was not an account. */
    actorLabel: string | null;
    /** Whom it is about. */
    subjectUserId: string | null;
    /** What was done; see permissions.md. */
    action: string;
    /** What it was done to, such as a member. */
    targetId: string | null;
    /** More about it, which depends on the action. */
    details: Record<string, unknown>;
};
export declare type AuditPage = {
    /** The entries, newest first. */
    entries: Array<AuditEntry>;
    /** For `cursor` of the next page; null on the last one. */
    nextCursor: string | null;
};
export declare type AwaitedApproval = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The family's id. */
    familyId: string;
    /** The family's name. */
    familyName: string;
    /** The person waits for the family's approval. */
    status: "invited";
    /** A sentence for people. */
    message: "Your request to join is waiting for approval";
};
export declare type BatchResult = {
    /** Its status; 424 if it was not tried. */
    status: number;
    /** Its headers. */
    headers: Record<string, unknown>;
    /** Its body; null if it has none. */
    body: unknown;
};
export declare type BatchResults = {
    /** The answers, in the order of the operations. */
    results: Array<BatchResult>;
};
export declare type Change = {
    /** What the change is about. */
    kind: "family" | "member" | "invitation" | "receivedInvitation" | "profile" | "preferences" | "playerDetails" | "attributes";
    /** What has changed. */
    id: string;
    /** The family's id. */
    familyId: string | null;
    /** The version of the family, or of the person, that it belongs to. */
    version: number;
    /** As its own route shows it. */
    value?: ChangedValue;
    /** Always true: it is gone, or may not be seen any more. */
    deleted?: boolean;
};
export declare type ChangedMembers = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The members. */
    members: Array<Member>;
};
export declare type ChangedValue = Family | Member | Invitation | ReceivedInvitation | OwnProfile | MemberPreferences | PlayerDetails | Record<string, unknown>;
export declare type CodePreview = {
    /** The family's name. */
    familyName: string;
    /** How many active members the family has. */
    memberCount: number;
    /** Whether the caller would wait for approval: the family approves who joins by its code, or every family does for the moment. */
    approvalRequired: boolean;
};
export declare type Consent = {
    /** The name of what is consented to. */
    purpose: string;
    /** Whether consent stands; a required one only for the present version. */
    given: boolean;
    /** The version of the text. */
    version: string | null;
    /** The guardian's user id; null if none stands. */
    givenBy: string | null;
    /** When it was given; null if none stands. */
    givenAt: string | null;
    /** How it was proved: by being signed in, or by a mailed code besides. */
    method: "signed_in" | "email_code" | null;
    /** The version of the present text; null for a purpose that is no longer asked for. */
    currentVersion: string | null;
    /** Whether the child's preferences can be written only with this consent. */
    required: boolean;
    /** The title, once for each language. */
    title: Array<LocalText>;
    /** The text to show, once for each language. */
    text: Array<LocalText>;
};
export declare type Consents = {
    /** The purposes, and what was consented to. */
    consents: Array<Consent>;
};
export declare type CreatedFamily = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The family's id. */
    familyId: string;
    /** Empty if it has expired or the caller may not see it. */
    familyCode: string;
    /** The family's name. */
    familyName: string;
    /** A sentence for people. */
    message?: "Family already exists";
};
export declare type Delegation = {
    /** Send it as a bearer token. */
    access_token: string;
    /** What kind of token it is. */
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token";
    /** How the token is sent. */
    token_type: "Bearer";
    /** For how many seconds it is valid. */
    expires_in: number;
};
export declare type ErasureBlocker = {
    /** A child whose only guardian the caller is, or the seat that the caller holds. */
    kind: "guardian_has_managed_members" | "transfer_admin_first";
    /** The family's id. */
    familyId: string;
    /** The child, or the caller's own membership. */
    memberId: string;
};
export declare type Families = {
    /** The caller's families. */
    families: Array<Family>;
};
export declare type Family = {
    /** The family's id. */
    familyId: string;
    /** Empty if it has expired or the caller may not see it. */
    familyCode: string;
    /** The family's name. */
    familyName: string;
    /** Empty if there is no code. */
    codeGeneratedAt: string;
    /** When the code stops working; null if never. */
    codeExpiresAt: string | null;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** The role in the household, which decides about rights. */
    householdRole: "parent_admin" | "adult" | "kid" | "visitor";
    /** The member's id. */
    memberId: string;
    /** How many active members the family has. */
    memberCount: number;
    /** How many active members the family can have. */
    memberLimit: number;
    /** The user who created the family. */
    createdByUserId: string;
    /** Whether people who join by code wait for approval. */
    approvalRequired: boolean;
    /** Where the family's home is; null if unknown. */
    homeLatitude: number | null;
    /** Where the family's home is; null if unknown. */
    homeLongitude: number | null;
    /** When it was created. */
    createdAt: string;
    /** When it last changed. */
    updatedAt: string;
    /** The household roles below Parent Admin that the caller may choose for itself. */
    selectableRoles: Array<"parent_admin" | "adult" | "kid" | "visitor">;
    /** Whether the caller may claim the Parent Admin's seat: `free`; `taken`, perhaps by the caller; `reserved`: vacant, but not for the caller. */
    parentAdmin: "free" | "taken" | "reserved";
};
export declare type Group = {
    /** The family's id. */
    group_id: string;
    /** The family's name. */
    name: string;
    /** The user who created the family. */
    created_by: string;
    /** How many active members the family has. */
    member_count: number;
    /** When it was created. */
    created_at: string;
    /** The texts of the family's attribute `streaming_services`. */
    streaming_services: Array<string>;
    /** The members. */
    members: Array<GroupMember>;
};
export declare type GroupMember = {
    /** The user's id. */
    user_id: string;
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    display_name: string;
    /** Empty unless the caller may see it. */
    email: string;
    /** The name of a picture that the apps know. */
    avatar_key: string;
    /** `creator` for who created the family. */
    role: "creator" | "member";
    /** When the membership began. */
    joined_at: string;
    /** Whether this is a child without an account. */
    is_managed: boolean;
    /** The primary guardian's user id; null for a member with an account. */
    parent_user_id: string | null;
    /** The guardians of a child without an account, the primary one first; else empty. */
    guardians: Array<Guardian>;
    /** `managed` for a child without an account. */
    member_type: "independent" | "managed";
};
export declare type Guardian = {
    /** The user's id. */
    userId: string;
    /** The member's id. */
    memberId: string;
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    displayName: string;
    /** Whether this is the child's primary guardian. */
    isPrimary: boolean;
    /** When the person became a guardian. */
    since: string;
};
export declare type Identities = {
    /** The ways to sign in. */
    identities: Array<Identity>;
};
export declare type Identity = {
    /** The id. */
    id: string;
    /** What kind of way it is. */
    kind: "issuer" | "email" | "password" | "passkey";
    /** The issuer of the other token; null where there was none. */
    issuer: string | null;
    /** The e-mail address. */
    email: string | null;
    /** When the person became a guardian. */
    since: string;
};
export declare type Invitation = {
    /** The invitation's id. */
    id: string;
    /** The family's id. */
    family_unit_id: string;
    /** The inviter's user id. */
    invited_by: string;
    /** The invited address; empty for a link. */
    invited_email: string;
    /** What the accepting account becomes: `member`, a new member; `graduation`, the member that was a child without an account until then. */
    kind: "member" | "graduation";
    /** Of a graduation: the child whom the accepting account becomes; else null. */
    member_id: string | null;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** The role in the household, which decides about rights. */
    household_role: "parent_admin" | "adult" | "kid" | "visitor";
    /** The token of the link; never shown in lists. */
    token: "";
    /** The state of the invitation. */
    status: "pending" | "accepted" | "declined" | "revoked" | "expired";
    /** How the invitation reaches the person: by e-mail or by a link. */
    delivery: "email" | "link";
    /** `failed` if the e-mail could not be delivered. */
    delivery_status: string | null;
    /** When the invitation stops working. */
    expires_at: string;
    /** When it was created. */
    created_at: string;
    /** When it was accepted. */
    accepted_at: string | null;
};
export declare type InvitationPreview = {
    /** The invitation's id. */
    invitationId: string;
    /** Masked unless the caller has this address; empty for a link. */
    email: string;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** The family's name. */
    familyName: string;
    /** The inviter's name; may be empty. */
    inviterName: string;
    /** When the invitation stops working. */
    expiresAt: string;
    /** What the accepting account becomes: `member`, a new member; `graduation`, the member that was a child without an account until then. */
    kind: "member" | "graduation";
};
export declare type Invitations = {
    /** The pending invitations. */
    invitations: Array<Invitation>;
    /** For `cursor` of the next page; null on the last one. */
    nextCursor: string | null;
};
/** An object of the client's own. */
export declare type JSONDocument = Record<string, unknown>;
export declare type JoinRequest = {
    /** The family's id. */
    familyId: string;
    /** The family's name. */
    familyName: string;
    /** The side on which the caller enters the family when it is approved. */
    role: "player" | "parent";
    /** Since when the caller has waited. */
    requestedAt: string;
};
export declare type JoinedFamily = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The family's id. */
    familyId: string;
    /** The family's name. */
    familyName: string;
    /** A sentence for people. */
    message: "Successfully joined family";
    /** The family in which the caller lived alone, and which it has left for this one. */
    leftFamilyId?: string;
};
export declare type ListedSession = {
    /** The id. */
    id: string;
    /** How the person signed in. */
    method: "exchange" | "email" | "password" | "passkey";
    /** The issuer of the other token; null where there was none. */
    issuer: string | null;
    /** What the list of sessions calls the device. */
    device: string | null;
    /** When the person signed in. */
    startedAt: string;
    /** When the session was last continued. */
    lastUsedAt: string;
    /** When it ends unless it is continued. */
    endsAt: string;
    /** Whether the request came with a token of this session. */
    isCurrent: boolean;
};
export declare type LocalText = {
    /** The language; `und` for a text without one. */
    language: string;
    /** The text in this language. */
    text: string;
};
export declare type Member = {
    /** The member's id. */
    id: string;
    /** The family's id. */
    family_unit_id: string;
    /** The user's id. */
    user_id: string;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** The role in the household, which decides about rights. */
    household_role: "parent_admin" | "adult" | "kid" | "visitor";
    /** `invited` waits for approval. */
    status: "active" | "invited" | "removed";
    /** When the membership began. */
    added_at: string;
    /** Whether this is a child without an account. */
    is_managed: boolean;
    /** The primary guardian's user id; null for a member with an account. */
    parent_user_id: string | null;
    /** The guardians of a child without an account, the primary one first; else empty. */
    guardians: Array<Guardian>;
    /** `managed` for a child without an account. */
    member_type: "independent" | "managed";
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    display_name: string;
    /** The name of a picture that the apps know. */
    avatar_key: string;
    /** The https address of a picture. */
    avatar_url: string | null;
    /** When it was created. */
    created_at: string;
    /** When it last changed. */
    updated_at: string;
    /** The person behind the membership. */
    users: MemberUser;
    /** What became of two changes that met: one was late, or undone. */
    conflict?: RoleConflict;
};
export declare type MemberPreferences = {
    /** Whose preferences these are. */
    user_id: string;
    /** The family's id. */
    group_id: string;
    /** The object as it is stored. */
    preferences: Record<string, unknown>;
    /** When it last changed. */
    updated_at: string | null;
    [name: string]: unknown;
};
export declare type MemberUser = {
    /** The id. */
    id: string;
    /** Empty unless the caller may see it. */
    email: string;
    /** The person's name. */
    full_name: string | null;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
};
export declare type Members = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The family's id. */
    familyId: string;
    /** The members. */
    members: Array<Member>;
    /** How many there are. */
    count: number;
    /** For `cursor` of the next page; null on the last one. */
    nextCursor: string | null;
    /** The household roles below Parent Admin that the caller may choose for itself. */
    selectableRoles: Array<"parent_admin" | "adult" | "kid" | "visitor">;
    /** Whether the caller may claim the Parent Admin's seat: `free`; `taken`, perhaps by the caller; `reserved`: vacant, but not for the caller. */
    parentAdmin: "free" | "taken" | "reserved";
};
export declare type MissingConsent = {
    /** The name of what is consented to. */
    purpose: string;
    /** The version of the present text. */
    version: string;
};
export declare type NoGroup = {
    /** Null: the caller has no family. */
    group: null;
};
export declare type OverwrittenChange = {
    /** The role in the household, which decides about rights. */
    household_role?: string;
    /** The member who made the other change. */
    by?: string;
    /** When it was made. */
    at: string;
};
export declare type OwnConsent = {
    /** The name of what is consented to. */
    purpose: string;
    /** Whether consent stands; a required one only for the present version. */
    given: boolean;
    /** The version of the text. */
    version: string | null;
    /** When it was given; null if none stands. */
    givenAt: string | null;
    /** How it was proved; null if none stands. */
    method: "self" | null;
    /** The version of the present text; null for a purpose that is no longer asked for. */
    currentVersion: string | null;
    /** Whether every account is asked for it. */
    required: boolean;
    /** The permissions that the account lacks while this consent is missing. */
    refuses: Array<string>;
    /** The title, once for each language. */
    title: Array<LocalText>;
    /** The text to show, once for each language. */
    text: Array<LocalText>;
};
export declare type OwnConsents = {
    /** The purposes, and what was consented to. */
    consents: Array<OwnConsent>;
};
export declare type OwnProfile = {
    /** The id. */
    id: string;
    /** The e-mail address. */
    email: string;
    /** The person's name. */
    fullName: string | null;
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    displayName: string;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** Whether nobody has said the caller's role: it is `parent` then, and `PATCH /api/me` takes it once, also within a family. */
    roleIsDefault: boolean;
    /** The name of a picture that the apps know. */
    avatarKey: string;
    /** The https address of a picture. */
    avatarUrl: string | null;
    /** The language of e-mails to the account, by its tag (RFC 5646); null if none is known. */
    locale: string | null;
    /** Whether this is a child without an account. */
    isManaged: boolean;
    /** The caller's requests to join that wait for a family's approval, the oldest first. `DELETE /api/me/requests/:id` withdraws one. */
    joinRequests: Array<JoinRequest>;
    /** What the account is asked to consent to and has not: give it by `PUT /api/me/consents/:purpose`. */
    consentsMissing: Array<MissingConsent>;
};
export declare type Passkey = {
    /** The id. */
    id: string;
    /** What the person calls it. */
    label: string | null;
    /** Whether other devices of the person have it too. */
    isBackedUp: boolean;
    /** When it was created. */
    createdAt: string;
    /** When somebody last signed in with it; null if never. */
    lastUsedAt: string | null;
};
export declare type PasskeyOptions = {
    /** What `navigator.credentials.create` or `get` takes, as JSON: for `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`. */
    publicKey: Record<string, unknown>;
    /** For how many seconds it is valid at least. */
    expiresIn: number;
};
export declare type Passkeys = {
    /** The passkeys, the oldest first. */
    passkeys: Array<Passkey>;
};
export declare type PlayerDetails = {
    /** The player's name. */
    playerName: string | null;
    /** The player's day of birth. */
    playerDob: string | null;
    /** The year in which the player leaves school. */
    graduationYear: number | null;
    /** The player's sport. */
    sport: string | null;
    /** The player's position. */
    position: string | null;
    /** The player's gender, in the words of the app. */
    gender: string | null;
    /** A further detail. */
    [name: string]: unknown;
};
export declare type PlayerDetailsAnswer = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The notes after the request. */
    playerDetails: PlayerDetails;
};
export declare type Profile = {
    /** Empty for an anonymous caller. */
    id: string;
    /** The e-mail address. */
    email: string;
    /** The person's name. */
    fullName: string | null;
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    displayName: string;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** Whether nobody has said the caller's role: it is `parent` then, and `PATCH /api/me` takes it once, also within a family. */
    roleIsDefault: boolean;
    /** The name of a picture that the apps know. */
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
    /** What the account is asked to consent to and has not: give it by `PUT /api/me/consents/:purpose`. */
    consentsMissing: Array<MissingConsent>;
    /** The guardian, while acting for a child. */
    actor?: Actor;
};
export declare type Profiles = {
    /** The caller's own profile, then those of guarded children. */
    profiles: Array<SwitchableProfile>;
};
export declare type ReceivedInvitation = {
    /** The invitation's id. */
    id: string;
    /** The family's name. */
    familyName: string;
    /** The inviter's name; may be empty. */
    inviterName: string;
    /** The side of the family: player or parent. */
    role: "player" | "parent";
    /** When the invitation stops working. */
    expiresAt: string;
    /** What the accepting account becomes: `member`, a new member; `graduation`, the member that was a child without an account until then. */
    kind: "member" | "graduation";
};
export declare type ReceivedInvitations = {
    /** The pending invitations. */
    invitations: Array<ReceivedInvitation>;
};
export declare type RegeneratedCode = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** Empty if it has expired or the caller may not see it. */
    familyCode: string;
    /** When the code was made. */
    codeGeneratedAt: string;
    /** When the code stops working; null if never. */
    codeExpiresAt: string | null;
};
export declare type ResentInvitation = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** Only for an invitation by link. */
    inviteUrl?: string;
};
export declare type RoleConflict = {
    /** Whose change was kept. */
    kept?: "theirs" | "yours";
    /** The member who made the other change. */
    by?: string;
    /** When the other change was made. */
    at?: string;
    /** The other person's change that it undid, and that the client had not seen. */
    overwrote?: OverwrittenChange;
};
export declare type SentCode = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** For how many seconds it is valid at least. */
    expiresIn: number;
};
export declare type SentInvitation = {
    /** Always true: a failure is a problem document. */
    success: true;
    /** The invitation's id. */
    invitationId: string;
    /** Only for an invitation by link. */
    inviteUrl?: string;
};
export declare type Session = {
    /** The id. */
    id: string;
    /** When the person signed in. */
    startedAt: string;
    /** How the person signed in. */
    method: "exchange" | "email" | "password" | "passkey";
};
export declare type Sessions = {
    /** The sessions, the one used last first. */
    sessions: Array<ListedSession>;
};
export declare type SignedIn = {
    /** Send it as a bearer token. */
    access_token: string;
    /** How the token is sent. */
    token_type: "Bearer";
    /** For how many seconds it is valid at least. */
    expires_in: number;
    /** Opaque; replaced whenever it is used. */
    refresh_token: string;
    /** For how many seconds it can be used. */
    refresh_expires_in: number;
    /** The session. */
    session: Session;
    /** The person's profile. */
    user: Profile;
    /** Whether the account was made by this. */
    isNew: boolean;
};
export declare type Status = {
    /** What was found. */
    status: string;
};
export declare type Success = {
    /** Always true: a failure is a problem document. */
    success: true;
};
export declare type SwitchableProfile = {
    /** The user's id, for `X-Acting-As-Member`. */
    memberId: string;
    /** The name to show: without a name, what a verified address has before its @, or `Member`. */
    displayName: string;
    /** The name of a picture that the apps know. */
    avatarKey: string;
    /** Whether this is a child without an account. */
    isManaged: boolean;
    /** The primary guardian's user id; null for a member with an account. */
    parentUserId: string | null;
    /** The guardians of a child without an account, the primary one first; else empty. */
    guardians: Array<Guardian>;
    /** The family's id. */
    familyId: string | null;
};
export declare type SyncPage = {
    /** The changes, in the order in which to take them. */
    changes: Array<Change>;
    /** Where the next request goes on. */
    cursor: string;
    /** Whether there is another page now. */
    hasMore: boolean;
    /** Whether the app must forget what it has first. */
    reset: boolean;
};
export declare type Ticket = {
    /** Send it with the code. */
    ticket: string;
    /** For how many seconds it is valid at least. */
    expiresIn: number;
};
export declare type WrongField = {
    /** Where the field is: a JSON pointer. */
    pointer: string;
    /** What is wrong with it, for people. */
    detail: string;
    /** What is wrong with it, for programs. */
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
    /** Send less. */
    body_too_large: 413;
    /** Correct the client; `detail` says what is wrong. */
    headers_too_large: 431;
    /** Correct the client; `detail` says what is wrong. */
    not_found: 404;
    /** Leave the condition out, or read again and decide anew. */
    precondition_failed: 412;
    /** Correct the client; `detail` says what is wrong. */
    method_not_allowed: 405;
    /** Get a new token (Hearth's own: `POST /api/auth/refresh`), or let the person sign in. */
    not_signed_in: 401;
    /** Get a new token (Hearth's own: `POST /api/auth/refresh`), or let the person sign in. */
    invalid_token: 401;
    /** Try again later; report the `requestId` if it happens again. */
    internal: 500;
    /** Send the request again after `Retry-After`, under the same key. */
    unavailable: 503;
    /** Send the request again after `Retry-After`, under the same key. */
    keys_pending: 503;
    /** Send it again under the same `Idempotency-Key`; without one, read before you repeat. */
    outcome_unknown: 503;
    /** For load balancers: send requests to another instance. */
    draining: 503;
    /** Send the request again after `Retry-After`, under the same key. For load balancers: send requests to another instance. */
    database_away: 503;
    /** Send the request again after `Retry-After`, under the same key. */
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
    /** Let the person sign in as the one already added, or remove it first. */
    identity_of_issuer_exists: 409;
    /** A mistake of the client, or another site's passkey: read `detail`. */
    passkey_invalid: 400;
    /** Offer another passkey, or another way to sign in. */
    passkey_refused: 401;
    /** Ask for new options, and let the person start again. */
    challenge_expired: 410;
    /** Read the list again. */
    passkey_not_found: 404;
    /** Nothing: it is there. */
    passkey_exists: 409;
    /** Let the person remove one that is not used any more. */
    too_many_passkeys: 409;
    /** Exchange the token: `POST /api/auth/exchange`. */
    session_required: 403;
    /** Let the person sign in with an account. */
    account_required: 403;
    /** Let the person sign in again and use the new token. A code is enough, too: `POST /api/me/deletion-code`, then `X-Confirmation-Code`. */
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
    /** Ask for one's own preferences, or those of a guarded child. */
    preferences_of_another: 403;
    /** Show a guardian `GET /api/family/managed/:id/consents`, and give those required. */
    consent_required: 403;
    /** Show `GET /api/me/consents`, and give those that `consentsMissing` of `GET /api/me` lists. */
    consent_missing: 403;
    /** Ask for a new invitation from the Parent Admin, the creator, or a member who is vouched for. Who was turned down twice can ask again after 30 days. */
    removed_from_family: 403;
    /** Forget the id and read the lists again: it does not exist, or not for the caller. */
    family_not_found: 404;
    /** Forget the id and read the lists again: it does not exist, or not for the caller. */
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
    /** Ask for the code again, and show its form: `detail` says it. It was no try. */
    code_malformed: 400;
    /** Use the route for oneself, such as leaving the family. */
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
    /** Let the inviter, the creator or the Parent Admin send it again. */
    already_invited: 409;
    /** Read the families again. If this one is not among them, ask for another invitation. */
    invitation_answered: 409;
    /** Let the person sign in with an account that is in no family. */
    not_the_graduate: 409;
    /** Read the list of consents again, and show the present text. */
    consent_outdated: 409;
    /** Settle each of `blockers`, or send the request again with `reassignManagedTo`, `transferAdminTo` or `eraseManaged=true`. */
    erasure_blocked: 409;
    /** Let the person sign in again. */
    no_verified_address: 409;
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
export declare type RefusalCode = keyof RefusalStatuses;
/** Fields that problems of all codes have (RFC 9457). */
export declare type ProblemFields = {
    /** A URN that ends in the code. */
    type: string;
    /** The name of the status. */
    title: string;
    /** What is wrong, for people. */
    detail: string;
    /** The same as `detail`. */
    message: string;
    /** The request's id in the log. */
    requestId: string;
    /** Of `player_has_family`: the family that the caller belongs to. */
    familyId?: string;
    /** The same family's name. */
    familyName?: string;
    /** All fields of the body that are wrong. */
    errors?: Array<WrongField>;
    /** Of `erasure_blocked`: what stands in the way. */
    blockers?: Array<ErasureBlocker>;
    /** Of a wrong code: how many attempts are left. */
    attemptsLeft?: number;
    /** Of a failed `If-Match`: what is there now, as GET shows it. */
    current?: Record<string, unknown>;
};
/** The problem of a code; of several codes, a union that `code` tells apart. */
export declare type Problem<Code extends RefusalCode = RefusalCode> = {
    [One in Code]: ProblemFields & {
        code: One;
        status: RefusalStatuses[One];
    };
}[Code];
/** Codes that every operation can return. */
export declare type CommonCode = "malformed_request" | "malformed_acting_as" | "invalid_token" | "session_ended" | "acting_refused" | "consent_required" | "not_acceptable" | "precondition_failed" | "body_too_large" | "headers_too_large" | "internal" | "unavailable" | "keys_pending" | "database_away" | "database_busy";
/** Further codes that every change can return. */
export declare type ChangeCode = "invalid_field" | "account_required" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found" | "idempotency_key_in_use" | "retry_later" | "idempotency_key_reused" | "too_many_keys" | "outcome_unknown";
/**
 * What each operation takes and returns. A newer server may refuse with codes that are
 * not listed here: give each `switch` a default.
 */
export interface Operations {
    /** Reads the caller's profile; while acting, the managed member's. */
    readProfile: {
        request: {};
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Profile;
        };
        code: CommonCode | "not_signed_in";
    };
    /** Changes the caller's profile; while acting, the managed member's. */
    updateProfile: {
        request: {
            body?: {
                /** If missing or empty, it stays unchanged. A managed member's name has 1 to 30 characters. */
                fullName?: string | null;
                /** Can change only while the caller belongs to no family. If `roleIsDefault` is true, it can be said once in any case: the household role follows unless others have set it. */
                role?: "player" | "parent" | null;
                /** Null or empty clears it. */
                avatarKey?: string | null;
                /** Null or empty clears it. */
                avatarUrl?: string | null;
                /** The language of e-mails to the account. If missing or empty, it stays unchanged. */
                locale?: string | "" | null;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Profile;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "guardian_has_managed_members" | "role_fixed_in_family" | "unsupported_media_type";
    };
    /** Erases the caller's account at once and for good. Needs a sign-in of the last ten minutes, or the mailed code. */
    eraseAccount: {
        request: {
            query?: {
                "reassignManagedTo"?: Array<string>;
                "transferAdminTo"?: Array<string>;
                "eraseManaged"?: boolean;
            };
        };
        options: "actingAs" | "ifMatch" | "confirmationCode";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "code_malformed" | "code_wrong" | "not_signed_in" | "fresh_sign_in_required" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "admin_not_adult" | "erasure_blocked" | "too_many_attempts";
    };
    /** Mails the code that confirms the erasure of the caller's account. */
    sendDeletionCode: {
        request: {};
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 202;
            body: SentCode;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "no_verified_address" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Everything that is stored about the caller and the children whose guardian the caller is, as one document; three times a day. It has more fields than are described. */
    exportAccount: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: {
                /** Its name. */
                format: "hearth-account-export";
                /** Grows when fields change their meaning. */
                version: number;
                /** When it was made. */
                exportedAt: string;
                /** The caller: profile, memberships, trail. */
                account: Record<string, unknown>;
                /** The same of each child. */
                children: Array<Record<string, unknown>>;
            };
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting" | "too_many_attempts";
    };
    /** Lists the profiles that the account can switch to, its own first, whomever it acts for. */
    listProfiles: {
        request: {
            query?: {
                "familyId"?: string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Profiles;
        };
        code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "family_not_found";
    };
    /** Lists what the account is asked to consent to for itself, and did. */
    listOwnConsents: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: OwnConsents;
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
    };
    /** Gives the account's consent for itself. */
    giveOwnConsent: {
        request: {
            path: {
                "purpose": string;
            };
            body: {
                /** The version of the text that was shown. */
                version: string;
                /** How the account proves it: by being signed in itself. */
                method: "self";
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: OwnConsent;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "purpose_not_found" | "consent_outdated" | "unsupported_media_type";
    };
    /** Withdraws the account's consent for itself; it counts with the next request. */
    withdrawOwnConsent: {
        request: {
            path: {
                "purpose": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: OwnConsent;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "purpose_not_found";
    };
    /** Lists the pending invitations to the caller's verified address. */
    listMyInvitations: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: ReceivedInvitations;
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
    };
    /** Accepts an invitation to the caller's verified address. */
    acceptMyInvitation: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: AcceptedInvitation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "removed_from_family" | "invitation_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "too_many_families" | "invitation_answered" | "not_the_graduate" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Declines an invitation to the caller's verified address. */
    declineMyInvitation: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Withdraws the caller's request to join; ends no membership. */
    withdrawRequest: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_is_not_waiting";
    };
    /** Lists the sessions of the caller's account, the one used last first. */
    listSessions: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: Sessions;
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
    };
    /** Ends all sessions of the caller's account but the present one. */
    endOtherSessions: {
        request: {};
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing";
    };
    /** Ends a session of the caller's account. */
    endSession: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "session_not_found";
    };
    /** Lists the ways to sign in to the caller's account. */
    listIdentities: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: Identities;
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
    };
    /** Adds another issuer's sign-in to the caller's account. */
    addIdentity: {
        request: {
            body: {
                /** A token of a trusted issuer, of the same person. */
                token: string;
                /** What the client asked for the token with; the token's claim is its SHA-256 in hex. Needed where the issuer's entry says so. */
                nonce?: string | null;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Identities;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "sign_in_again" | "consent_missing" | "identity_in_use" | "identity_of_issuer_exists" | "unsupported_media_type";
    };
    /** Removes a way to sign in, but never the last; the password goes with the last address. */
    removeIdentity: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "sign_in_again" | "consent_missing" | "identity_not_found" | "last_identity";
    };
    /** Gives a token by which a service can act for a child, for five minutes. */
    delegate: {
        request: {
            body: {
                /** The member's id. */
                memberId: string;
                /** The service that the token is for. */
                audience: string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Delegation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "session_required" | "consent_missing" | "not_found" | "unsupported_media_type";
    };
    /** Opens a session for the person of another issuer's token. */
    exchangeToken: {
        request: {
            body: {
                /** A token of a trusted issuer. */
                token: string;
                /** What the client asked for the token with; the token's claim is its SHA-256 in hex. Needed where the issuer's entry says so. */
                nonce?: string | null;
                /** Apple's, as it came with the token: with it Hearth notices when the person takes the app's access back, and takes it back when the account is erased. */
                authorizationCode?: string | null;
                /** The person's name, as Apple tells it the first time only. It counts where neither the token nor the account has one. */
                fullName?: string | null;
                /** What the person's list of sessions calls the device. */
                device?: string | null;
            };
        };
        options: never;
        success: {
            status: 200;
            body: SignedIn;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type";
    };
    /** Continues a session: gives a new access token and refresh token. */
    refreshSession: {
        request: {
            body: {
                /** The refresh token of the latest response. */
                refresh_token: string;
            };
        };
        options: never;
        success: {
            status: 200;
            body: SignedIn;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_refresh_token" | "not_found" | "unsupported_media_type";
    };
    /** Ends the session of a refresh token; its access tokens end with it. */
    signOut: {
        request: {
            body: {
                /** The refresh token of the latest response. */
                refresh_token: string;
            };
        };
        options: never;
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_refresh_token" | "not_found" | "unsupported_media_type";
    };
    /** Mails a code to an address, whether or not it has an account. */
    sendSignInCode: {
        request: {
            body: {
                /** The person's address. */
                email: string;
            };
        };
        options: never;
        success: {
            status: 202;
            body: Ticket;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Signs in with a mailed code; the first time it makes the account. */
    verifySignInCode: {
        request: {
            body?: {
                /** As it came when the code was sent; with `code`. */
                ticket?: string | null;
                /** The six digits of the e-mail. */
                code?: string | null;
                /** In place of ticket and code: the `token` of the e-mail's link, for apps that open it. */
                linkToken?: string | null;
                /** What the person's list of sessions calls the device. */
                device?: string | null;
            };
        };
        options: never;
        success: {
            status: 200;
            body: SignedIn;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "code_wrong" | "not_found" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Mails a code that makes an account with this password. */
    signUp: {
        request: {
            body: {
                /** The person's address. */
                email: string;
                /** 8 to 256 characters that are not easy to guess. */
                password: string;
                /** The person's name. */
                fullName?: string | null;
                /** The side of the family: player or parent. */
                role?: "player" | "parent" | null;
            };
        };
        options: never;
        success: {
            status: 202;
            body: Ticket;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_found" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Signs in with address and password. */
    signIn: {
        request: {
            body: {
                /** The person's address. */
                email: string;
                /** 8 to 256 characters that are not easy to guess. */
                password: string;
                /** What the person's list of sessions calls the device. */
                device?: string | null;
            };
        };
        options: never;
        success: {
            status: 200;
            body: SignedIn;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "invalid_credentials" | "not_found" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Gives what `navigator.credentials` needs; to add a passkey, to somebody signed in. */
    makePasskeyOptions: {
        request: {
            body: {
                /** Whether a passkey is to be added, or to sign in. */
                purpose: "register" | "assert";
            };
        };
        options: never;
        success: {
            status: 200;
            body: PasskeyOptions;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "sign_in_again" | "not_found" | "unsupported_media_type";
    };
    /** Adds a passkey that was just made to the caller's account. */
    addPasskey: {
        request: {
            body: {
                /** What `navigator.credentials` gave, as JSON: `credential.toJSON()`, or the answer of the phone's system. */
                credential: Record<string, unknown>;
                /** What the person calls the passkey, such as its device. */
                label?: string | null;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Passkeys;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "passkey_invalid" | "not_signed_in" | "sign_in_again" | "consent_missing" | "not_found" | "passkey_exists" | "too_many_passkeys" | "challenge_expired" | "unsupported_media_type";
    };
    /** Signs in with a passkey. */
    signInByPasskey: {
        request: {
            body: {
                /** What `navigator.credentials` gave, as JSON: `credential.toJSON()`, or the answer of the phone's system. */
                credential: Record<string, unknown>;
                /** What the person's list of sessions calls the device. */
                device?: string | null;
            };
        };
        options: never;
        success: {
            status: 200;
            body: SignedIn;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "passkey_invalid" | "passkey_refused" | "not_found" | "challenge_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Lists the passkeys of the caller's account. */
    listPasskeys: {
        request: {};
        options: "actingAs";
        success: {
            status: 200;
            body: Passkeys;
        };
        code: CommonCode | "not_signed_in" | "account_required" | "not_while_acting";
    };
    /** Removes a passkey, but never the last way to sign in. */
    removePasskey: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "sign_in_again" | "consent_missing" | "passkey_not_found" | "last_identity";
    };
    /** Mails a link to set another password, if the address has an account. */
    forgotPassword: {
        request: {
            body: {
                /** The person's address. */
                email: string;
            };
        };
        options: never;
        success: {
            status: 202;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_found" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Sets another password by a mailed link; every session ends. */
    resetPassword: {
        request: {
            body: {
                /** The token from the link. */
                token: string;
                /** 8 to 256 characters that are not easy to guess. */
                password: string;
            };
        };
        options: never;
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_found" | "code_expired" | "unsupported_media_type";
    };
    /** Changes the caller's password, or sets the first; other sessions end. */
    changePassword: {
        request: {
            body: {
                /** Left out where there is none; then the sign-in must be a few minutes old at most. */
                currentPassword?: string | null;
                /** 8 to 256 characters that are not easy to guess. */
                newPassword: string;
            };
        };
        options: "actingAs" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "password_too_weak" | "not_signed_in" | "invalid_credentials" | "sign_in_again" | "consent_missing" | "not_found" | "no_verified_address" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Makes several changes in their order. Each is what it would be as a request of its own: what it may do, its limits, its entry in the trail. */
    batch: {
        request: {
            body: {
                /** The changes, in the order in which they are made; each is a transaction of its own. */
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
                /** Whether nothing more is tried after an operation that was not done. */
                stopOnFailure?: boolean | null;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: BatchResults;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
    };
    /** Tells what has changed since the last answer: everything that the caller may see of itself, of its families, of the children it guards and of invitations to it. */
    sync: {
        request: {
            query?: {
                "cursor"?: string;
                "wait"?: number;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: SyncPage;
        };
        code: CommonCode | "invalid_field" | "not_signed_in";
    };
    /** Creates a family, or returns the one that the caller has. */
    createFamily: {
        request: {
            body?: {
                /** Optional. Without it a new family gets a default name, and an existing one keeps its name. */
                familyName?: string | null;
                /** The caller's role in the family; default: the account's own role. */
                role?: "player" | "parent" | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: CreatedFamily;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "role_mismatch" | "too_many_families" | "unsupported_media_type";
    };
    /** Creates another family for the caller. */
    createAnotherFamily: {
        request: {
            body: {
                /** The family's name. */
                familyName: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 201;
            body: CreatedFamily;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "player_has_family" | "too_many_families" | "unsupported_media_type";
    };
    /** Lists the families that the caller belongs to. */
    listFamilies: {
        request: {};
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Families;
        };
        code: CommonCode | "not_signed_in";
    };
    /** Reads one of the caller's families. */
    readFamily: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Family;
        };
        code: CommonCode | "not_signed_in" | "family_not_found";
    };
    /** Changes a family's name, home or whether joining needs approval. */
    updateFamily: {
        request: {
            path: {
                "id": string;
            };
            body?: {
                /** Optional. Without it a new family gets a default name, and an existing one keeps its name. */
                familyName?: string | null;
                /** Give it together with homeLongitude; both null clear the home. */
                homeLatitude?: number | null;
                /** Give it together with homeLatitude. */
                homeLongitude?: number | null;
                /** Whether people who join by code wait for approval. */
                approvalRequired?: boolean | null;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Family;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
    };
    /** Reads a family's attributes, a JSON object that only apps understand. */
    readAttributes: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Record<string, unknown>;
        };
        code: CommonCode | "not_signed_in" | "visitors_only_read" | "family_not_found";
    };
    /** Changes a family's attributes by a JSON merge patch (RFC 7396). */
    patchAttributes: {
        request: {
            path: {
                "id": string;
            };
            body: JSONDocument;
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Record<string, unknown>;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "attributes_too_large" | "unsupported_media_type";
    };
    /** The family's join link as a QR code, as SVG. */
    readQRCodeSVG: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: string;
        };
        code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found" | "code_expired";
    };
    /** The family's join link as a QR code, as PNG. */
    readQRCodePNG: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: ArrayBuffer;
        };
        code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found" | "code_expired";
    };
    /** Lists the members of a family. */
    listMembers: {
        request: {
            query?: {
                "familyId"?: string;
                "status"?: "active" | "invited" | "removed";
                "cursor"?: string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Members;
        };
        code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
    };
    /** Reads one member of a family. */
    readMember: {
        request: {
            path: {
                "memberId": string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | "not_signed_in" | "member_not_found";
    };
    /** Changes a member's household role, or claims the vacant seat. An allowed change that was made before another's is 200 too, changes nothing and tells the `conflict`. */
    setHouseholdRole: {
        request: {
            path: {
                "memberId": string;
            };
            body: {
                /** The role in the household, which decides about rights. */
                householdRole: "parent_admin" | "adult" | "kid" | "visitor";
                /** The new guardian of the children, if the member is a guardian and stops being an adult. */
                reassignManagedTo?: string | null;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch" | "changedAt" | "baseVersion";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "seat_reserved" | "role_too_high" | "consent_missing" | "member_not_found" | "parent_admin_exists" | "guardian_has_managed_members" | "guardian_not_adult" | "admin_not_adult" | "member_is_waiting" | "unsupported_media_type";
    };
    /** Removes a member, or rejects a person who waits for approval. */
    removeMember: {
        request: {
            path: {
                "memberId": string;
            };
            query?: {
                "reassignManagedTo"?: string;
                "rotateCode"?: boolean;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "consent_missing" | "member_not_found" | "guardian_has_managed_members" | "guardian_not_adult";
    };
    /** Ends the caller's own membership, or withdraws the request to join the named family. */
    leaveFamily: {
        request: {
            query?: {
                "familyId"?: string;
                "reassignManagedTo"?: string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "family_required" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members" | "guardian_not_adult" | "transfer_admin_first";
    };
    /** Approves a person who joined by code and waits. */
    approveMember: {
        request: {
            path: {
                "memberId": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "member_is_not_waiting" | "unsupported_media_type";
    };
    /** Turns down the request of a person who joined by code and waits; ends no membership. */
    rejectMember: {
        request: {
            path: {
                "memberId": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "oneself" | "not_signed_in" | "target_is_parent_admin" | "target_is_managed" | "consent_missing" | "member_not_found" | "member_is_not_waiting" | "unsupported_media_type";
    };
    /** Transfers the caller's seat as Parent Admin to another adult. */
    transferAdmin: {
        request: {
            body: {
                /** Optional for a member of exactly one family. */
                familyId?: string | null;
                /** The member's id. */
                memberId: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: ChangedMembers;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "oneself" | "not_signed_in" | "consent_missing" | "member_not_found" | "admin_not_adult" | "unsupported_media_type";
    };
    /** Shows which family a code belongs to, before joining. */
    previewFamilyCode: {
        request: {
            path: {
                "code": string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: CodePreview;
        };
        code: CommonCode | "code_malformed" | "not_signed_in" | "account_required" | "not_while_acting" | "code_unknown" | "code_expired" | "too_many_attempts";
    };
    /** Joins a family by its code. */
    joinFamily: {
        request: {
            body: {
                /** In any letter case, with or without `FAM-`, with blanks or dashes anywhere; or the link that the family's QR code holds. */
                familyCode: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: JoinedFamily;
        } | {
            status: 202;
            body: AwaitedApproval;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "already_member" | "not_signed_in" | "consent_missing" | "removed_from_family" | "code_unknown" | "family_full" | "player_has_family" | "too_many_families" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** The same as joinFamily. */
    joinFamilyByFunction: {
        request: {
            body: {
                /** In any letter case, with or without `FAM-`, with blanks or dashes anywhere; or the link that the family's QR code holds. */
                familyCode: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: JoinedFamily;
        } | {
            status: 202;
            body: AwaitedApproval;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "already_member" | "not_signed_in" | "consent_missing" | "removed_from_family" | "code_unknown" | "family_full" | "player_has_family" | "too_many_families" | "code_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Gives a family a new code; the old one stops working at once. */
    regenerateFamilyCode: {
        request: {
            body: {
                /** The family's id. */
                familyId: string;
                /** How long the new code is valid; default: until the next one. */
                expiresInDays?: number | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: RegeneratedCode;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
    };
    /** Invites a person, by e-mail or by a link to share. */
    createInvitation: {
        request: {
            body: {
                /** The address to invite; missing or empty for a link. */
                email?: string | "" | null;
                /** The side of the family: player or parent. */
                role: "player" | "parent";
                /** The household role to come in with; at most adult. */
                householdRole?: "parent_admin" | "adult" | "kid" | "visitor" | null;
                /** Optional for a member of exactly one family. */
                familyUnitId?: string | null;
                /** Default: by e-mail. */
                delivery?: "email" | "link" | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: SentInvitation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "not_signed_in" | "role_too_high" | "consent_missing" | "person_already_member" | "already_invited" | "unsupported_media_type" | "too_many_invitations" | "invitation_just_sent";
    };
    /** Shows the holder of a link the invitation. Changes nothing. */
    previewInvitation: {
        request: {
            path: {
                "token": string;
            };
        };
        options: never;
        success: {
            status: 200;
            body: InvitationPreview;
        };
        code: CommonCode | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "too_many_attempts";
    };
    /** Accepts an invitation by its link: the caller becomes a member. */
    acceptInvitation: {
        request: {
            path: {
                "token": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: AcceptedInvitation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "removed_from_family" | "invitation_not_found" | "family_full" | "player_has_family" | "role_mismatch" | "too_many_families" | "invitation_answered" | "not_the_graduate" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Declines an invitation by its link. */
    declineInvitation: {
        request: {
            path: {
                "token": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "not_the_addressee" | "consent_missing" | "invitation_not_found" | "invitation_answered" | "invitation_expired" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Lists a family's pending invitations, newest first. */
    listInvitations: {
        request: {
            query?: {
                "familyId"?: string;
                "cursor"?: string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Invitations;
        };
        code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "family_not_found";
    };
    /** Sends a pending invitation again, with a new link. */
    resendInvitation: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: ResentInvitation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "invitation_not_found" | "unsupported_media_type" | "invitation_just_sent";
    };
    /** Revokes a pending invitation. */
    revokeInvitation: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "invitation_not_found";
    };
    /** Adds a child without an account; the caller becomes its guardian. */
    addManagedMember: {
        request: {
            body: {
                /** Optional for a member of exactly one family. */
                familyId?: string | null;
                /** The name to show: without a name, what a verified address has before its @, or `Member`. */
                displayName: string;
                /** Null or empty clears it. */
                avatarKey?: string | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 201;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "family_required" | "not_signed_in" | "consent_missing" | "family_full" | "unsupported_media_type";
    };
    /** Reads one managed member of a family. */
    readManagedMember: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | "not_signed_in" | "member_not_found";
    };
    /** Changes the name or avatar of a child whose guardian the caller is. */
    updateManagedMember: {
        request: {
            path: {
                "id": string;
            };
            body?: {
                /** If missing or empty, it stays unchanged. */
                displayName?: string | null;
                /** Null or empty clears it. */
                avatarKey?: string | null;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "unsupported_media_type";
    };
    /** Removes a child without an account from its family. */
    removeManagedMember: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Success;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found";
    };
    /** Makes another adult the guardian of one of the caller's children. */
    reassignManagedMember: {
        request: {
            path: {
                "id": string;
            };
            body: {
                /** The member's id. */
                memberId: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "oneself" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "unsupported_media_type";
    };
    /** Makes another adult of the family a guardian of a child, besides those that it has. */
    addGuardian: {
        request: {
            path: {
                "id": string;
            };
            body: {
                /** The adult who becomes a guardian. */
                memberId: string;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_not_adult" | "too_many_guardians" | "unsupported_media_type";
    };
    /** Makes a guardian the primary guardian of a child; the present one stays a guardian. */
    promoteGuardian: {
        request: {
            path: {
                "id": string;
                "memberId": string;
            };
            body: {
                /** Always true: the present primary guardian names the next. */
                isPrimary: boolean;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "unsupported_media_type";
    };
    /** Ends another adult's guardianship of a child. */
    removeGuardian: {
        request: {
            path: {
                "id": string;
                "memberId": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members";
    };
    /** Ends the caller's own guardianship of a child that has another guardian. */
    declineGuardianship: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Member;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "guardian_has_managed_members";
    };
    /** Invites a child without an account to have one: whoever accepts becomes this member. */
    startGraduation: {
        request: {
            path: {
                "id": string;
            };
            body?: {
                /** The address to invite; missing or empty for a link. */
                email?: string | "" | null;
                /** Default: player for a kid, parent for an adult. */
                role?: "player" | "parent" | null;
                /** `kid` for a player, `adult` for a parent. Default: as the role; without both, kid. */
                householdRole?: "parent_admin" | "adult" | "kid" | "visitor" | null;
                /** Default: by e-mail. */
                delivery?: "email" | "link" | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: SentInvitation;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "member_not_found" | "person_already_member" | "already_invited" | "unsupported_media_type" | "too_many_invitations";
    };
    /** Lists what a child's guardians are asked to consent to, and did. */
    listConsents: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Consents;
        };
        code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "member_not_found";
    };
    /** Reads one purpose of consent for a child. */
    readConsent: {
        request: {
            path: {
                "id": string;
                "purpose": string;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: Consent;
        };
        code: CommonCode | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "member_not_found" | "purpose_not_found";
    };
    /** Gives consent for a child, or mails the code by which it is proved. */
    giveConsent: {
        request: {
            path: {
                "id": string;
                "purpose": string;
            };
            body: {
                /** The version of the text that was shown. */
                version: string;
                /** How the guardian proves it. */
                method: "signed_in" | "email_code";
                /** The mailed code. Without it, `email_code` mails one. */
                code?: string | null;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Consent;
        } | {
            status: 202;
            body: SentCode;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "code_malformed" | "code_wrong" | "not_signed_in" | "consent_missing" | "member_not_found" | "purpose_not_found" | "consent_outdated" | "no_verified_address" | "unsupported_media_type" | "too_many_attempts";
    };
    /** Withdraws consent for a child; it counts with the next request. */
    withdrawConsent: {
        request: {
            path: {
                "id": string;
                "purpose": string;
            };
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: Consent;
        };
        code: CommonCode | ChangeCode | "not_signed_in" | "consent_missing" | "member_not_found" | "purpose_not_found";
    };
    /** Reads the caller's group; of several, the oldest with other active members. A caller who may not act for the member that it names is answered as itself. */
    readMyGroup: {
        request: {};
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Group | NoGroup;
        };
        code: CommonCode | "not_signed_in";
    };
    /** Reads a family with its active members. */
    readGroup: {
        request: {
            path: {
                "id": string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: Group;
        };
        code: CommonCode | "not_signed_in" | "family_not_found";
    };
    /** Like addManagedMember, for the family in the path. */
    addManagedMemberToGroup: {
        request: {
            path: {
                "id": string;
            };
            body: {
                /** The name to show: without a name, what a verified address has before its @, or `Member`. */
                displayName: string;
                /** Null or empty clears it. */
                avatarKey?: string | null;
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 201;
            body: Member;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "missing_field" | "privileged_field" | "not_signed_in" | "consent_missing" | "family_full" | "unsupported_media_type";
    };
    /** Reads preferences: the caller's own, or those of a child whose guardian the caller is. */
    readPreferences: {
        request: {
            path: {
                "id": string;
            };
            query?: {
                "member_id"?: string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: MemberPreferences;
        };
        code: CommonCode | "invalid_field" | "not_signed_in" | "preferences_of_another" | "family_not_found" | "member_not_found";
    };
    /** Replaces a member's preferences. */
    writePreferences: {
        request: {
            path: {
                "id": string;
            };
            query?: {
                "member_id"?: string;
            };
            body: JSONDocument;
        };
        options: "actingAs" | "idempotencyKey" | "ifMatch";
        success: {
            status: 200;
            body: MemberPreferences;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "not_signed_in" | "preferences_of_another" | "consent_missing" | "member_not_found" | "preferences_too_large" | "unsupported_media_type";
    };
    /** Reads a family's notes about its player. */
    readPlayerDetails: {
        request: {
            query?: {
                "familyId"?: string;
            };
        };
        options: "actingAs" | "ifNoneMatch";
        success: {
            status: 200;
            body: PlayerDetailsAnswer;
        };
        code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
    };
    /** Changes a family's notes about its player; only the given fields change. */
    writePlayerDetails: {
        request: {
            body?: {
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
            };
        };
        options: "actingAs" | "idempotencyKey";
        success: {
            status: 200;
            body: PlayerDetailsAnswer;
        };
        code: CommonCode | ChangeCode | "invalid_body" | "privileged_field" | "family_required" | "not_signed_in" | "consent_missing" | "unsupported_media_type";
    };
    /** Reads a family's audit trail, newest first. */
    readAudit: {
        request: {
            query?: {
                "familyId"?: string;
                "cursor"?: string;
                "limit"?: number;
            };
        };
        options: "actingAs";
        success: {
            status: 200;
            body: AuditPage;
        };
        code: CommonCode | "invalid_field" | "family_required" | "not_signed_in" | "not_while_acting" | "visitors_only_read" | "standing_too_low" | "family_not_found";
    };
}
/** Name of an operation. */
export declare type OperationName = keyof Operations;
/** Operations of the API that are not called by name, and why. */
export interface OperationsWithoutCall {
    live: "An endless stream: `live()` follows it.";
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
export declare const operations: {
    readonly [Name in OperationName]: readonly [string, string, string];
};
