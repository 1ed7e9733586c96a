// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        6b15e68bca5398d563a88572e4295bcb814f451c825ea397936acc832c6ddce7  answering_invitations.sql
        d5677304e8a52bcb7bebf8ebcff07f2b18e553afb27e417d2615e9f1fb7964f3  attributes.sql
        01a2beddf3515da1ef6169c1e2a5198a32e7944180f67732c3164bae80856441  audit.sql
        86115a67bf010445e5fb1d7bfa2b85a1cd00cab7b35b2774fac219be787686ca  automatic_approval.sql
        520ddd50156f24eeadca31486aa91e055873a730aa040b1d29823ff2a51e4d94  batches.sql
        29b6048b26941ecb4f16640148064f6b8a162f0ff116ee76ff8d1821225286b4  changes.sql
        c09c93e0d3607ba061adb59e1e72c022c5da5bd3cd6b8ee3f22d59a56495041c  changes_followed.sql
        04c75bbf0eca26abcfcedf50b7c596e1d267328a716b1605c5c08d6ff929bfd9  changes_from_notes.sql
        b698c4b6a8d92ccceacb72ad882bc6530d53e82f5a0de5038ff5dfc829a57c91  changes_versions.sql
        3cb03c99ab45be728e82925748aace2c66fac1d92814913431461c4838cb7c0a  code_settings.sql
        95b4822e3401c1f68bf9055fc93d231751356c49d9a0e8f7a9bd52dfc9c9b013  codes.sql
        bef4c3d55f2a99e04695eaf9fd728a387291689b41494490971dd564fc3f85b9  consents.sql
        a1b0f7d9985632e6e62cf491cecf7d4723872e43976018f6073b15eb57b8ddfd  direct_request.sql
        53624e88cd904b9a06d24d631ffaa32ff6e2a24786b8fca3de2f9ee382bfddc7  direct_views.sql
        498c9c6d5e13c3bafd3744ea74db1978e2d85a0c34071be656bdb4876296cdf1  dropped.sql
        1ff4fe6463aa44dfcdfad2be861f09684fc5221e3d9da110177e39f4a1d84dc1  erasure.sql
        f690a860182ca1ac2f252804c4d12e8af2f2b097a7a3f1641cc86bb349e61fbf  families.sql
        06233882cccf43c6ca3697f894eac383a5b1eaa11fcb0ad722114983fe3cd375  faults.sql
        c88bc9158a5c3102ad63d63b04fe21130a891cd751ab7bab6ee4ba94eeee4b9d  fault_checks.sql
        404a800730a48dd4c5ecac2ce6bf9a4bc0181be53c376a16fa6714f97acaa862  graduation.sql
        4fcc69c3648a96b7dc5eecb7ee6449a2ec47ad8f0b5c47d96137d5592e465d12  guardianships.sql
        05bbb20e652b5aa464b814700ca58753beffe62dfa313575f0717f88746b13b9  household_roles.sql
        329c90ba4f9626370b38b4d94302d0d773832d67d5536f1fd116a27f644e212a  idempotency.sql
        c64ee3c7630363b4f411e935acce50ce17b6d4c12369026dadf7808fec87f349  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        92dae75bb1a68fe51738a29721ac3de6832577c39d45abdc86af972d8fc7727d  jobs_leases.sql
        6f71ca82051d2eeb886c01ae5a494b1f8dfcc1a1e43de1c0b568982151f3153c  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        9503fc20daae95450ebe89e204da0b2db682d29a4aae368018e1484273cf698b  join_requests.sql
        f87a7965ae3a1455c6b5f4b46becc5267e4bd6c2bba5f8e05d7716c20c778ce3  joining.sql
        2868e4880655c12fb33e3ed7532d51aa84ad0a0b155db10452f3e34d8ae638b6  leaving_own_family.sql
        5b63642572416b1326b99a941956e5dd50bdd1063cc701004a70449d4eda21dd  limits.sql
        be63d411913e74663f42b2735fee3d1ea010ea6213b0567a98543eeee9b09d5b  locales.sql
        6fe49f85601087a2bea8248c39e605a5b3c82fe5c5f4ad524c5666ae8439f733  locking_families.sql
        32846624387da8e756b46dc3856e13bb8b9e7956198313f4051538989137aaca  mail.sql
        419edfd0b763bb3ee7519963dca2f6a987c7553e4372fd5a9cfeb291a472cfef  mailed_tickets.sql
        ad91f3cc612e980326daebed9b4da2b95563840b74b096f5a200682c5d685afe  managed_members.sql
        a1251c1ae23c73b9007643917ec43866bad03b237a8a873f743e45b946569911  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        7a13030848e016896400d2b9b124dc485e08319331057d72d5dca98dfe72c294  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        6f14a5727bb12fb902fdf7418639d4afc7232aedffcf3035504e6e3b568c3413  operators_invitations.sql
        e6f55cbcaaa24543d3f9393d8df6cb3c6ed928054c0bd49eb9183ba1a391a353  operators_jobs.sql
        59cf695a274d1c10e1ffd8f48dab763c682a173334098d706095075b1ca789b6  operators_members.sql
        e4a98e42f7813a850d7a19baabc88ca32751f8ce20807ec61351088bf955004c  operators_webhooks.sql
        d589067e3154882430b1d71fbb2717a97104e225ff1c0b14f437650d81e6f3ba  own_account_erasure.sql
        4759e717bc0f52ba9065f0e667c3d85ebffbc570ac1e8a78c36449387515ebf2  own_account_export.sql
        810b225ee9997df8dd3e8f218417c94e56c28a671debb988b8e959898d3c6bc4  passkeys.sql
        19c5c37fc243e7683f8e869f4770d9d733552730ec9a16404d51175dcf30c5c4  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        3a535f5082cbea9e1ea06ebecfa00408b5ae46f0aee0b3bf208582fa523e7906  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        a232465e08af9c2ed0c0b7a7b16ae1a7ca31f532baedea02aaf2abbda88dc934  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        5db9e9e2d6a17811015b79f628c453b344bb8836f89a92ae1709c8570432cf9b  sending_invitations.sql
        d16f1a6c7f609aae23f02797d2214c4e827a4bfe50fc6c2ac607269cbea05915  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        6b0b31f9ac3a2c97539942a9f253176a9be69b715a4c4c48d2c80ddf19ba9697  slots.sql
        1a0f2803a4deb221a12775f18101ddab509d6954792e41919a3721227a9e1408  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        5ed6d7ef458099d477fffb49441ef1e080689aba7e9db9fc0403b4b2d82d851a  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        2e38c76d107e7c6eea541209eb638e14617cb9ed052d6860e93ef846a5449241  webhook_delivery.sql
        b16e8722b2090b12b020ceea50b407116c100ae3f34cd8937e2800db21c5b2fa  webhook_events.sql
        """
}
