// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        88a004d5f91ed5fb05550e23546ba712240b8f2bb33d5dcdbee2a0d9f23462e5  attributes.sql
        af22600f0fed999d452bf37f83295e97e123884dc7b573b3942153e884cf2efb  audit.sql
        a81b842e7bd8fb1eed21edd159843be4d85199a4963d40c7e4d17df5edc28b05  batches.sql
        35aa4b45910a3d46e88c550cffae197ea712a43a86241a3da74ff5bcebfe1007  changes.sql
        755b30a6b9f8d22c073b46b35bcec01371f871bde79ade2a66fe03bec410bf0c  changes_followed.sql
        5faf8cd753c50ab33abd07336e57e9f6606167571b19f0ad363cae8f26bf7be1  changes_meaning.sql
        93bd5780dab9003bf80081a76a9958ed5b6abaa9003e03fbb0af7ad88b8c7a42  changes_versions.sql
        d8caf849166da1407e4d3cc7a33a1d32347ebe1b241e7927315f55260672acd1  code_settings.sql
        72b36b5e883a7884604374703e2417f965abb4c0ae0232167bfd3be6c05ba96b  codes.sql
        5327857b64027ea6f2e611309c74040098ff18bdd1dddd538ab751531c26d175  consents.sql
        7cf87b6a9b6e9c5a42a68c8354871131aa5f064e40634322c94b28417ba664b2  direct_request.sql
        678dda1515656db2516157bd69f8b27d069a90b370c004d5e241d59301f075a4  direct_views.sql
        93595659b20c1bb50c981726eb44a6f2b25bbd6c35dbe1fc8f6d2228be3fe294  entering.sql
        ecfb6c8416d59618bbfb9ec4bcbf3c0f3a372710316f3ab24e2558d9294d5f7f  erasure.sql
        539c873f500d3f4f21b63908505ad1ec2e71b6943f98701ab373cddd3aba9a71  families.sql
        cd8bd6b9ee99b0d663642456ae026edeaea8d62e192bd43348cbe63bf0d1021f  faults.sql
        262f8b4fdd9d4d1b4bd4bf9e8fa4d16302ce3ace195164cc75bc4e23e41181cc  fault_checks.sql
        f2326043cf31c418d480ed8483e525781e8d507bbf153e9118d5d4e68d625a9c  giving_way.sql
        7c4c27f2a67a8fcb0a1d5bdfd6c2a1e3f4bdc2c6a69d8729327e57802ff34283  graduation.sql
        b9484177a742c66615b520a354894ecdc393273ff252fd0c9d1d2e20227d3a7c  guardianships.sql
        3923ddef498c0ed2d0e55b3a5561c58ca81f185b1df65d6c0c41c21520d5fcc3  guessing.sql
        6ef44245567ba2fbe15eecde1ab9bf3c144a841a2bd297e42a959e0c27bb6468  household_roles.sql
        bcaf91ff0012d864401453cd83665bd88dfea8448e60b353d9c932164632b546  idempotency.sql
        7ad8236bf4c3e37d90a232bf46eb252119ca3068fac63d46cd758c0f30f99a89  identities.sql
        a4e193cf1c8d65b99a8e330acaac1e5497118af2cf2d11606295093d731a322b  identity.sql
        782548c49b8868089a5ceb0cf8d9c3858ac104a74f163ad09577dad08bcfbc5c  invited.sql
        862afd7f1d7ff00ee2d01a30a533584be79defd108537f1e253bb7946c7d85f0  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        e46d0acba14423dce95282c1e7fd97ebe3d24ffd5b01a648d22ea22e0644e20f  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        31d2ce1add6db8cae2c2db3e0ab760bb90495151b6857c8ac2fa59a7f9445c78  joining.sql
        54ff811c775397c7148779497345893d1ebf7eb15af2c73967c6ab9c3b4655e0  limits.sql
        e10ad663ddddd4ae99a55ad851c65da81e8b34646665e0c29244cbcbde64fb97  locales.sql
        c3b1af34ee334469c13baa978d2b40d193b493089455ea735aaf1a87ca801cf4  mail.sql
        48bd34d31c8d3cd9246d4c9525e9a82221cafa4ac6e8739ba54cc77eb1debe7a  mailed_tickets.sql
        58eb9aeee178309d382f01f3129c9c36aa6528d98ce88228c87bb2df9ca41ed6  managed_members.sql
        91f5a773bb2fbe9ea448c6a14d35ecadb1e0ab232811d84b257dff6c16450e36  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        53449b549e9571bd4acb951cad925aa1074470b88ff8bc935b23ad271677b9fe  operators.sql
        07cf62d4bc4a0d9ca03184ae6dcc27c6a6e7e431fae2727adfa6efaa7fb6c7ec  audit_months.sql
        7e9fae0418e7c8623f332740e8e61de2bce4c2b8b57a298a7ffeeeff0ccb8ad3  operators_invitations.sql
        7b66747cd9f439258ec45527ee66e342b444b3969d0218110a8173c9bf0a4f0a  operators_jobs.sql
        eeb111a9003bb5536a674776bd9a5dafaafc178b38f7e731e4a1dddc7f14e042  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        6fd7ffb65b0223edaf3dc9d4a071bd45fbba3c73456f94b9edb039a398f09116  own_account.sql
        cffd2d1a74ade2bd2ad7a54bb029a12906ed5234a2742c3ddc2e7fc3a42e2fe9  own_account_export.sql
        3943c4e73acca086559a7c87cd69b4b3b4a8121f464003a4142a40e0c566eedf  passkeys.sql
        996bf78972dfd892e8bacbc296b20b5e2405a22cef7d8103b63c5fb323b2f805  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        65be22c18b3839577dd2ad23917d29cc4cb16bbe8093f1dd0f8f7008fa5d0adc  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        72ae4879722a22568dce318cc76c87f9074e6f32ecfca078b8f2f4e8a6ef2796  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        985dcd4fe533c20b9eabb6794c8d577eee2a4066f8da5d4ba9cc6b383a6d981b  role_changes.sql
        648f0b372e98112cb5fefc38687de679582f5257a35e14283b706a1ecc1f7baa  sessions.sql
        03adcef6fc14ab4f903f804b9902dd07597cf1323383f4c0cd519ee762625cf5  conditional_reads.sql
        a857c9dbda43d90cf9bdb2cbc9c43725ecc3157a6dbcd1014f7cbbf96510f947  slots.sql
        07c617e930d20234c0ca95bc3787f5e134147deef7fca4a25f96a97aebdc46d6  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fc18aeb2c8dd4a934387f146399477a7fa82ca3238b00ff689e5a8be30c71e31  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        7173c34a13752f21e7fc20566b7025ceb3bc6214075a62f5d8c5a169fc57a5e1  webhook_delivery.sql
        53e795ae42a9dc90234f5eea86a7d1840239169ecd4220c6f350e076e262af9f  webhook_events.sql
        """
}
