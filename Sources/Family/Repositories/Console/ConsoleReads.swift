package import Domain
package import Postgres

/// A person as the console shows it.
package struct ConsolePerson: RowDecodable, Sendable {
    package let user: AdminUser
    /// Whether the account is an operator of this service.
    package let isOperator: Bool
    /// Number of passkeys of the account.
    package let passkeyCount: Int
    package let hasPassword: Bool

    package static let row = RowDecoder(Self.init)
}

/// An operator to whose address an invitation goes.
package struct InvitedOperator: RowDecodable, Sendable {
    package let invitation: InvitationID
    package let account: UserID

    package static let row = RowDecoder(Self.init)
}

/// A consent of a person for itself or for a child, or of somebody else for the person.
package struct ConsoleConsent: RowDecodable, Sendable {
    /// State of a consent.
    package enum State: String, PostgresWord, Sendable {
        case inForce = "in_force"
        case replaced, withdrawn
    }

    /// Purpose of the consent, and the version of its text.
    package let purpose, version: String
    /// `signed_in`, `email_code`, or `self` for a consent of an account for itself.
    package let method: String
    package let state: State
    package let givenAt: Timestamp
    /// Time at which it was withdrawn or replaced; nil while it is in force.
    package let endedAt: Timestamp?
    /// The child, or the account that has consented for itself.
    package let subject: UserID
    package let subjectName: String?
    package let giver: UserID
    /// The giver's name; nil if the person has none or was erased.
    package let giverName: String?

    package static let row = RowDecoder(Self.init)
}

/// An e-mail to an account, or to an address without one.
package struct ConsoleMail: RowDecodable, Sendable {
    /// State of the e-mail's job, or the outcome of a finished one.
    package enum State: String, PostgresWord, Sendable {
        case ready, running, dead, done, expired, cancelled
    }

    /// Number of its job.
    package let id: Int64
    /// Kind of its job, such as `mail.account_blocked`.
    package let kind: String
    package let state: State
    package let enqueuedAt: Timestamp?
    /// Time at which it was sent, discarded or cancelled; nil while it waits.
    package let endedAt: Timestamp?
    /// Number of failed attempts.
    package let failures: Int16
    package let lastError: String?

    package static let row = RowDecoder(Self.init)
}

/// The guardians of a child.
package struct ConsoleGuardians: RowDecodable, Sendable {
    /// The child's membership.
    package let child: MemberID
    /// Their names, that of the primary guardian first.
    package let names: [String]

    package static let row = RowDecoder(Self.init)
}

