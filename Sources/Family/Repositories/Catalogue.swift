package import Postgres

/// All statements of the repositories. Readiness checks describe those of requests, and a test
/// compares all of them with the schema.
package enum Catalogue {
    /// A statement with the types of its parameters and columns.
    package typealias Entry = DeclaredStatement

    /// All statements except shared ones, and those of API keys, operators and the console.
    package static let statements: [Entry] =
        requests + accounts + sessions + families + members + invitations
        + preferencesAndDetails + background + changes

    /// Statements that share the reads of several callers.
    package static let sharedStatements: [Entry] =
        [Entry(RequestIdentities.beginAll), Entry(CallerVersions.batched)]
        + [
            SeenVersions.mine.shared.map { Entry($0) },
            DatedVersion.ofFamily.shared.map { Entry($0) },
            Changes.followed.shared.map { Entry($0) },
            Changes.hashOfSession.shared.map { Entry($0) },
            Members.ofFamily.shared.map { Entry($0) },
            Members.ofMyFamilies.shared.map { Entry($0) },
            Families.mine.shared.map { Entry($0) }, Families.one.shared.map { Entry($0) },
            Profiles.mine.shared.map { Entry($0) },
            Profiles.joinRequests.shared.map { Entry($0) },
            Invitations.pending.shared.map { Entry($0) },
            Consents.missing.shared.map { Entry($0) },
        ].compactMap(\.self)

    /// Statements of requests with an API key, which run as `hearth_server`.
    package static let serverStatements: [Entry] = [
        Entry(Servers.takeUses), Entry(Servers.recordUses), Entry(Servers.begin),
        Entry(Servers.beginChange),
        Entry(Servers.families), Entry(Servers.family), Entry(Servers.members),
        Entry(Servers.memberships), Entry(Servers.person), Entry(Servers.personOfSubject),
        Entry(Servers.numberEvents), Entry(Servers.events), Entry(Servers.isEventAt),
        Entry(Servers.createInvitation), Entry(Servers.addSecret),
    ]

    /// Statements by which the console reads; they run as `hearth_admin` and, except that for sole
    /// guardianships, as `hearth_viewer`.
    package static let consoleStatements: [Entry] = [
        Entry(ConsoleReads.people), Entry(ConsoleReads.peopleFound),
        Entry(ConsoleReads.operatorsOfAddress), Entry(ConsoleReads.invitedOperators),
        Entry(ConsoleReads.onePerson), Entry(ConsoleReads.memberships),
        Entry(ConsoleReads.sessions), Entry(ConsoleReads.signIns),
        Entry(ConsoleReads.signInAddresses),
        Entry(ConsoleReads.passkeys), Entry(ConsoleReads.mailState),
        Entry(ConsoleReads.mails), Entry(ConsoleReads.consents),
        Entry(ConsoleReads.guardians), Entry(ConsoleReads.guardianships),
        Entry(ConsoleReads.soleGuardianships),
        Entry(ConsoleReads.mailStateOfAddress), Entry(ConsoleReads.mailsToAddress),
        Entry(ConsoleReads.invitationsOfPerson), Entry(ConsoleReads.invitationsFound),
        Entry(ConsoleReads.familiesOldest), Entry(ConsoleReads.familiesByName),
        Entry(ConsoleReads.familiesWaiting), Entry(ConsoleReads.estimates),
        Entry(ConsoleReads.families), Entry(ConsoleReads.familiesFound),
        Entry(ConsoleReads.oneFamily), Entry(ConsoleReads.members),
        Entry(ConsoleReads.oneMember), Entry(ConsoleReads.invitations),
        Entry(ConsoleReads.oneInvitation), Entry(ConsoleReads.audit),
        Entry(ConsoleReads.jobs), Entry(ConsoleReads.oneJob),
        Entry(ConsoleReads.workers), Entry(ConsoleReads.troubledQueue),
        Entry(ConsoleReads.webhookFaults), Entry(ConsoleReads.growth),
        Entry(ConsoleReads.counters), Entry(ConsoleReads.isRequest),
        Entry(ConsoleReads.auditOfPerson), Entry(ConsoleReads.auditOfLabel),
        Entry(ConsoleReads.endpoints), Entry(ConsoleReads.oneEndpoint),
        Entry(ConsoleReads.deliveries), Entry(ConsoleReads.failedDeliveries),
        Entry(ConsoleReads.pendingDeliveries), Entry(ConsoleReads.oneDelivery),
        Entry(ConsoleReads.webhookAttempts),
        Entry(ConsoleReads.lastWebhookAttempt), Entry(ConsoleReads.mailOutcomes),
        Entry(ConsoleReads.heldOff), Entry(ConsoleReads.issuers), Entry(Processes.signingKeys),
    ]

    private static let background: [Entry] = [
        Entry(Mails.ofInvitation), Entry(Mails.recordDelivery), Entry(Mails.ofChange),
        Entry(RefusedInvitations.family), Entry(RefusedInvitations.refuse),
        Entry(Mails.suppress), Entry(Mails.ofAccount), Entry(Mails.ofBlock),
        Entry(Mails.ofEmailToken), Entry(Mails.ofAddressChange),
        Entry(Mails.recordVerdict), Entry(Mails.reserveTry),
        Entry(Upkeep.commitAsynchronously), Entry(Upkeep.batch),
        Entry(AdminJobs.stats), Entry(AdminJobs.pauseOfJob),
        Entry(DatabaseStatistics.oldestTransactionSeconds),
        Entry(DoctorResults.parts), Entry(DoctorResults.count), Entry(DoctorResults.record),
        Entry(DoctorResults.latest),
        Entry(RepeatableFiles.missing), Entry(LinkKeys.newest), Entry(LinkKeys.isKnown),
        Entry(Webhooks.beginDelivery), Entry(Webhooks.finishDelivery), Entry(Webhooks.maintain),
        Entry(Webhooks.statistics), Entry(Processes.report), Entry(Processes.reportSigningKeys),
        Entry(SignInEvents.record), Entry(SignInEvents.mine),
    ]

    /// Statements that only operators run, for the same test.
    package static let operatorStatements: [Entry] = [
        Entry(TrustedIssuers.upsert), Entry(TrustedIssuers.removeOthers),
        Entry(OperatorSessions.begin), Entry(OperatorSessions.beginInConsole),
        Entry(AdminJobs.finished), Entry(AdminJobs.attempts), Entry(AdminJobs.deadGroups),
        Entry(AdminJobs.queues), Entry(AdminJobs.schedules), Entry(AdminJobs.workers),
        Entry(AdminJobs.retryAll),
        Entry(SignInEvents.ofUser), Entry(AdminOperators.all),
        Entry(AdminOperators.setRole), Entry(AdminOperators.remove),
        Entry(ConsoleEntries.enterByProxy), Entry(ConsoleEntries.followProxy),
        Entry(ConsoleEntries.requestCode), Entry(ConsoleEntries.enterByCode),
        Entry(ConsoleSessions.makeLink), Entry(ConsoleSessions.linkOwner),
        Entry(ConsoleSessions.useLink), Entry(ConsoleSessions.current),
        Entry(ConsoleSessions.end), Entry(ConsoleSessions.reserveAttempt),
        Entry(ConsoleSessions.ofCredential), Entry(ConsoleSessions.signIn),
        Entry(ConsoleSessions.prove), Entry(ConsoleSessions.addPasskey),
        Entry(ConsoleSessions.passkeys), Entry(ConsoleSessions.removePasskey),
        Entry(ConsoleSessions.viewPerson), Entry(ConsoleSessions.beginRepairs),
        Entry(AdminJobs.pauseQueue),
        Entry(AdminJobs.resumeQueue), Entry(AdminJobs.runSchedule),
        Entry(Processes.all), Entry(AdminWebhooks.attempts), Entry(AdminLimits.ofUser),
        Entry(AdminLimits.clear),
        Entry(AdminUsers.block), Entry(AdminUsers.unblock),
        Entry(AdminUsers.page), Entry(AdminUsers.ofIDOrEmail), Entry(MailDomains.unlabelled),
        Entry(AdminSessions.ofUser), Entry(AdminSessions.end),
        Entry(AddressChanges.requestByOperator), Entry(StoredPasswords.sendResetByOperator),
        Entry(Passkeys.ofUser), Entry(Passkeys.removeByOperator),
        Entry(Erasures.beginUserExport), Entry(Erasures.exportUser),
        Entry(AdminFamilies.page), Entry(AdminFamilies.ofIDOrCode),
        Entry(AdminFamilies.named), Entry(AdminFamilies.create),
        Entry(AdminFamilies.rename), Entry(AdminFamilies.replaceCode),
        Entry(AdminFamilies.transferAdmin),
        Entry(AdminMembers.ofFamily), Entry(AdminMembers.ofUser), Entry(AdminMembers.one),
        Entry(AdminMembers.add), Entry(AdminMembers.remove),
        Entry(AdminMembers.setHouseholdRole), Entry(AdminMembers.addManaged),
        Entry(AdminMembers.guardians), Entry(AdminMembers.addGuardian),
        Entry(AdminMembers.removeGuardian), Entry(AdminMembers.promoteGuardian),
        Entry(AdminMembers.reassignManaged),
        Entry(AdminInvitations.page), Entry(AdminInvitations.create),
        Entry(AdminInvitations.resend), Entry(AdminInvitations.addSecret),
        Entry(AdminInvitations.family), Entry(AdminInvitations.revoke),
        Entry(AdminInvitations.cancelDeadMail), Entry(AdminInvitations.isPending),
        Entry(Faults.checks), Entry(Faults.find), Entry(Faults.repair), Entry(Faults.issuers),
        Entry(Faults.timestampTables), Entry(Faults.futureTimestamps),
        Entry(Faults.repairTimestamps),
        Entry(DatabaseStatistics.connections),
        Entry(Faults.migrations), Entry(AuditMonths.beginExport), Entry(AuditMonths.entries),
        Entry(AuditMonths.recordExport), Entry(AuditMonths.dropPartition),
        Entry(AuditMonths.deleteEntries), Entry(AuditMonths.remainingPartitions),
        Entry(AuditMonths.missingMonths), Entry(AuditMonths.makeMonths),
        Entry(Faults.definitions), Entry(Faults.isRecordingUnfinished), Entry(FamilyCodes.length),
        Entry(Rights.list), Entry(Rights.database), Entry(Partitions.all),
        Entry(Partitions.rights),
        Entry(AdminJobs.page), Entry(AdminJobs.one),
        Entry(AdminJobs.faults), Entry(AdminJobs.retry), Entry(AdminJobs.notifyWorkers),
        Entry(AdminJobs.cancel),
        Entry(AdminJobs.unsuppress),
        Entry(AdminJobs.testMail),
        Entry(AdminJobs.suppress), Entry(AdminJobs.heldOff), Entry(AdminJobs.countPurgeable),
        Entry(AdminJobs.purge), Entry(AdminJobs.recordPurge),
        Entry(AdminWebhooks.list), Entry(AdminWebhooks.one), Entry(AdminWebhooks.add),
        Entry(AdminWebhooks.rotate), Entry(AdminWebhooks.remove),
        Entry(AdminWebhooks.pause), Entry(AdminWebhooks.resume),
        Entry(AdminWebhooks.replay), Entry(AdminWebhooks.test),
        Entry(AdminWebhooks.delivery),
        Entry(AdminAPIKeys.list), Entry(AdminAPIKeys.find), Entry(AdminAPIKeys.create),
        Entry(AdminAPIKeys.rotate), Entry(AdminAPIKeys.revoke),
        Entry(Erasures.eraseUser), Entry(Erasures.beginExport), Entry(Erasures.exportPreferences),
        Entry(Erasures.exportFamilyData), Entry(Erasures.codeUses), Entry(Erasures.auditLog),
        Entry(AdminInvitations.startGraduation), Entry(Consents.ofMember),
        Entry(Consents.ofFamily), Entry(Consents.ofAccount), Entry(StandbyReaders.missingStandbys),
    ]

    private static let changes: [Entry] = [
        Entry(Changes.followed), Entry(Changes.formerFamilies),
        Entry(Changes.versionsOnLeaving),
        Entry(Changes.ownSince), Entry(Changes.ofFamilySince), Entry(Changes.allOwn),
        Entry(Changes.allOfFamily), Entry(Changes.changedSince), Entry(Changes.snapshot),
        Entry(SeenVersions.mine), Entry(CallerVersions.bySignIn), Entry(CallerVersions.bySession),
        Entry(Changes.familyVersionRaisedAt), Entry(Changes.myVersionRaisedAt),
        Entry(Changes.outdated), Entry(Changes.hashOfSession), Entry(Changes.expectVersions),
        Entry(DatedVersion.ofFamily), Entry(CallerFamilyVersion.bySignIn),
        Entry(CallerFamilyVersion.bySession),
        Entry(ChangedValues.families), Entry(ChangedValues.members),
        Entry(ChangedValues.invitations), Entry(ChangedValues.receivedInvitations),
        Entry(ChangedValues.profiles), Entry(ChangedValues.preferences),
        Entry(ChangedValues.playerDetails), Entry(ChangedValues.attributes),
    ]

    private static let requests: [Entry] = [
        Entry(RequestIdentities.begin), Entry(RequestIdentities.beginWithoutActing),
        Entry(RequestIdentities.beginWithoutCaller),
        Entry(RequestIdentities.beginChange), Entry(RequestIdentities.beginChangeWithoutActing),
        Entry(RequestIdentities.beginChangeWithoutCaller),
        Entry(RequestIdentities.upsertUser),
        Entry(IdempotencyKeys.claim), Entry(IdempotencyKeys.storeResponse),
        Entry(RateLimits.reserveInvitationLookup), Entry(MailDomains.storeLabel),
        Entry(StandbyReaders.renew), Entry(StandbyReaders.end), Entry(StandbyReaders.inUse),
        Entry(StandbyReaders.state),
    ]

    private static let accounts: [Entry] = [
        Entry(Accounts.address), Entry(Accounts.reserveMailedCode),
        Entry(Accounts.reserveDeletionCode), Entry(Accounts.isOperator),
        Entry(Accounts.reserveDeletionAttempt), Entry(Accounts.erase), Entry(Accounts.wasErased),
        Entry(Identities.beganWithSignIn), Entry(Accounts.sessionWasErased),
        Entry(Accounts.wasIDOf),
        Entry(Accounts.reserveExport), Entry(Accounts.export),
        Entry(Mails.ofErasure), Entry(Mails.deleteErasureAddress),
    ]

    private static let sessions: [Entry] = [
        Entry(RequestIdentities.beginSession), Entry(RequestIdentities.beginSessionWithoutActing),
        Entry(RequestIdentities.beginChangeOfSession),
        Entry(RequestIdentities.beginChangeOfSessionWithoutActing),
        Entry(Sessions.exchange), Entry(Sessions.refresh), Entry(Sessions.endOfToken),
        Entry(ProviderTokens.store), Entry(ProviderTokens.claimCheck),
        Entry(ProviderTokens.recordCheck), Entry(ProviderTokens.revocation),
        Entry(ProviderTokens.delete),
        Entry(Sessions.mine), Entry(Sessions.end), Entry(Sessions.endOthers),
        Entry(EmailTokens.create), Entry(EmailTokens.tryCode), Entry(EmailTokens.signIn),
        Entry(EmailTokens.accountOfLink),
        Entry(AddressChanges.request), Entry(AddressChanges.complete),
        Entry(PageTickets.create), Entry(PageTickets.account), Entry(PageTickets.use),
        Entry(StoredPasswords.reserveAttempt), Entry(StoredPasswords.releaseAttempt),
        Entry(StoredPasswords.ofAddress), Entry(StoredPasswords.signIn),
        Entry(StoredPasswords.resetUser), Entry(StoredPasswords.reset),
        Entry(StoredPasswords.mine), Entry(StoredPasswords.change),
        Entry(Identities.mine), Entry(Identities.remove), Entry(Identities.addSignIn),
        Entry(Passkeys.reserveAttempt), Entry(Passkeys.ofCredential), Entry(Passkeys.signIn),
        Entry(Passkeys.account), Entry(Passkeys.mine), Entry(Passkeys.add),
        Entry(Passkeys.remove),
    ]

    private static let families: [Entry] = [
        Entry(Families.create), Entry(Families.mine), Entry(Families.one), Entry(Families.update),
        Entry(FamilyAttributes.read), Entry(FamilyAttributes.patch),
        Entry(FamilyAttributes.streamingServices), Entry(FamilyAttributes.streamingServicesOfFirst),
        Entry(Families.first), Entry(Members.ofFirstFamily), Entry(Members.ofShownFamily),
        Entry(Members.former),
        Entry(FamilyCodes.regenerate), Entry(FamilyCodes.preview), Entry(FamilyCodes.ownStatus),
        Entry(FamilyCodes.applySettings), Entry(FamilyCodes.prospect),
        Entry(CodeAttempts.reserve), Entry(CodeAttempts.join),
        Entry(CodeAttempts.approvalTerms), Entry(CodeAttempts.requestToJoin),
        Entry(FamilyCodes.guessingState),
        Entry(AuditLog.page),
    ]

    private static let members: [Entry] = [
        Entry(Rosters.ofFamily), Entry(Rosters.ofMyFamilies), Entry(Rosters.ofMember),
        Entry(Rosters.ofInvitation),
        Entry(Members.ofFamily), Entry(Members.ofMyFamilies), Entry(Members.one),
        Entry(Memberships.remove), Entry(Memberships.leave), Entry(Memberships.withdraw),
        Entry(Memberships.approve),
        Entry(RoleChanges.changeHouseholdRole), Entry(RoleChanges.wasChangedLater),
        Entry(RoleChanges.undone), Entry(RoleChanges.unseen), Entry(RoleChanges.hideConflicts),
        Entry(Memberships.transferAdmin),
        Entry(Memberships.addManaged), Entry(Memberships.updateManaged),
        Entry(Guardianships.add), Entry(Guardianships.remove), Entry(Guardianships.makePrimary),
        Entry(Memberships.reassignManaged), Entry(Memberships.isWaiting),
    ]

    private static let invitations: [Entry] = [
        Entry(Invitations.pending), Entry(Invitations.one), Entry(Invitations.generation),
        Entry(Invitations.create), Entry(Invitations.resend), Entry(Invitations.addSecret),
        Entry(Invitations.revoke), Entry(Invitations.pendingFor),
        Entry(Invitations.startGraduation),
        Entry(ReceivedInvitations.mine), Entry(ReceivedInvitations.isMine),
        Entry(ReceivedInvitations.ofToken), Entry(ReceivedInvitations.accept),
        Entry(ReceivedInvitations.decline), Entry(ReceivedInvitations.prospect),
    ]

    private static let preferencesAndDetails: [Entry] = [
        Entry(Sessions.extend), Entry(Sessions.showFamily),
        Entry(Locales.setIfUnknown), Entry(Locales.choose),
        Entry(Profiles.mine),
        Entry(Profiles.joinRequests), Entry(Profiles.update), Entry(Profiles.switchable),
        Entry(Preferences.read), Entry(Preferences.write),
        Entry(PlayerNotes.read), Entry(PlayerNotes.changeDetails),
        Entry(Consents.ofChild), Entry(Consents.childrenWithoutConsent), Entry(Consents.give),
        Entry(Consents.withdraw), Entry(Consents.reserveAttempt), Entry(Consents.applyPurposes),
        Entry(Consents.generation), Entry(Consents.own), Entry(Consents.missing),
        Entry(Consents.giveOwn), Entry(Consents.withdrawOwn),
    ]
}
