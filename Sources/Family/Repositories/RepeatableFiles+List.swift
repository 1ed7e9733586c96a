// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        2038e8080878ac9a55aae03d91a6bc0c736d4b1f7cbce605f48e9b113d92b793  addresses_and_names.sql
        d76477333f12f26025da4d4136c183e55642e4d9757b446ddd1fb85c72eafbae  answering_invitations.sql
        0419d765893fe7ca83f3cf1407f8bfcd9cababd3820336450336e866c653d26e  attributes.sql
        05502985d7abd11351632b530353d0311e4b50130c146bfe380389e783877b3b  audit.sql
        520ddd50156f24eeadca31486aa91e055873a730aa040b1d29823ff2a51e4d94  batches.sql
        3f7dbaa2f6fbb765bb19f91e21f3fe3a29b19862ad36e2ee938109c2b984c3fb  changes.sql
        0a4f1a2ad4e89a4aa184688012e88c91f25897245216764e191393bf12ca0563  changes_followed.sql
        9438c8af59f9d6e0fd4190145d9a2a2158a9167c55ce9e1bb555045baafa1a75  changes_from_notes.sql
        8b40cd5422221858f54c0718c63baf7528a4c38b0caacce333b368984cb52c83  changes_versions.sql
        3cb03c99ab45be728e82925748aace2c66fac1d92814913431461c4838cb7c0a  code_settings.sql
        8debb99f1a15aa2c659c83323c22b75031d6a18a8fbd31eb8666b97969e2bbf7  codes.sql
        13cda441a667eca15c0b55e9162d5b8fa6914a91ca1efd228c9155946d811979  consents.sql
        a1b0f7d9985632e6e62cf491cecf7d4723872e43976018f6073b15eb57b8ddfd  direct_request.sql
        02e287478fa5a77b7f553c0e9060c4878c9abbff78b26638b3ce76f29dc3df30  direct_views.sql
        8c441ae9bf11fd092835716ad6c9aeb4a260ca002e72e9d2260cd1c1170fa6d5  dropped.sql
        94c038529a1800fe4800c5d36c4c10f5af79a6c730165d322027fe0a34b9fcdd  erasure.sql
        9873cfa0deec65db45c8abd8a6a67d51e0218641be6dd997dc94dba3c7798260  families.sql
        06233882cccf43c6ca3697f894eac383a5b1eaa11fcb0ad722114983fe3cd375  faults.sql
        c88bc9158a5c3102ad63d63b04fe21130a891cd751ab7bab6ee4ba94eeee4b9d  fault_checks.sql
        9686c8fa114108cea06465e64a6c6f50888fa7a0d0fe1725fb7eff8c8ac18a24  graduation.sql
        ae98914ed5f71611f6f91f79ab166b825be380c6c642f4d7ef56b88967b054e4  guardianships.sql
        cf5569a97e89f833c79e65e08215681b5dfcd53fc76e0aba69e86219bb26d67b  household_roles.sql
        3379091728db1b7229ccededa3d9b190a66eadafcaed6798b6bf31d9016665f4  idempotency.sql
        faabc1da4188f6e4207bc3a85b930be9541812782ae29568633240e772526d31  identities.sql
        3da27dbde5862d68e15b161121fa206888351b2ea7edf6adad107d5a5e87b6d3  identity.sql
        2b8d9ed8cb66130ae4be1fffd1e5019891700e959195741301e5d33ea3f6e5c4  jobs_control.sql
        801edc1a06a853aa32e980767e201d924602f24e61a234c17af6d162c6fd7c11  jobs_leases.sql
        4ea4cb1146d7c29127e8dc232e89f9561b1721cc8bb8f97d3544e062e4634c60  jobs_queue.sql
        861003b5378705934f903555283f7c669d676227253a1373e0790f87ae07dc11  jobs_schedules.sql
        98674575889cff85ed1434206b877ecec5d87b729e6cabbfffb675ed8732b5f2  join_requests.sql
        1cb25af3f94c958b0505c6299c2a6b961cba812326dd785d2658c1a64b4d3983  joining.sql
        2868e4880655c12fb33e3ed7532d51aa84ad0a0b155db10452f3e34d8ae638b6  leaving_own_family.sql
        86d018874336874621a4b825eaa42c8ec1527a9a4667f163d1f5ba0b25a3a11b  limits.sql
        be63d411913e74663f42b2735fee3d1ea010ea6213b0567a98543eeee9b09d5b  locales.sql
        eb865ac468c5a424580f583198f08ae3ccea77bf47fe94e46669927d30e4b2f3  locking_families.sql
        6ee2424561bb74e9d2af3863cf53497f6e448524bc0fb0e9652ca26d5c46030c  mail.sql
        a09f41d0c688c0c7f228da4d48e00207eae1178db7152340f332663503e507cb  mailed_tickets.sql
        bfb19e1e9ecfad03a84d22dcc2b37b786a4a7810dcf126540bb525e3b570b09e  managed_members.sql
        83ca755d41a368d84d8b17f75042528dd70bfd8aeeda8a1d6a1678f69a60af11  members.sql
        4f8e0e1f3f13a288276ce871b1f7cbe32233a3c454f9b3d74b64faea197bccd0  moments.sql
        7687cbaa2514bc88d50b2aa75db050e27e8c26a163c899a03c067b193df15fe6  automatic_approval.sql
        a9d374c259fb7cb8ec6457e5239e33847456d136f3263390a73951e3a03216fc  monitoring.sql
        7a13030848e016896400d2b9b124dc485e08319331057d72d5dca98dfe72c294  operators.sql
        229eb429de25950ee1fe86351f877592cd41a5b01cc5f4df00be5fba223c34de  audit_months.sql
        6f14a5727bb12fb902fdf7418639d4afc7232aedffcf3035504e6e3b568c3413  operators_invitations.sql
        04cec699b63286d301340d73f9f8767045bcf56f4f9c5eb35b98ab93c5693e70  operators_jobs.sql
        59cf695a274d1c10e1ffd8f48dab763c682a173334098d706095075b1ca789b6  operators_members.sql
        abe158fe7b1f028d10d82994282d7b3d93fd26be7b1c5a23d616eb30608d90d8  operators_webhooks.sql
        b8bd184ea9872210d3a2effbf04f3abfd051956f6126733c0eb009423e437a44  own_account_erasure.sql
        9c1770ed9a0255881d61e7a576b0dcc8175339c6eb514ad802c81c142c009d94  own_account_export.sql
        810b225ee9997df8dd3e8f218417c94e56c28a671debb988b8e959898d3c6bc4  passkeys.sql
        b4beb0a5ea554312641b4c2091a92def2c12828e55989870bae952b39aca7178  passwords.sql
        b8968768a0eb4b835a8988c231695b58ab89f56d7dceb728a498e4f0c30be01e  preferences.sql
        bbc0df6111f2a34635805445b8b26ee058f6069e1f4a532c8746726e9a2ac5ff  profiles.sql
        be36cf5269f8ec307cfb036bebb69734e54517a8597b48ea8521dc47db90011c  provider_tokens.sql
        514dbf15b744f203ab916dc5f7965ccd704dd44d472e6df15cd14c266542946d  rate_limits.sql
        faa3b3ef379ba3df842c2445e409c28938188144a0a26c34bfdefd9d697899b0  refusals.sql
        87d80d9251b7d20820d28e2bb197fc9303362e76595f9ab902b50fcdb08fa0ae  refused_invitations.sql
        1b108c4c7d270dd16d34dec05ed75b0c1a1bf53ca62bf4a33c77a3e57ccced18  role_changes.sql
        225d2f9a364ff026cb89a8e9510a854dea8dae419cd66653c0c5cbb329726fc9  sending_invitations.sql
        215ecd9809457d2f2bb023db7114f6c6d9e648326baa29c6f1559b6dc86024d6  sessions.sql
        c1643a927feb6d27662aef5cd2b1c94b9aebb0f2412472b22f341e9d71b9363d  conditional_reads.sql
        da45a0fcdb6a383839dff507ce0e654aa4a61281bcfa09671839ec9f8bb3ea14  slots.sql
        b36467e54a83a4ec95d32ccada2bd3c25a6ad0e777b16e668d0fec621ff38c3d  standbys.sql
        f80337da0ed69aa540697308634516ca74c1522d2fc3382f5375c59a045e3792  timestamps.sql
        fbee77bd4fe134a0c1d6a19a1931adf19f4d6d83f9907f462996f688e8f8da6a  upkeep.sql
        85f08bc6eb48ce073787b6e0228981aa18809116a7327096896193f57f66c908  upkeep_changes.sql
        ad210a19ee6793d77bf9b2c1e31063ce3eec9cad9d8d6ce84d7ed6b579172a0b  webhook_delivery.sql
        01b731dcad0fe413dd59920a70f6f0e70cb9620314b7b509fbd9ce1f272f2c97  webhook_events.sql
        """
}