/// A child without an account, and one of its guardians.
package struct ConsoleGuardianship: RowDecodable, Sendable {
    package let family: FamilyID
    package let familyName: String
    package let child: UserID
    package let childName: String?
    package let guardian: UserID
    /// The guardian's name; nil if there is none.
    package let guardianName: String?
    /// Whether the guardian is the child's primary one.
    package let isPrimary: Bool
    package let since: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// A child who would have no guardian without a person.
package struct ConsoleSoleGuardianship: RowDecodable, Sendable {
    package let family: FamilyID
    package let childName: String?

    package static let row = RowDecoder(Self.init)
}

/// A membership as the console shows it.
package struct ConsoleMember: RowDecodable, Sendable {
    package let member: AdminMember
    /// Whether the member's account is an operator of this service.
    package let isOperator: Bool
    /// Whether the person ended the membership, or the request to join; nil while it lasts.
    package let hasLeft: Bool?
    /// Whether the person only waited for approval until then; nil while it lasts.
    package let wasWaiting: Bool?
    /// Name or label of whoever ended it; nil if the person did, or if that is not known any more.
    package let remover: String?
    /// Whether the person created the family.
    package let isCreator: Bool

    package static let row = RowDecoder(Self.init)
}

/// A webhook endpoint that is paused or failing.
package struct ConsoleWebhookFault: RowDecodable, Sendable {
    package let id: WebhookID
    /// Host of its address.
    package let host: String
    /// Time of the pause; nil unless the endpoint is paused.
    package let pausedAt: Timestamp?
    package let failingSince: Timestamp?

    package static let row = RowDecoder(Self.init)
}

/// A point of a plot.
package struct ConsolePoint: RowDecodable, Sendable {
    /// Name of the series, such as `passkey`.
    package let series: String
    /// Start of the step to which the value belongs.
    package let at: Timestamp
    package let value: Double

    package static let row = RowDecoder(Self.init)
}

/// Reads of the console. They run as `hearth_admin`, or for viewers as `hearth_viewer`, for which
/// the views mask personal data.
package enum ConsoleReads {
    private static let person = """
        p.id, p.kind, p.email, p.email_verified, p.full_name, p.role, p.issuers, p.family_count,
        p.created_at, p.deleted_at, p.blocked_at, p.blocked_by, p.blocked_reason, p.is_operator,
        p.passkeys, p.has_password
        """
    private static let family = """
        f.id, f.family_name, f.family_code, f.code_generated_at, f.code_expires_at,
        f.created_by_user_id, f.member_count, f.member_limit, f.approval_required, f.created_at
        """
    private static let member = """
        m.id, m.family_unit_id, m.family_name, m.user_id, m.full_name, m.email, m.role,
        m.household_role, m.status, m.is_managed, m.parent_user_id, m.joined_via, m.vouched,
        m.added_at, m.removed_at, m.guardian_name, m.is_blocked, m.is_operator, m.has_left,
        m.was_waiting, m.remover, m.is_creator
        """
    private static let invitation = """
        i.id, i.family_unit_id, i.family_name, i.invited_by, i.inviter_name, i.invited_email,
        i.role, i.household_role, i.status, i.delivery, i.created_at, i.expires_at, i.sent_count,
        i.last_sent_at, i.delivery_status
        """
    private static let job = """
        j.id, j.state, j.queue, j.kind, j.family_unit_id, j.attempt, j.max_attempts, j.crashes,
        j.enqueued_at, j.run_at, j.not_after, j.died_at, j.last_error, j.payload
        """

    /// Returns a page of people, newest first. Parameters: time and id of the person after which to
    /// begin (null: from the newest), maximum number.
    package static let people = Statement<ConsolePerson, Timestamp?, UserID?, Int32>(
        """
        SELECT \(person) FROM app.console_people AS p
        WHERE (p.created_at, p.id) < (coalesce($1::timestamptz, 'infinity'),
            coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY p.created_at DESC, p.id DESC LIMIT $3
        """)
    /// Returns the operators who have an address, or sign in with it.
    package static let operatorsOfAddress = Statement<Scalar<UserID>, String>(
        """
        SELECT p.id FROM app.people_of_address($1) AS f JOIN app.console_people AS p ON p.id = f.id
        WHERE p.is_operator
        """)
    /// Returns people found by an address, or the beginning of an address or a name. Parameters:
    /// the text, maximum number.
    package static let peopleFound = Statement<ConsolePerson, String, Int32>(
        """
        SELECT \(person)
        FROM (
            SELECT f.id, min(f.position) AS position
            FROM app.console_find_people($1, $2) WITH ORDINALITY AS f (id, position)
            GROUP BY f.id
        ) AS x
        JOIN app.console_people AS p ON p.id = x.id ORDER BY x.position LIMIT $2
        """)
    /// Returns one person.
    package static let onePerson = Statement<ConsolePerson, UserID>(
        "SELECT \(person) FROM app.console_people AS p WHERE p.id = $1")
    /// Returns a person's memberships in any status: present and waiting ones, then ended ones,
    /// the oldest of each first. Parameters: person, maximum number.
    package static let memberships = Statement<ConsoleMember, UserID, Int32>(
        """
        SELECT \(member) FROM app.console_members AS m WHERE m.user_id = $1
        ORDER BY m.status = 'removed', m.added_at, m.id LIMIT $2
        """)
    /// Returns a person's sessions that have not ended, the last used first. An account has at most
    /// 100 (app.max_sessions).
    package static let sessions = Statement<ListedSession, UserID>(
        """
        SELECT id, method, issuer, device, started_at, last_used_at, ends_at, parent_id
        FROM app.console_sessions_of_people WHERE user_id = $1
        ORDER BY last_used_at DESC, id LIMIT 100
        """)
    /// Returns a page of a person's log of sign-ins, the newest first. Parameters: person, time and
    /// id of the event after which to begin (null: from the newest), maximum number.
    package static let signIns = Statement<
        SignInEvent, UserID, Timestamp?, SignInEventID?, Int32
    >(
        """
        SELECT l.id, l.at, l.kind, l.way, l.browser, l.network, l.more
        FROM app.console_sign_ins AS l
        WHERE l.user_id = $1 AND (l.at, l.id) < (coalesce($2::timestamptz, 'infinity'),
            coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY l.at DESC, l.id DESC LIMIT $4
        """)
    /// Returns the addresses to which a code is mailed that signs a person in, the oldest first.
    /// Parameters: person, maximum number.
    package static let signInAddresses = Statement<Scalar<String>, UserID, Int32>(
        """
        SELECT s.email FROM app.console_sign_in_addresses AS s
        WHERE s.user_id = $1 ORDER BY s.proved_at, s.email LIMIT $2
        """)

    /// Returns an account's passkeys, oldest first.
    package static let passkeys = Statement<AdminPasskey, UserID>(
        """
        SELECT id, label, is_backed_up, created_at, last_used_at
        FROM app.console_passkeys_of_person($1)
        """)
    /// Returns why the address of a person gets no e-mail, or only some. Parameters: person,
    /// maximum number.
    package static let mailState = Statement<HeldOffAddress, UserID, Int32>(
        """
        SELECT email, state, since, until, reason, family_unit_id
        FROM app.console_mail_state($1, $2)
        """)
    /// Returns the latest e-mails to an account, the newest first. Parameters: account, maximum
    /// number.
    package static let mails = Statement<ConsoleMail, UserID, Int32>(
        """
        SELECT id, kind, state, enqueued_at, ended_at, failures, last_error
        FROM app.console_mails($1, $2)
        """)

    /// Returns why an address gets no e-mail, or only some. Parameters: the address, maximum
    /// number.
    package static let mailStateOfAddress = Statement<HeldOffAddress, String, Int32>(
        """
        SELECT email, state, since, until, reason, family_unit_id
        FROM app.console_mail_state_of($1, $2)
        """)
    /// Returns the latest codes and links mailed to an address without an account, the newest
    /// first. Parameters: the address, maximum number.
    package static let mailsToAddress = Statement<ConsoleMail, String, Int32>(
        """
        SELECT id, kind, state, enqueued_at, ended_at, failures, last_error
        FROM app.console_mails_to($1, $2)
        """)

    /// Returns the latest consents that a person has given, and those given for the person.
    /// Parameters: person, maximum number.
    package static let consents = Statement<ConsoleConsent, UserID, Int32>(
        """
        SELECT purpose, version, method, state, given_at, ended_at, subject_id, subject_name,
            giver_id, giver_name
        FROM app.console_consents($1, $2)
        """)

    /// Returns the children whose guardian a person is, and the guardians of a child. Parameters:
    /// person, maximum number.
    package static let guardianships = Statement<ConsoleGuardianship, UserID, Int32>(
        """
        SELECT family_unit_id, family_name, child_id, child_name, guardian_id, guardian_name,
            is_primary, since
        FROM app.console_guardianships($1, $2)
        """)
    /// Returns the children who would have no guardian without an account. Parameters: account,
    /// maximum number.
    package static let soleGuardianships = Statement<ConsoleSoleGuardianship, UserID, Int32>(
        "SELECT family_unit_id, child_name FROM app.console_sole_guardianships($1, $2)")
    /// Returns the open invitations to a person's address, or of a child to have an account of its
    /// own, the newest first. Parameters: person, maximum number.
    package static let invitationsOfPerson = Statement<AdminInvitation, UserID, Int32>(
        """
        SELECT \(invitation) FROM app.console_invitations_of_person($1, $2) AS x (id)
        JOIN app.console_invitations AS i ON i.id = x.id
        ORDER BY i.created_at DESC, i.id DESC LIMIT $2
        """)

    /// Returns a page of families, newest first. Parameters: time and id of the family after which
    /// to begin (null: from the newest), maximum number.
    package static let families = Statement<AdminFamily, Timestamp?, FamilyID?, Int32>(
        """
        SELECT \(family) FROM app.console_families AS f
        WHERE (f.created_at, f.id) < (coalesce($1::timestamptz, 'infinity'),
            coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY f.created_at DESC, f.id DESC LIMIT $3
        """)
    /// Returns a page of families, oldest first, like ``families``.
    package static let familiesOldest = Statement<AdminFamily, Timestamp?, FamilyID?, Int32>(
        """
        SELECT \(family) FROM app.console_families AS f
        WHERE (f.created_at, f.id) > (coalesce($1::timestamptz, '-infinity'),
            coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'))
        ORDER BY f.created_at, f.id LIMIT $3
        """)
    /// Returns a page of families by name. Parameters: name and id of the family after which to
    /// begin (null: from the beginning), maximum number.
    package static let familiesByName = Statement<AdminFamily, String?, FamilyID?, Int32>(
        """
        SELECT \(family)
        FROM app.console_families_by_name($1, $2, $3) WITH ORDINALITY AS x (id, position)
        JOIN app.console_families AS f ON f.id = x.id ORDER BY x.position LIMIT $3
        """)
    /// Returns a page of the families in which somebody waits for approval, by id. Parameters:
    /// family after which to begin (null: from the beginning), maximum number.
    package static let familiesWaiting = Statement<AdminFamily, FamilyID?, Int32>(
        """
        SELECT \(family)
        FROM app.console_waiting_families($1, $2) WITH ORDINALITY AS x (id, position)
        JOIN app.console_families AS f ON f.id = x.id ORDER BY x.position LIMIT $2
        """)
    /// Returns the approximate numbers of people, children included, and of families; 0 if they are
    /// unknown. To count them would take as long as to read them all.
    package static let estimates = Statement<Pair<Int64, Int64>>(
        """
        SELECT greatest(u.reltuples, 0)::bigint, greatest(f.reltuples, 0)::bigint
        FROM pg_catalog.pg_class AS u, pg_catalog.pg_class AS f
        WHERE u.oid = 'app.users'::regclass AND f.oid = 'app.family_units'::regclass
        """)
    /// Returns families found by a code or the beginning of a name. Parameters: the text, the code
    /// (null: none), maximum number.
    package static let familiesFound = Statement<AdminFamily, String, String?, Int32>(
        """
        SELECT \(family)
        FROM app.console_find_families($1, $2, $3) WITH ORDINALITY AS x (id, position)
        JOIN app.console_families AS f ON f.id = x.id ORDER BY x.position LIMIT $3
        """)
    /// Returns one family.
    package static let oneFamily = Statement<AdminFamily, FamilyID>(
        "SELECT \(family) FROM app.console_families AS f WHERE f.id = $1")
    /// Returns a family's members: active ones, then waiting ones, then removed ones. Parameters:
    /// family, maximum number.
    package static let members = Statement<ConsoleMember, FamilyID, Int32>(
        """
        SELECT \(member) FROM app.console_members AS m WHERE m.family_unit_id = $1
        ORDER BY array_position(ARRAY['active', 'invited', 'removed'], m.status), m.added_at, m.id
        LIMIT $2
        """)
    /// Returns the guardians of each child of a family.
    package static let guardians = Statement<ConsoleGuardians, FamilyID>(
        "SELECT member_id, guardian_names FROM app.console_guardians($1)")
    /// Returns one membership.
    package static let oneMember = Statement<ConsoleMember, MemberID>(
        "SELECT \(member) FROM app.console_members AS m WHERE m.id = $1")
    /// Returns a page of a family's invitations, newest first. Parameters: family, time and id of
    /// the invitation after which to begin (null: from the newest), maximum number.
    package static let invitations = Statement<
        AdminInvitation, FamilyID, Timestamp?, InvitationID?, Int32
    >(
        """
        SELECT \(invitation) FROM app.console_invitations AS i
        WHERE i.family_unit_id = $1
            AND (i.created_at, i.id) < (coalesce($2::timestamptz, 'infinity'),
                coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        ORDER BY i.created_at DESC, i.id DESC LIMIT $4
        """)
    /// Returns one invitation.
    package static let oneInvitation = Statement<AdminInvitation, InvitationID>(
        "SELECT \(invitation) FROM app.console_invitations AS i WHERE i.id = $1")

    /// Returns the open invitations to an address, the newest first. Parameters: the address,
    /// maximum number.
    package static let invitationsFound = Statement<AdminInvitation, String, Int32>(
        """
        SELECT \(invitation) FROM app.console_find_invitations($1, $2) AS x (id)
        JOIN app.console_invitations AS i ON i.id = x.id
        ORDER BY i.created_at DESC, i.id DESC LIMIT $2
        """)

    /// Returns the operators to whose address invitations go. Parameter: ids of the invitations.
    package static let invitedOperators = Statement<InvitedOperator, [UInt128]>(
        """
        SELECT o.invitation_id, o.user_id FROM app.console_invited_operators AS o
        WHERE o.invitation_id = ANY ($1)
        """)

    /// Returns a page of jobs, newest first. Parameters: queue, state, kind, family (null: any),
    /// beginning of the last error (null: any), id of the job before which to begin (null: from
    /// the newest), maximum number.
    package static let jobs = Statement<
        AdminJob, String?, String?, String?, FamilyID?, String?, Int64?, Int32
    >(
        """
        SELECT \(job) FROM app.console_jobs AS j
        WHERE ($1::text IS NULL OR j.queue = $1) AND ($2::text IS NULL OR j.state = $2)
            AND ($3::text IS NULL OR j.kind = $3)
            AND ($4::uuid IS NULL OR j.family_unit_id = $4)
            AND ($5::text IS NULL OR starts_with(j.last_error, $5))
            AND ($6::bigint IS NULL OR j.id < $6)
        ORDER BY j.id DESC LIMIT $7
        """)
    /// Returns a job, live or dead; no row if there is none.
    package static let oneJob = Statement<AdminJob, Int64>(
        "SELECT \(job) FROM app.console_jobs AS j WHERE j.id = $1 ORDER BY j.state LIMIT 1")
    /// Returns the workers, the oldest first.
    package static let workers = Statement<AdminWorker>(
        """
        SELECT w.id, w.label, w.started_at, w.renewed_at,
            w.renewed_at > clock_timestamp() - interval '15 seconds', coalesce(h.held, 0),
            w.threads
        FROM jobs.workers AS w
        LEFT JOIN app.console_held_jobs AS h ON h.worker = w.id
        ORDER BY w.started_at, w.id
        """)

    /// Returns a queue that is paused, with the number of jobs that wait in it, or in which no job
    /// succeeds; no row for any other. Parameter: its name.
    package static let troubledQueue = Statement<AdminQueue, String>(
        """
        SELECT q.queue, CASE WHEN p.queue IS NULL THEN 0 ELSE (
                SELECT count(*) FROM app.console_jobs AS j
                WHERE j.queue = q.queue AND j.state = 'ready') END,
            0::bigint, 0::bigint, NULL::float8, p.since, p.probe_at, p.reason, f.error
        FROM (SELECT $1::text AS queue) AS q
        LEFT JOIN jobs.paused_queues AS p ON p.queue = q.queue
        LEFT JOIN jobs.failing_queues() AS f ON f.queue = q.queue
        WHERE p.queue IS NOT NULL OR f.queue IS NOT NULL
        """)

    /// Returns endpoints that are paused or fail. Parameter: maximum number.
    package static let webhookFaults = Statement<ConsoleWebhookFault, Int32>(
        """
        SELECT w.id, w.host, w.paused_at, w.failing_since FROM app.console_webhooks AS w
        WHERE w.paused_at IS NOT NULL OR w.failing_since IS NOT NULL
        ORDER BY least(w.paused_at, w.failing_since), w.id LIMIT $1
        """)

    /// Returns the numbers of sign-ins by way, new people, new families and invitations. A failed
    /// e-mail is counted at the time at which its invitation was made. Parameters: start of the
    /// period, length of a step.
    package static let growth = Statement<ConsolePoint, Timestamp, String>(
        """
        SELECT 'sign-in ' || CASE l.kind WHEN 'failed' THEN 'failed' ELSE l.way END,
                date_bin($2::text::interval, l.at, $1), count(*)::float8
            FROM app.console_sign_ins AS l WHERE l.at >= $1 AND l.kind IN ('sign_in', 'failed')
            GROUP BY 1, 2
        UNION ALL
        SELECT 'people', date_bin($2::text::interval, p.created_at, $1), count(*)::float8
            FROM app.console_people AS p WHERE p.created_at >= $1 AND p.kind = 'account'
            GROUP BY 1, 2
        UNION ALL
        SELECT 'families', date_bin($2::text::interval, f.created_at, $1), count(*)::float8
            FROM app.console_families AS f WHERE f.created_at >= $1 GROUP BY 1, 2
        UNION ALL
        SELECT 'invitations ' || o.outcome, date_bin($2::text::interval, i.created_at, $1),
                count(*)::float8
            FROM app.console_invitation_times AS i
            CROSS JOIN (VALUES ('made'), ('failed')) AS o (outcome)
            WHERE i.created_at >= $1 AND (o.outcome = 'made' OR i.failed) GROUP BY 1, 2
        UNION ALL
        SELECT 'invitations accepted', date_bin($2::text::interval, i.closed_at, $1),
                count(*)::float8
            FROM app.console_invitation_times AS i
            WHERE i.closed_at >= $1 AND i.status = 'accepted' GROUP BY 1, 2
        ORDER BY 1, 2
        """)
    /// Returns the increases of the main counters of all processes; of the requests up to each
    /// duration (`latency 0.5`); and the longest wait of a due job, in seconds (`queue wait`).
    /// Parameters: start of the period, length of a step.
    ///
    /// Of each process and step, only the first and the last sample are read, by the primary key:
    /// the increases between them and from one step to the next add up to those of all samples. Of
    /// the waits, only the longest of each process and hour is read, from an index. The ORDER BY
    /// has all columns of the index, because under row-level security the planner does not infer
    /// that process and hour are constant. Steps are whole hours. The LIMIT clauses show the
    /// planner that steps and hours are few. Counters that are not numbers are left out, and those
    /// that are larger than any plot can show are capped. Left out are processes that have reported
    /// for less than half a minute. Of the others, those that were seen last are read, at most
    /// ``Processes/listed``: a program that is restarted again and again adds a process each time.
    package static let counters = Statement<ConsolePoint, Timestamp, String>(
        """
        WITH process AS (
            SELECT p.id, p.program FROM app.processes AS p
            WHERE p.seen_at >= $1 AND p.seen_at > p.since + interval '30 seconds'
            ORDER BY p.seen_at DESC LIMIT \(Processes.listed)),
        edge AS (
            SELECT p.id, t.step, e.at, e.counters
            FROM process AS p
            CROSS JOIN (
                SELECT g FROM generate_series($1::timestamptz - $2::text::interval,
                    clock_timestamp(), $2::text::interval) AS g LIMIT 100) AS t (step)
            CROSS JOIN LATERAL (
                (SELECT s.at, s.counters FROM app.process_samples AS s
                 WHERE s.process_id = p.id AND s.at >= t.step
                    AND s.at < t.step + $2::text::interval ORDER BY s.at LIMIT 1)
                UNION ALL
                (SELECT s.at, s.counters FROM app.process_samples AS s
                 WHERE s.process_id = p.id AND s.at >= t.step
                    AND s.at < t.step + $2::text::interval ORDER BY s.at DESC LIMIT 1)) AS e),
        number AS (
            SELECT e.id, e.step, e.at, c.name,
                greatest(0, least(c.value::numeric, 1e15))::float8 AS value
            FROM edge AS e
            CROSS JOIN LATERAL jsonb_each(e.counters) AS c (name, value)
            WHERE jsonb_typeof(c.value) = 'number' AND c.name IN (
                'hearth_http_requests_total', 'hearth_http_responses_total{class="4xx"}',
                'hearth_http_responses_total{class="5xx"}', 'hearth_policy_refusals_total',
                'hearth_jobs_ended_total', 'hearth_mails_total',
                'hearth_mails_total{outcome="refused"}', 'hearth_mails_total{outcome="rejected"}')
            UNION ALL
            SELECT e.id, e.step, e.at, 'latency ' || b.bound,
                greatest(0, least(b.count::numeric, 1e15))::float8
            FROM edge AS e
            CROSS JOIN LATERAL jsonb_each(
                CASE WHEN jsonb_typeof(e.counters -> 'hearth_http_request_duration_seconds')
                    = 'object' THEN e.counters -> 'hearth_http_request_duration_seconds' END)
                AS b (bound, count)
            WHERE jsonb_typeof(b.count) = 'number')
        SELECT i.name, i.step, sum(i.increase)
        FROM (
            SELECT n.name, n.step, greatest(0, n.value
                - lag(n.value) OVER (PARTITION BY n.id, n.name ORDER BY n.at)) AS increase
            FROM number AS n) AS i
        WHERE i.step >= $1 GROUP BY 1, 2
        UNION ALL
        SELECT 'queue wait', date_bin($2::text::interval, greatest(h.hour, $1), $1),
            greatest(0, least(max(w.seconds), 1e15))::float8
        FROM process AS p
        CROSS JOIN (
            SELECT g FROM generate_series(
                date_bin(interval '1 hour', $1::timestamptz, timestamptz 'epoch'),
                clock_timestamp(), interval '1 hour') AS g LIMIT 200) AS h (hour)
        CROSS JOIN LATERAL (
            SELECT (s.counters ->> 'hearth_jobs_oldest_ready_seconds')::numeric AS seconds
            FROM app.process_samples AS s
            WHERE s.process_id = p.id
                AND date_bin(interval '1 hour', s.at, timestamptz 'epoch') = h.hour
                AND jsonb_typeof(s.counters -> 'hearth_jobs_oldest_ready_seconds') = 'number'
            ORDER BY s.process_id DESC,
                date_bin(interval '1 hour', s.at, timestamptz 'epoch') DESC,
                (s.counters ->> 'hearth_jobs_oldest_ready_seconds')::numeric DESC LIMIT 1
            ) AS w
        WHERE p.program = 'hearth-api'
        GROUP BY 1, 2
        ORDER BY 1, 2
        """)
}
