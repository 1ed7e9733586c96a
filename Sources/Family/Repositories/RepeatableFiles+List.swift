// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        93d6040db6c04791cde4f6a62d21cc796433d77281c3912fd456633a6c9f15aa  accepted_characters.sql
        9ce7630ef72a659f597ccf4eafae8692d2bf055f4368a80bc3ea4e4a00722e34  addresses_and_names.sql
        20dfbb493e24d6f342e03be2c3cabb630a38a3f27338f918115bb846f7ddfac8  answering_invitations.sql
        0419d765893fe7ca83f3cf1407f8bfcd9cababd3820336450336e866c653d26e  attributes.sql
        05502985d7abd11351632b530353d0311e4b50130c146bfe380389e783877b3b  audit.sql
        08b0ed7ac634ba16cd163dd9c039e0d7baddb58481e0453cae2c2cdc91f1753a  automatic_approval.sql
        520ddd50156f24eeadca31486aa91e055873a730aa040b1d29823ff2a51e4d94  batches.sql
        ef4cfd3f15cf1baab78c4846d5c8b9e7f59cdcc453acd150fd98d233f63ed3c6  changes.sql
        c09c93e0d3607ba061adb59e1e72c022c5da5bd3cd6b8ee3f22d59a56495041c  changes_followed.sql
        412b0950871e7bd6fd2d1e9cebf3b53a86785348103fb45ba865ce5936349714  changes_from_notes.sql
        59df7f69c8e290c7e35a5c90ea5afa14b851088d8d85651350fdf1aaa364c1d6  changes_versions.sql
        3cb03c99ab45be728e82925748aace2c66fac1d92814913431461c4838cb7c0a  code_settings.sql
        8debb99f1a15aa2c659c83323c22b75031d6a18a8fbd31eb8666b97969e2bbf7  codes.sql
        58c440a56e788708a653f026781ca97f7bdf1bf9450045f6eddfb4a60cc8cae2  consents.sql
        a1b0f7d9985632e6e62cf491cecf7d4723872e43976018f6073b15eb57b8ddfd  direct_request.sql
        02e287478fa5a77b7f553c0e9060c4878c9abbff78b26638b3ce76f29dc3df30  direct_views.sql
        192a513639c21eb663b768a4500f74eeefad19282c14f41f15f0bec4ef1a0773  dropped.sql
        e74624389cafb3d4e7704d752eb84dccd5730c1e79b2ad7154cf405e10789990  erasure.sql
        796440b988bfef59fe2e92be4888501f8346c2ca329ee8e941430da8f6524666  families.sql
        5952639c4f3b17e32a1f5d5b5934ae8d7b049763ba30c58478aab356925ed8c5  faults.sql
        84d48765ffb3017cc14e15edcab2b2e1605107fc56f52d8c608040be1e2071fa  fault_checks.sql
        dd1bc19e9f6243842964f4d0022cdea79436ee5d35f8440eed819b64ca17f01d  graduation.sql
        ae98914ed5f71611f6f91f79ab166b825be380c6c642f4d7ef56b88967b054e4  guardianships.sql
        cf5569a97e89f833c79e65e08215681b5dfcd53fc76e0aba69e86219bb26d67b  household_roles.sql
        329c90ba4f9626370b38b4d94302d0d773832d67d5536f1fd116a27f644e212a  idempotency.sql
        8079df2f3649af057423cfa1c57c675f7a608a1a9646d65e76fb52c346c7519a  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        92dae75bb1a68fe51738a29721ac3de6832577c39d45abdc86af972d8fc7727d  jobs_leases.sql
        6f71ca82051d2eeb886c01ae5a494b1f8dfcc1a1e43de1c0b568982151f3153c  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        1a220898e3a93de04dc425efc2f52f3839bae87a4b1bb3936c26dedf3b1a3355  join_requests.sql
        5f67a190cc7182049d4826aebd12d5ec0bbe238b15d9e1c44129d9bbaca077bf  joining.sql
        28f7a7475214885361d3240ab0013e02c1d6bd99858b1d9a7a76a816e489cbb6  leaving_own_family.sql
        9293cc36242bff52c95721e61a059014416ddd402caabef0462d066f57fb7b8e  limits.sql
        e6977dadc8e9d2d74381dc4a63af47de6481288ab0d772c92fb610cf51a7f374  locales.sql
        eb865ac468c5a424580f583198f08ae3ccea77bf47fe94e46669927d30e4b2f3  locking_families.sql
        5b5532324c1c3176e966c00199ab8b630351846398aeeee183ee9cc70386b1a3  mail.sql
        f166b06b2196b2bc533a3173e633d286e09b993c85f2ace0e7b4e78f0eb01738  mailed_tickets.sql
        bfb19e1e9ecfad03a84d22dcc2b37b786a4a7810dcf126540bb525e3b570b09e  managed_members.sql
        d70abcb99250b145fbc164ab4539f963777d44e7c32eb7db81ce1fc5ee71b7df  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        ae155956751eadd372568b15b2f676b393295df5fc6dd297701723cb83e06c65  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        9c34fb2a2aa35479cfb74a7dd4108e25b801d4d6ddffaec3de263bfac24ba48a  operators_invitations.sql
        7b1ff025231542d01de55d4336fb5c9dda8d6031609780f77fe2c69fa07eb3ed  operators_jobs.sql
        92d37f8e38df9980fab615ade22231f6f0f899b1a11da9c1c50912de2eaaafa9  operators_members.sql
        e4a98e42f7813a850d7a19baabc88ca32751f8ce20807ec61351088bf955004c  operators_webhooks.sql
        857c7bc7638c9834ad253467384a6b85f5b0f700efd426d91a50e5ff912ff476  own_account_erasure.sql
        8314c8b76216786f4ef36e981f6882a09f2815ee95343f287ebf1c58188874e9  own_account_export.sql
        cbf1d5eaec148974f72f4d33bd65e71070f2f01f4124f3cfbff4ae29802223c2  passkeys.sql
        bf62d1afd5a9c32386b1540adb25a3becae839ebeae4a5878fb1f748afa514d2  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        1313b01480f072aaad515ffe057b6d3621eea19dd264800839dc8f2ca49b0f01  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        a232465e08af9c2ed0c0b7a7b16ae1a7ca31f532baedea02aaf2abbda88dc934  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        c62c821497286769f3198e7bf369fbda3135bc7d7646ce36d2ab7dc46031b4f1  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        0472e0ed603e0e9f3e876f0c2bdbf57867b2569d1b8fac644f42201c6a6edfb7  sending_invitations.sql
        4762d5e228f4b745b6ff041e81c6d82ea43482da90b3f210852d6e97e4b54bfd  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        4ee0a322b505d9cbb37047d845ce06adb6c894ceeb58114c3e3ef2977baffbc7  slots.sql
        1a0f2803a4deb221a12775f18101ddab509d6954792e41919a3721227a9e1408  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        cc8ae567f1cda72c877e3d5ff4f3687ae3d1bffb59cf61adf4bcb2ddc5ebdd08  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        2e38c76d107e7c6eea541209eb638e14617cb9ed052d6860e93ef846a5449241  webhook_delivery.sql
        b16e8722b2090b12b020ceea50b407116c100ae3f34cd8937e2800db21c5b2fa  webhook_events.sql
        """
}
