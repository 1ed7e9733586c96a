// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        1ad85d2575ac56788eb7509012c240eb691eb4b2e65881de1ab6937a4eaff291  answering_invitations.sql
        0419d765893fe7ca83f3cf1407f8bfcd9cababd3820336450336e866c653d26e  attributes.sql
        05502985d7abd11351632b530353d0311e4b50130c146bfe380389e783877b3b  audit.sql
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
        94c038529a1800fe4800c5d36c4c10f5af79a6c730165d322027fe0a34b9fcdd  erasure.sql
        796440b988bfef59fe2e92be4888501f8346c2ca329ee8e941430da8f6524666  families.sql
        5952639c4f3b17e32a1f5d5b5934ae8d7b049763ba30c58478aab356925ed8c5  faults.sql
        1e1f60c7e29edda773a4e70fa11df506709771e229b15984c4adf3e30c124bae  fault_checks.sql
        e5685c0b980d871eb432efb20480a5cadb955b51ab9ea87c4934c64c47df4f7e  graduation.sql
        ae98914ed5f71611f6f91f79ab166b825be380c6c642f4d7ef56b88967b054e4  guardianships.sql
        cf5569a97e89f833c79e65e08215681b5dfcd53fc76e0aba69e86219bb26d67b  household_roles.sql
        3379091728db1b7229ccededa3d9b190a66eadafcaed6798b6bf31d9016665f4  idempotency.sql
        e9497d9a3ee371c3a62190bda875157ba7c8173036d81765d286d1d2d217d2aa  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        2b8d9ed8cb66130ae4be1fffd1e5019891700e959195741301e5d33ea3f6e5c4  jobs_control.sql
        801edc1a06a853aa32e980767e201d924602f24e61a234c17af6d162c6fd7c11  jobs_leases.sql
        4ea4cb1146d7c29127e8dc232e89f9561b1721cc8bb8f97d3544e062e4634c60  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        1a220898e3a93de04dc425efc2f52f3839bae87a4b1bb3936c26dedf3b1a3355  join_requests.sql
        54661c5cee854fd7a39caf8d4ad399352bae1983eca96a4d1b875afe610a65d2  joining.sql
        28f7a7475214885361d3240ab0013e02c1d6bd99858b1d9a7a76a816e489cbb6  leaving_own_family.sql
        851ae25c9b570c44b28fd4ddacac7068abb62a98234d35f8bda85582a33a5bfe  limits.sql
        be63d411913e74663f42b2735fee3d1ea010ea6213b0567a98543eeee9b09d5b  locales.sql
        eb865ac468c5a424580f583198f08ae3ccea77bf47fe94e46669927d30e4b2f3  locking_families.sql
        11f6437b2b0932be5819d306beac463f55c153cadcf251c0f8210b0eddbc790a  mail.sql
        cb41095ec657652d8d40c5cf5fc687bce2bf68a0640cdd0f801e7b1ecbc7fd99  mailed_tickets.sql
        bfb19e1e9ecfad03a84d22dcc2b37b786a4a7810dcf126540bb525e3b570b09e  managed_members.sql
        83ca755d41a368d84d8b17f75042528dd70bfd8aeeda8a1d6a1678f69a60af11  members.sql
        9b598a96b88564a1e42c1a1078d159668edc00dca6ae3f2bb802c077401a906c  moments.sql
        7687cbaa2514bc88d50b2aa75db050e27e8c26a163c899a03c067b193df15fe6  automatic_approval.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        ae155956751eadd372568b15b2f676b393295df5fc6dd297701723cb83e06c65  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        6f14a5727bb12fb902fdf7418639d4afc7232aedffcf3035504e6e3b568c3413  operators_invitations.sql
        04cec699b63286d301340d73f9f8767045bcf56f4f9c5eb35b98ab93c5693e70  operators_jobs.sql
        92d37f8e38df9980fab615ade22231f6f0f899b1a11da9c1c50912de2eaaafa9  operators_members.sql
        e4a98e42f7813a850d7a19baabc88ca32751f8ce20807ec61351088bf955004c  operators_webhooks.sql
        54820b89649b2252542a216ff1daab7a1f06db11786b1d45f2b5125644c43470  own_account_erasure.sql
        9c1770ed9a0255881d61e7a576b0dcc8175339c6eb514ad802c81c142c009d94  own_account_export.sql
        84853f816e88bc833c17c17c4b3137bf39631d054127a5ae669781febcdd6953  passkeys.sql
        2f2659db3a91a8762bdb9487692aa1b727c79c4c9a07eb6ff014181650146849  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        1313b01480f072aaad515ffe057b6d3621eea19dd264800839dc8f2ca49b0f01  profiles.sql
        84bb20677ee84a109a4e45ce4d7abb9e45b6da942ed987d5257dffdb1c59ee5a  provider_tokens.sql
        514dbf15b744f203ab916dc5f7965ccd704dd44d472e6df15cd14c266542946d  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        225d2f9a364ff026cb89a8e9510a854dea8dae419cd66653c0c5cbb329726fc9  sending_invitations.sql
        b98cb1e44a5b65c33d064a08aaf52f2ff6f050cbc1977062f0fd79633d7f00d1  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        4ee0a322b505d9cbb37047d845ce06adb6c894ceeb58114c3e3ef2977baffbc7  slots.sql
        b36467e54a83a4ec95d32ccada2bd3c25a6ad0e777b16e668d0fec621ff38c3d  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fbee77bd4fe134a0c1d6a19a1931adf19f4d6d83f9907f462996f688e8f8da6a  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        042d44beaf61ee9ecf8d1a16f560cbb2ccb01fc5c6be79917bedaa11b89b3264  webhook_delivery.sql
        01b731dcad0fe413dd59920a70f6f0e70cb9620314b7b509fbd9ce1f272f2c97  webhook_events.sql
        """
}
