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
        e59d65a8aa235eb0d90113479ac7e3651b42984724067b6b5125b744790c48c7  codes.sql
        ad7b4289b9dd4b2d40f5d76bb347a2d5c81cecafb9ff78f55338cf44803de6c2  consents.sql
        7cf87b6a9b6e9c5a42a68c8354871131aa5f064e40634322c94b28417ba664b2  direct_request.sql
        678dda1515656db2516157bd69f8b27d069a90b370c004d5e241d59301f075a4  direct_views.sql
        93595659b20c1bb50c981726eb44a6f2b25bbd6c35dbe1fc8f6d2228be3fe294  entering.sql
        8c6cc0b6747e16ebc8f653811ce582663a8b3507e6926300765d99dd3e594150  erasure.sql
        539c873f500d3f4f21b63908505ad1ec2e71b6943f98701ab373cddd3aba9a71  families.sql
        cd8bd6b9ee99b0d663642456ae026edeaea8d62e192bd43348cbe63bf0d1021f  faults.sql
        262f8b4fdd9d4d1b4bd4bf9e8fa4d16302ce3ace195164cc75bc4e23e41181cc  fault_checks.sql
        65019ce2322907f1e069acc2f821d448e622ad9ad7d8ed15f9300190c87c1c23  giving_way.sql
        9676ef44a7383185739e756e2142848e2b7bf47b0f5a9bcf9d30ca35015916d8  graduation.sql
        b0d9f08c462155813b4dc5d05cee907d58cc37cb8575b1e3d0fc6c8db7e9191b  guardianships.sql
        3923ddef498c0ed2d0e55b3a5561c58ca81f185b1df65d6c0c41c21520d5fcc3  guessing.sql
        4acc41835ddc8394c3148cf407762b06bf8a52ad768b0305faf9cd14e7eda2bb  household_roles.sql
        bcaf91ff0012d864401453cd83665bd88dfea8448e60b353d9c932164632b546  idempotency.sql
        7ad8236bf4c3e37d90a232bf46eb252119ca3068fac63d46cd758c0f30f99a89  identities.sql
        a4e193cf1c8d65b99a8e330acaac1e5497118af2cf2d11606295093d731a322b  identity.sql
        962df68dc880c0718eac2ff84c8bc5af43b8d7df07c3cc0749d0aa35f8ce16f4  invited.sql
        862afd7f1d7ff00ee2d01a30a533584be79defd108537f1e253bb7946c7d85f0  inviting.sql
        95c064851255d76772033311040893d4258f9cf86fbc81c2d1aa6dd1d9ad34c9  jobs_control.sql
        cf1ce0b1bb2467ef051a752aa2f6f9a9ee1008fa792edb84fbf6ae19ef344ac0  jobs_leases.sql
        e46d0acba14423dce95282c1e7fd97ebe3d24ffd5b01a648d22ea22e0644e20f  jobs_queue.sql
        ba6fefc86d78e1a7079609dd00145f2399ea40bc2870a548a4306c0c9469f423  jobs_schedules.sql
        b55b7c49bfffcdf27aefe6ccbc30f5bdea7615011605fbbdaf00e1ce4ea30914  joining.sql
        54ff811c775397c7148779497345893d1ebf7eb15af2c73967c6ab9c3b4655e0  limits.sql
        e10ad663ddddd4ae99a55ad851c65da81e8b34646665e0c29244cbcbde64fb97  locales.sql
        c3b1af34ee334469c13baa978d2b40d193b493089455ea735aaf1a87ca801cf4  mail.sql
        48bd34d31c8d3cd9246d4c9525e9a82221cafa4ac6e8739ba54cc77eb1debe7a  mailed_tickets.sql
        896ebe1e68c892a21d1572561b3a01102c640523e2e88ac97fc91c0e87cdaf52  managed_members.sql
        5cf2af0431b473ee37069729809a76ecce84ca0d0cc0586c355cf8198501ef40  members.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        53449b549e9571bd4acb951cad925aa1074470b88ff8bc935b23ad271677b9fe  operators.sql
        07cf62d4bc4a0d9ca03184ae6dcc27c6a6e7e431fae2727adfa6efaa7fb6c7ec  audit_months.sql
        7e9fae0418e7c8623f332740e8e61de2bce4c2b8b57a298a7ffeeeff0ccb8ad3  operators_invitations.sql
        7b66747cd9f439258ec45527ee66e342b444b3969d0218110a8173c9bf0a4f0a  operators_jobs.sql
        e1500c5a00fe2cd0561c30e6b5c33b7a1ea500699d45fabba597aa2099165ed9  operators_members.sql
        32e64ef2bd6ee2725a76f747e92beea2478e5ccc5e7a0b1fd9aea5b42725f9cc  operators_webhooks.sql
        eb79387abab7188557d294b4f61bb33445b57431c086c4dc457df15c124ed8b7  own_account.sql
        8934fa5a0ff8fb17ab600351a7684025026803cafb8a5db739ae8909a31dbd06  own_account_export.sql
        3943c4e73acca086559a7c87cd69b4b3b4a8121f464003a4142a40e0c566eedf  passkeys.sql
        996bf78972dfd892e8bacbc296b20b5e2405a22cef7d8103b63c5fb323b2f805  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        65be22c18b3839577dd2ad23917d29cc4cb16bbe8093f1dd0f8f7008fa5d0adc  profiles.sql
        f4f3b1d39dab6867f57ff26ee76993184be0906f6a5d8944e18d6c8559c01db5  provider_tokens.sql
        72ae4879722a22568dce318cc76c87f9074e6f32ecfca078b8f2f4e8a6ef2796  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        195e7f1046a1316db3399bbf667c0fd452988db68a078778857edb215b11debd  role_changes.sql
        e2b4d74a79e50dd96d299d10d41bc23f8952643e57d9e4d0123aa8f1d71368b3  sessions.sql
        03adcef6fc14ab4f903f804b9902dd07597cf1323383f4c0cd519ee762625cf5  conditional_reads.sql
        a857c9dbda43d90cf9bdb2cbc9c43725ecc3157a6dbcd1014f7cbbf96510f947  slots.sql
        07c617e930d20234c0ca95bc3787f5e134147deef7fca4a25f96a97aebdc46d6  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fc18aeb2c8dd4a934387f146399477a7fa82ca3238b00ff689e5a8be30c71e31  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        7173c34a13752f21e7fc20566b7025ceb3bc6214075a62f5d8c5a169fc57a5e1  webhook_delivery.sql
        b5caee5f8d869f6ab136089ba55df48d474da9f8ab261f96231c891ce7c5eb06  webhook_events.sql
        """
}
