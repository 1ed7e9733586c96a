// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        d76477333f12f26025da4d4136c183e55642e4d9757b446ddd1fb85c72eafbae  answering_invitations.sql
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
        13cda441a667eca15c0b55e9162d5b8fa6914a91ca1efd228c9155946d811979  consents.sql
        68503461377fb69a888f01e48a1194b1dc13635169c21fd79eb7014f37702737  direct_request.sql
        02e287478fa5a77b7f553c0e9060c4878c9abbff78b26638b3ce76f29dc3df30  direct_views.sql
        498c9c6d5e13c3bafd3744ea74db1978e2d85a0c34071be656bdb4876296cdf1  dropped.sql
        141cf3e95300f0d56a4709381ab77e0dee566174be5be58c0524d5f2cc95b172  erasure.sql
        9873cfa0deec65db45c8abd8a6a67d51e0218641be6dd997dc94dba3c7798260  families.sql
        06233882cccf43c6ca3697f894eac383a5b1eaa11fcb0ad722114983fe3cd375  faults.sql
        c88bc9158a5c3102ad63d63b04fe21130a891cd751ab7bab6ee4ba94eeee4b9d  fault_checks.sql
        9686c8fa114108cea06465e64a6c6f50888fa7a0d0fe1725fb7eff8c8ac18a24  graduation.sql
        ae98914ed5f71611f6f91f79ab166b825be380c6c642f4d7ef56b88967b054e4  guardianships.sql
        cf5569a97e89f833c79e65e08215681b5dfcd53fc76e0aba69e86219bb26d67b  household_roles.sql
        329c90ba4f9626370b38b4d94302d0d773832d67d5536f1fd116a27f644e212a  idempotency.sql
        c64ee3c7630363b4f411e935acce50ce17b6d4c12369026dadf7808fec87f349  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        92dae75bb1a68fe51738a29721ac3de6832577c39d45abdc86af972d8fc7727d  jobs_leases.sql
        6f71ca82051d2eeb886c01ae5a494b1f8dfcc1a1e43de1c0b568982151f3153c  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        98674575889cff85ed1434206b877ecec5d87b729e6cabbfffb675ed8732b5f2  join_requests.sql
        b9c5ad8d356fca860d4cf316a9a9879b10b2a3752854f370737ef8b873e5eff8  joining.sql
        2868e4880655c12fb33e3ed7532d51aa84ad0a0b155db10452f3e34d8ae638b6  leaving_own_family.sql
        32b7331a719bdf03ae6b8edcfa16ce17ce256df7e020d98ee88ac6304e7206f4  limits.sql
        dfefecf22a59cb56496a454223d8154e177f017268a095b3cb69e06f918ac243  link_keys.sql
        be63d411913e74663f42b2735fee3d1ea010ea6213b0567a98543eeee9b09d5b  locales.sql
        eb865ac468c5a424580f583198f08ae3ccea77bf47fe94e46669927d30e4b2f3  locking_families.sql
        8bb08c751c6af8ba43291bf33bb61b7483d9357d394c3120a6084b007343dc81  mail.sql
        419edfd0b763bb3ee7519963dca2f6a987c7553e4372fd5a9cfeb291a472cfef  mailed_tickets.sql
        bfb19e1e9ecfad03a84d22dcc2b37b786a4a7810dcf126540bb525e3b570b09e  managed_members.sql
        83ca755d41a368d84d8b17f75042528dd70bfd8aeeda8a1d6a1678f69a60af11  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        7a13030848e016896400d2b9b124dc485e08319331057d72d5dca98dfe72c294  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        6f14a5727bb12fb902fdf7418639d4afc7232aedffcf3035504e6e3b568c3413  operators_invitations.sql
        e6f55cbcaaa24543d3f9393d8df6cb3c6ed928054c0bd49eb9183ba1a391a353  operators_jobs.sql
        59cf695a274d1c10e1ffd8f48dab763c682a173334098d706095075b1ca789b6  operators_members.sql
        e4a98e42f7813a850d7a19baabc88ca32751f8ce20807ec61351088bf955004c  operators_webhooks.sql
        d589067e3154882430b1d71fbb2717a97104e225ff1c0b14f437650d81e6f3ba  own_account_erasure.sql
        0a156d05376ecab6513f5d811fdd8f75b008cc9c603c7b851dae3561be4309f2  own_account_export.sql
        810b225ee9997df8dd3e8f218417c94e56c28a671debb988b8e959898d3c6bc4  passkeys.sql
        19c5c37fc243e7683f8e869f4770d9d733552730ec9a16404d51175dcf30c5c4  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        bbc0df6111f2a34635805445b8b26ee058f6069e1f4a532c8746726e9a2ac5ff  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        a232465e08af9c2ed0c0b7a7b16ae1a7ca31f532baedea02aaf2abbda88dc934  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        1fde88d5be5260c21a11f420460cd25f061d357f9e2607abe640f99b254fe8ba  sending_invitations.sql
        d16f1a6c7f609aae23f02797d2214c4e827a4bfe50fc6c2ac607269cbea05915  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        da45a0fcdb6a383839dff507ce0e654aa4a61281bcfa09671839ec9f8bb3ea14  slots.sql
        1a0f2803a4deb221a12775f18101ddab509d6954792e41919a3721227a9e1408  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        5ed6d7ef458099d477fffb49441ef1e080689aba7e9db9fc0403b4b2d82d851a  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        2e38c76d107e7c6eea541209eb638e14617cb9ed052d6860e93ef846a5449241  webhook_delivery.sql
        b16e8722b2090b12b020ceea50b407116c100ae3f34cd8937e2800db21c5b2fa  webhook_events.sql
        """
}
