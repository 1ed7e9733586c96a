-- Invites by a link, by the function of writes-by-hand.sql. Run like invite.sql.
\set i :i + 1
\set n :first + :client_id * :each + :i
\set k :n % :families + 1
SELECT by_hand.invite(
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(3 * :k::bigint - 1),
    ('00000000-0000-4000-9000-' || lpad(to_hex(:k::bigint), 12, '0'))::uuid);
