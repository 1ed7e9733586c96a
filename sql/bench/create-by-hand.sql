-- Creates a family by the function of writes-by-hand.sql. Run like create.sql.
\set i :i + 1
\set n :first + :client_id * :each + :i
SELECT family_unit_id, family_code FROM by_hand.create_family(
    '\x000000000000000000000000000000000000000000000000'::bytea || int8send(:n::bigint));
