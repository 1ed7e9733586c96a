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
        f9c4bc7e920cc6d216ef0417a90949b9dc1f661c028bcd8005ec295bdf770c9a  codes.sql
        7539ad1344daa60b791350a0407b651e0aaa49588996f79a3107c424b27ead2f  consents.sql
        7cf87b6a9b6e9c5a42a68c8354871131aa5f064e40634322c94b28417ba664b2  direct_request.sql
        bf388dafbae3d32409cef7a5d7228300533922f4a77026782bd083189ca1a520  direct_views.sql
        93595659b20c1bb50c981726eb44a6f2b25bbd6c35dbe1fc8f6d2228be3fe294  entering.sql
        42d54a643cfd93aeb59383362851ac28c6e37430d41528a01f0eb192255c8c17  erasure.sql
        539c873f500d3f4f21b63908505ad1ec2e71b6943f98701ab373cddd3aba9a71  families.sql
        8e09901fe041a4b67c96922e89b59d67ee065cba563bdd5cecd32863cdef9b72  faults.sql
        262f8b4fdd9d4d1b4bd4bf9e8fa4d16302ce3ace195164cc75bc4e23e41181cc  fault_checks.sql
        0f4b55add1c8a3707bff01099c7f2d9e26beaa27a8f6049b05a6310d8f62c3ce  giving_way.sql
        7ea47e58123f49fbe5921931a545622fecf72741779728c5630b947d32f5b8b2  graduation.sql
        09308d1b90b5e38ea676011bf833a7c6919493bbc1b3329494d2d1b21692020e  guardianships.sql
        3923ddef498c0ed2d0e55b3a5561c58ca81f185b1df65d6c0c41c21520d5fcc3  guessing.sql
        dc1640c8d118892388aff4e416750301d6c4eb02dc5227216f34cb9f6816f74f  household_roles.sql
        bc8d1e22aecdce96b0bedbbd69cb9ed9d018ba176c82ab007f01e8b4c8784ea4  idempotency.sql
        3a66de96ed2858eee65cdf71f909e3a9a976fad91b382ecf61b129bb108bae6f  identities.sql
        a4e193cf1c8d65b99a8e330acaac1e5497118af2cf2d11606295093d731a322b  identity.sql
        d668d633fa1bad2cbd79583a485ebf12779dda9100ecc7529fa9c6e49ccfaf83  invited.sql
        8b944f663277dab733eb94d68cc6a18f17da51eb2633ce90daf535b1ae84cdeb  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        e46d0acba14423dce95282c1e7fd97ebe3d24ffd5b01a648d22ea22e0644e20f  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        39432a286decac337e448615cbf33510c67548cb461a757de981287e59100c06  joining.sql
        54ff811c775397c7148779497345893d1ebf7eb15af2c73967c6ab9c3b4655e0  limits.sql
        a4f0f4c4b3c289a6e258e118740fed4a80f6ba74038489210cc61e1eaa5c0068  locales.sql
        c3b1af34ee334469c13baa978d2b40d193b493089455ea735aaf1a87ca801cf4  mail.sql
        383565736aaa03536079332dc91d6a65bcdd9739893dd4e6a3bc3f8a27b696b7  mailed_tickets.sql
        896ebe1e68c892a21d1572561b3a01102c640523e2e88ac97fc91c0e87cdaf52  managed_members.sql
        5cf2af0431b473ee37069729809a76ecce84ca0d0cc0586c355cf8198501ef40  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        5e1edb3539f43f6e2ac0b957a1145b67b48b5d99f76344ecc9cb17a7581070ef  operators.sql
        07cf62d4bc4a0d9ca03184ae6dcc27c6a6e7e431fae2727adfa6efaa7fb6c7ec  audit_months.sql
        3d311d216205fe3bd24078fda70fb7ffd37b405dca628df1e7e298438c841a5f  operators_invitations.sql
        d944adcf4a19d33a13771bae3fb7deec3fd3b1e696a6fcf5f8aa51e4e0a4c3ee  operators_jobs.sql
        8415c5a945f62cb59ef44621f114ed7d99739aaa4c7f23455a0e660b31a208c8  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        033ccfb914d3f37bc5e57eb85a53b1aa4756117119314d0f11497aa395ed0ae1  own_account.sql
        aa484db7b6332fb202459ca89e002483d577bac03c435be8c8dbee402d68b9bf  own_account_export.sql
        4fd54e2223cccfc4bfc829c64a94f684181a274e14f442fa40a889f1af68e277  passkeys.sql
        a8962fde633c1bd94b5689c9811e54c1949929913b3bf13097ef99e2c241c6b7  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        65be22c18b3839577dd2ad23917d29cc4cb16bbe8093f1dd0f8f7008fa5d0adc  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        fb7ad393d38634e592258d2e987e572bc5d403c8aae5b9c700dc5ff9f61b0da2  rate_limits.sql
        e7d30a755f92bdeee2d45ce6ff736a6868d506daad0011d4cd3e96149fbbc886  refusals.sql
        0e388182aae8b4ecc92755499ab96b32f44c81adc7a0c4f93ce9a34e6e6e335e  refused_invitations.sql
        66e55eaefbffce6edea7d931cda522097108ffed32f30bf7aeb19987849ac0d8  role_changes.sql
        a22eadadb84248b3fab53ae22b3b3baa7e220ef6643dc83c23d4c414d1da3360  sessions.sql
        03adcef6fc14ab4f903f804b9902dd07597cf1323383f4c0cd519ee762625cf5  conditional_reads.sql
        ab92f430acdad58d1fbdc1ab1ea2bb08d4869ba20fbbd9875e8ed371d9c6b1db  slots.sql
        385ef5c9f73ccbea690660517236de00fc83817857b365c7346802c1e9d7c1be  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fc18aeb2c8dd4a934387f146399477a7fa82ca3238b00ff689e5a8be30c71e31  upkeep.sql
        4427f273c54b0cc5a2f53ff7ef7a25d69eb55182814b8438695ebd15faf7c1af  upkeep_changes.sql
        7173c34a13752f21e7fc20566b7025ceb3bc6214075a62f5d8c5a169fc57a5e1  webhook_delivery.sql
        b5caee5f8d869f6ab136089ba55df48d474da9f8ab261f96231c891ce7c5eb06  webhook_events.sql
        """
}
