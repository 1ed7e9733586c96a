-- Joins a family by its code, by the functions of writes-by-hand.sql, in two transactions. Run like
-- join.sql.
\set i :i + 1
\set n :first + :client_id * :each + :i
SELECT by_hand.count_attempt(
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint),
    'FAM-' || translate(upper(lpad(to_hex(:n::bigint % :families::bigint + 1), 6, '0')), '01', 'XY'));
SELECT family_unit_id, member_id FROM by_hand.join(
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint),
    'FAM-' || translate(upper(lpad(to_hex(:n::bigint % :families::bigint + 1), 6, '0')), '01', 'XY'));
