-- hearth: no-transaction
--
-- Room for further details about a family's player, besides those with fixed names: twenty texts of
-- up to 200 characters, under names of up to 64 characters. Details that are stored already are
-- shorter than the new limit.
--
-- Locks: app.family_units for a moment (ACCESS EXCLUSIVE); while the constraint is validated, the
-- table's rows can be read and changed (SHARE UPDATE EXCLUSIVE).

ALTER TABLE app.family_units
    DROP CONSTRAINT family_units_player_details_form,
    ADD CONSTRAINT family_units_player_details_form CHECK (
        jsonb_typeof(player_details) = 'object' AND octet_length(player_details::text) <= 32768)
    NOT VALID;
ALTER TABLE app.family_units VALIDATE CONSTRAINT family_units_player_details_form;
