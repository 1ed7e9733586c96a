-- Accepts an invitation by the function of writes-by-hand.sql. Run like accept.sql.
\set i :i + 1
\set n :first + :client_id * :each + :i
SELECT family_unit_id, member_id FROM by_hand.accept(
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint),
    ('00000000-0000-4000-b000-' || lpad(to_hex(:n::bigint), 12, '0'))::uuid);
