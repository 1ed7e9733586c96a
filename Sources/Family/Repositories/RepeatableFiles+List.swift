// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        3090152904adb5c52daef01dba806b4d7fb5a00195b9e68ea300b00ce439eeb6  attributes.sql
        af22600f0fed999d452bf37f83295e97e123884dc7b573b3942153e884cf2efb  audit.sql
        a81b842e7bd8fb1eed21edd159843be4d85199a4963d40c7e4d17df5edc28b05  batches.sql
        b1b334f50c67086f25d442690925884a42614fbfbbeb0758e36c6c627993f030  changes.sql
        755b30a6b9f8d22c073b46b35bcec01371f871bde79ade2a66fe03bec410bf0c  changes_followed.sql
        5faf8cd753c50ab33abd07336e57e9f6606167571b19f0ad363cae8f26bf7be1  changes_meaning.sql
        93bd5780dab9003bf80081a76a9958ed5b6abaa9003e03fbb0af7ad88b8c7a42  changes_versions.sql
        d8caf849166da1407e4d3cc7a33a1d32347ebe1b241e7927315f55260672acd1  code_settings.sql
        72b36b5e883a7884604374703e2417f965abb4c0ae0232167bfd3be6c05ba96b  codes.sql
        ff9314c99e7eb5cd7d29293c3eb708b1fd7f175adc9542287a51f38cd48758e8  consents.sql
        7cf87b6a9b6e9c5a42a68c8354871131aa5f064e40634322c94b28417ba664b2  direct_request.sql
        678dda1515656db2516157bd69f8b27d069a90b370c004d5e241d59301f075a4  direct_views.sql
        93595659b20c1bb50c981726eb44a6f2b25bbd6c35dbe1fc8f6d2228be3fe294  entering.sql
        57bd760def9fb25ab7aac12b5dd1078c007ac0a81ff0e3e203caefbc4d3c4613  erasure.sql
        539c873f500d3f4f21b63908505ad1ec2e71b6943f98701ab373cddd3aba9a71  families.sql
        8e09901fe041a4b67c96922e89b59d67ee065cba563bdd5cecd32863cdef9b72  faults.sql
        262f8b4fdd9d4d1b4bd4bf9e8fa4d16302ce3ace195164cc75bc4e23e41181cc  fault_checks.sql
        f2326043cf31c418d480ed8483e525781e8d507bbf153e9118d5d4e68d625a9c  giving_way.sql
        f4d1556bc6f67d817da0b66192c26083c07c455143991db2bfa2ba4f572859d8  graduation.sql
        b9484177a742c66615b520a354894ecdc393273ff252fd0c9d1d2e20227d3a7c  guardianships.sql
        3923ddef498c0ed2d0e55b3a5561c58ca81f185b1df65d6c0c41c21520d5fcc3  guessing.sql
        1054ffe62b1559dfa49b3203619909b22d28b9ca7032b6cd19fb2f31dd6c2083  household_roles.sql
        bc8d1e22aecdce96b0bedbbd69cb9ed9d018ba176c82ab007f01e8b4c8784ea4  idempotency.sql
        3a66de96ed2858eee65cdf71f909e3a9a976fad91b382ecf61b129bb108bae6f  identities.sql
        a4e193cf1c8d65b99a8e330acaac1e5497118af2cf2d11606295093d731a322b  identity.sql
        941c5b38bfd68a3820cdb75a8169f8e6b76f10b11f7a7248618c018c43e3003d  invited.sql
        8b944f663277dab733eb94d68cc6a18f17da51eb2633ce90daf535b1ae84cdeb  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        e46d0acba14423dce95282c1e7fd97ebe3d24ffd5b01a648d22ea22e0644e20f  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        12acc6dccfc3a18f2e7362f6a27be9b4a7d34043a250050a35688256874cc944  joining.sql
        54ff811c775397c7148779497345893d1ebf7eb15af2c73967c6ab9c3b4655e0  limits.sql
        a4f0f4c4b3c289a6e258e118740fed4a80f6ba74038489210cc61e1eaa5c0068  locales.sql
        c3b1af34ee334469c13baa978d2b40d193b493089455ea735aaf1a87ca801cf4  mail.sql
        383565736aaa03536079332dc91d6a65bcdd9739893dd4e6a3bc3f8a27b696b7  mailed_tickets.sql
        58eb9aeee178309d382f01f3129c9c36aa6528d98ce88228c87bb2df9ca41ed6  managed_members.sql
        91f5a773bb2fbe9ea448c6a14d35ecadb1e0ab232811d84b257dff6c16450e36  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        5e1edb3539f43f6e2ac0b957a1145b67b48b5d99f76344ecc9cb17a7581070ef  operators.sql
        07cf62d4bc4a0d9ca03184ae6dcc27c6a6e7e431fae2727adfa6efaa7fb6c7ec  audit_months.sql
        3d311d216205fe3bd24078fda70fb7ffd37b405dca628df1e7e298438c841a5f  operators_invitations.sql
        d944adcf4a19d33a13771bae3fb7deec3fd3b1e696a6fcf5f8aa51e4e0a4c3ee  operators_jobs.sql
        eeb111a9003bb5536a674776bd9a5dafaafc178b38f7e731e4a1dddc7f14e042  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        a954ea0c294b12867766744fa6f585c6a7a47758b4ce3e419bba70658b2b48ae  own_account.sql
        52ee426c7bb7fb9232312211da90a31d040e93427e45f2315d111d0aa205802a  own_account_export.sql
        4fd54e2223cccfc4bfc829c64a94f684181a274e14f442fa40a889f1af68e277  passkeys.sql
        a8962fde633c1bd94b5689c9811e54c1949929913b3bf13097ef99e2c241c6b7  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        65be22c18b3839577dd2ad23917d29cc4cb16bbe8093f1dd0f8f7008fa5d0adc  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        fb7ad393d38634e592258d2e987e572bc5d403c8aae5b9c700dc5ff9f61b0da2  rate_limits.sql
        e7d30a755f92bdeee2d45ce6ff736a6868d506daad0011d4cd3e96149fbbc886  refusals.sql
        0e388182aae8b4ecc92755499ab96b32f44c81adc7a0c4f93ce9a34e6e6e335e  refused_invitations.sql
        832fb49e3ae6d8b07fa515190c03b70a3a3108554c68572a2b378c79446382d2  role_changes.sql
        ac2868a60eab6bb2dd388b800915784d2d1e53b4b6a139838a351ab497b67898  sessions.sql
        ab92f430acdad58d1fbdc1ab1ea2bb08d4869ba20fbbd9875e8ed371d9c6b1db  slots.sql
        385ef5c9f73ccbea690660517236de00fc83817857b365c7346802c1e9d7c1be  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fc18aeb2c8dd4a934387f146399477a7fa82ca3238b00ff689e5a8be30c71e31  upkeep.sql
        4427f273c54b0cc5a2f53ff7ef7a25d69eb55182814b8438695ebd15faf7c1af  upkeep_changes.sql
        7173c34a13752f21e7fc20566b7025ceb3bc6214075a62f5d8c5a169fc57a5e1  webhook_delivery.sql
        53e795ae42a9dc90234f5eea86a7d1840239169ecd4220c6f350e076e262af9f  webhook_events.sql
        """
}
