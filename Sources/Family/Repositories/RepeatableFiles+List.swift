// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        1ad85d2575ac56788eb7509012c240eb691eb4b2e65881de1ab6937a4eaff291  answering_invitations.sql
        0419d765893fe7ca83f3cf1407f8bfcd9cababd3820336450336e866c653d26e  attributes.sql
        05502985d7abd11351632b530353d0311e4b50130c146bfe380389e783877b3b  audit.sql
        366c0a4f11c952ae51dcf4450b30759df32562d9016874459e3f326d20411bf9  automatic_approval.sql
        520ddd50156f24eeadca31486aa91e055873a730aa040b1d29823ff2a51e4d94  batches.sql
        3f7dbaa2f6fbb765bb19f91e21f3fe3a29b19862ad36e2ee938109c2b984c3fb  changes.sql
        c09c93e0d3607ba061adb59e1e72c022c5da5bd3cd6b8ee3f22d59a56495041c  changes_followed.sql
        04c75bbf0eca26abcfcedf50b7c596e1d267328a716b1605c5c08d6ff929bfd9  changes_from_notes.sql
        b698c4b6a8d92ccceacb72ad882bc6530d53e82f5a0de5038ff5dfc829a57c91  changes_versions.sql
        3cb03c99ab45be728e82925748aace2c66fac1d92814913431461c4838cb7c0a  code_settings.sql
        8debb99f1a15aa2c659c83323c22b75031d6a18a8fbd31eb8666b97969e2bbf7  codes.sql
        58c440a56e788708a653f026781ca97f7bdf1bf9450045f6eddfb4a60cc8cae2  consents.sql
        a1b0f7d9985632e6e62cf491cecf7d4723872e43976018f6073b15eb57b8ddfd  direct_request.sql
        02e287478fa5a77b7f553c0e9060c4878c9abbff78b26638b3ce76f29dc3df30  direct_views.sql
        2d340181a1011104ce6b7e2f4faf90012626bf1db9fdc10a8747f11993fe6a44  dropped.sql
        141cf3e95300f0d56a4709381ab77e0dee566174be5be58c0524d5f2cc95b172  erasure.sql
        796440b988bfef59fe2e92be4888501f8346c2ca329ee8e941430da8f6524666  families.sql
        5952639c4f3b17e32a1f5d5b5934ae8d7b049763ba30c58478aab356925ed8c5  faults.sql
        1e1f60c7e29edda773a4e70fa11df506709771e229b15984c4adf3e30c124bae  fault_checks.sql
        e5685c0b980d871eb432efb20480a5cadb955b51ab9ea87c4934c64c47df4f7e  graduation.sql
        ae98914ed5f71611f6f91f79ab166b825be380c6c642f4d7ef56b88967b054e4  guardianships.sql
        cf5569a97e89f833c79e65e08215681b5dfcd53fc76e0aba69e86219bb26d67b  household_roles.sql
        329c90ba4f9626370b38b4d94302d0d773832d67d5536f1fd116a27f644e212a  idempotency.sql
        e9497d9a3ee371c3a62190bda875157ba7c8173036d81765d286d1d2d217d2aa  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        92dae75bb1a68fe51738a29721ac3de6832577c39d45abdc86af972d8fc7727d  jobs_leases.sql
        6f71ca82051d2eeb886c01ae5a494b1f8dfcc1a1e43de1c0b568982151f3153c  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        1a220898e3a93de04dc425efc2f52f3839bae87a4b1bb3936c26dedf3b1a3355  join_requests.sql
        5f67a190cc7182049d4826aebd12d5ec0bbe238b15d9e1c44129d9bbaca077bf  joining.sql
        28f7a7475214885361d3240ab0013e02c1d6bd99858b1d9a7a76a816e489cbb6  leaving_own_family.sql
        9293cc36242bff52c95721e61a059014416ddd402caabef0462d066f57fb7b8e  limits.sql
        be63d411913e74663f42b2735fee3d1ea010ea6213b0567a98543eeee9b09d5b  locales.sql
        eb865ac468c5a424580f583198f08ae3ccea77bf47fe94e46669927d30e4b2f3  locking_families.sql
        62e9ec7d289badae1f7e7786f8d043ebf86c0f023fd54e064b13a649b7c5307f  mail.sql
        98cbd0cbf4511f50d7e24fb68b75eaab874b95df485fa52b4afc3e3ab6e95afd  mailed_tickets.sql
        bfb19e1e9ecfad03a84d22dcc2b37b786a4a7810dcf126540bb525e3b570b09e  managed_members.sql
        83ca755d41a368d84d8b17f75042528dd70bfd8aeeda8a1d6a1678f69a60af11  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        ae155956751eadd372568b15b2f676b393295df5fc6dd297701723cb83e06c65  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        6f14a5727bb12fb902fdf7418639d4afc7232aedffcf3035504e6e3b568c3413  operators_invitations.sql
        e6f55cbcaaa24543d3f9393d8df6cb3c6ed928054c0bd49eb9183ba1a391a353  operators_jobs.sql
        92d37f8e38df9980fab615ade22231f6f0f899b1a11da9c1c50912de2eaaafa9  operators_members.sql
        e4a98e42f7813a850d7a19baabc88ca32751f8ce20807ec61351088bf955004c  operators_webhooks.sql
        89024f0f50ef8f1bd4610c79cd628a2682309b80a344e86c0b48385b938509b0  own_account_erasure.sql
        0a156d05376ecab6513f5d811fdd8f75b008cc9c603c7b851dae3561be4309f2  own_account_export.sql
        cbf1d5eaec148974f72f4d33bd65e71070f2f01f4124f3cfbff4ae29802223c2  passkeys.sql
        47d21f819da01392e188323866d6e2f58e35f8d01a703425708ca8cc09a3ee23  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        1313b01480f072aaad515ffe057b6d3621eea19dd264800839dc8f2ca49b0f01  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        a232465e08af9c2ed0c0b7a7b16ae1a7ca31f532baedea02aaf2abbda88dc934  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        1fde88d5be5260c21a11f420460cd25f061d357f9e2607abe640f99b254fe8ba  sending_invitations.sql
        4762d5e228f4b745b6ff041e81c6d82ea43482da90b3f210852d6e97e4b54bfd  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        4ee0a322b505d9cbb37047d845ce06adb6c894ceeb58114c3e3ef2977baffbc7  slots.sql
        1a0f2803a4deb221a12775f18101ddab509d6954792e41919a3721227a9e1408  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        5ed6d7ef458099d477fffb49441ef1e080689aba7e9db9fc0403b4b2d82d851a  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        2e38c76d107e7c6eea541209eb638e14617cb9ed052d6860e93ef846a5449241  webhook_delivery.sql
        b16e8722b2090b12b020ceea50b407116c100ae3f34cd8937e2800db21c5b2fa  webhook_events.sql
        """
}
