-- Families, and the register of their codes.
--
-- One register holds live and retired codes under one primary key: so they are unique together, and
-- an old code never leads to another family while it is remembered. The family's own column points
-- at its live entry by a foreign key that includes the state: a family can't show a code that is
-- retired or another's. Both foreign keys wait for the commit, because family and code are born
-- together.
--
-- A code is always drawn by the trigger, from pg_strong_random (gen_random_uuid), whatever an
-- INSERT says: could one be chosen, the unique violation would tell strangers which codes live.
-- A collision is settled by ON CONFLICT and another draw, never by looking first.
--
-- Locks: none, all objects are new.

CREATE TABLE app.family_units (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    created_by_user_id uuid NOT NULL,
    created_by_kind text NOT NULL DEFAULT 'account',
    family_name text NOT NULL DEFAULT 'My Family',
    family_code text,
    code_state text GENERATED ALWAYS AS (CASE WHEN family_code IS NOT NULL THEN 'live' END) STORED,
    code_generated_at timestamptz,
    code_expires_at timestamptz,
    home_latitude double precision,
    home_longitude double precision,
    player_details jsonb NOT NULL DEFAULT '{}',
    member_limit smallint NOT NULL DEFAULT 8,
    approval_required boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Since when nobody is an active member; until somebody enters, since it was made.
    emptied_at timestamptz DEFAULT now(),
    CONSTRAINT family_units_pkey PRIMARY KEY (id),
    CONSTRAINT family_units_creator_has_account CHECK (created_by_kind = 'account'),
    CONSTRAINT family_units_created_by_fkey FOREIGN KEY (created_by_user_id, created_by_kind)
        REFERENCES app.users (id, kind),
    CONSTRAINT family_units_name_form CHECK (
        char_length(family_name) BETWEEN 1 AND 80
        AND family_name = btrim(family_name)
        AND family_name IS NFC NORMALIZED
        AND family_name !~ '[[:cntrl:]]'),
    CONSTRAINT family_units_code_has_date CHECK (
        family_code IS NULL OR code_generated_at IS NOT NULL),
    CONSTRAINT family_units_latitude_range CHECK (home_latitude BETWEEN -90 AND 90),
    CONSTRAINT family_units_longitude_range CHECK (home_longitude BETWEEN -180 AND 180),
    CONSTRAINT family_units_player_details_form CHECK (
        jsonb_typeof(player_details) = 'object' AND octet_length(player_details::text) <= 4096),
    CONSTRAINT family_units_member_limit_range CHECK (member_limit BETWEEN 1 AND 64)
);

CREATE INDEX family_units_created_by ON app.family_units (created_by_user_id);
CREATE INDEX family_units_code_expires ON app.family_units (code_expires_at)
    WHERE family_code IS NOT NULL AND code_expires_at IS NOT NULL;
CREATE INDEX family_units_emptied ON app.family_units (emptied_at) WHERE emptied_at IS NOT NULL;

COMMENT ON TABLE app.family_units IS 'Families: the tenants.';

CREATE TABLE app.family_codes (
    code text COLLATE "C" NOT NULL,
    family_unit_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'live',
    generated_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    reason text,
    CONSTRAINT family_codes_pkey PRIMARY KEY (code),
    CONSTRAINT family_codes_form CHECK (code ~ '^FAM-[A-HJKMNP-Z2-9]{6}$'),
    CONSTRAINT family_codes_state_known CHECK (state IN ('live', 'retired')),
    CONSTRAINT family_codes_reason_known CHECK (reason IN ('regenerated', 'expired')),
    CONSTRAINT family_codes_retired_is_dated CHECK (
        (state = 'retired') = (retired_at IS NOT NULL)
        AND (state = 'retired') = (reason IS NOT NULL)),
    CONSTRAINT family_codes_family_code_state_key UNIQUE (family_unit_id, code, state),
    CONSTRAINT family_codes_family_fkey FOREIGN KEY (family_unit_id)
        REFERENCES app.family_units (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX family_codes_one_live ON app.family_codes (family_unit_id)
    WHERE state = 'live';
CREATE INDEX family_codes_retired ON app.family_codes (retired_at) WHERE state = 'retired';

COMMENT ON TABLE app.family_codes IS 'Every code that leads, or lately led, to a family.';

ALTER TABLE app.family_units
    ADD CONSTRAINT family_units_code_is_live FOREIGN KEY (id, family_code, code_state)
        REFERENCES app.family_codes (family_unit_id, code, state) DEFERRABLE INITIALLY DEFERRED;

-- Six characters of 31 that can't be taken for one another. Bytes 6 and 8 of a version 4 UUID
-- carry fixed bits and are left out; a byte of 248 or more is thrown away, else the first
-- characters of the alphabet would come up more often.
CREATE FUNCTION app.random_code() RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    alphabet constant text := 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
    drawn text := '';
    bytes bytea;
    value integer;
BEGIN
    LOOP
        bytes := uuid_send(gen_random_uuid());
        FOR i IN 0..15 LOOP
            CONTINUE WHEN i IN (6, 8);
            value := get_byte(bytes, i);
            CONTINUE WHEN value >= 248;
            drawn := drawn || substr(alphabet, value % 31 + 1, 1);
            IF length(drawn) = 6 THEN
                RETURN 'FAM-' || drawn;
            END IF;
        END LOOP;
    END LOOP;
END $$;

-- Draws until the register takes one. A draw in flight elsewhere is waited for, then lost.
-- 100 misses in a row mean that the space is full, not bad luck.
CREATE FUNCTION app.mint_code(p_family uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = '' AS $$
DECLARE
    minted text;
BEGIN
    FOR attempt IN 1..100 LOOP
        INSERT INTO app.family_codes (code, family_unit_id)
            VALUES (app.random_code(), p_family)
            ON CONFLICT (code) DO NOTHING
            RETURNING code INTO minted;
        IF minted IS NOT NULL THEN
            RETURN minted;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'no free family code found' USING ERRCODE = 'program_limit_exceeded';
END $$;

CREATE FUNCTION app.give_family_its_code() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW.family_code := NULL;
    NEW.code_generated_at := NULL;
    -- An id that is taken is left to the policy's check and then to the primary key: an error
    -- raised here, ahead of them, would be an answer of its own.
    IF NOT EXISTS (SELECT FROM app.family_codes AS c WHERE c.family_unit_id = NEW.id) THEN
        NEW.family_code := app.mint_code(NEW.id);
        NEW.code_generated_at := now();
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER give_code BEFORE INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.give_family_its_code();

-- After the insert, not before: a trigger that ran ahead of the policy's check would tell how many
-- families somebody else has made. The creator's row is the lock under which we count.
CREATE FUNCTION app.limit_families_created() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.users AS u WHERE u.id = NEW.created_by_user_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM app.family_units AS f
        WHERE f.created_by_user_id = NEW.created_by_user_id) > 5 THEN
        PERFORM app.refuse('HF409', 'too_many_families', 'At most 5 families per account.');
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER limit_created AFTER INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.limit_families_created();

CREATE TRIGGER touch BEFORE UPDATE ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.touch();

ALTER TABLE app.family_units ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_units FORCE ROW LEVEL SECURITY;
CREATE POLICY family_units_owner ON app.family_units TO hearth_owner
    USING (true) WITH CHECK (true);
CREATE POLICY family_units_authz ON app.family_units FOR SELECT TO hearth_authz USING (true);
GRANT SELECT ON app.family_units TO hearth_authz;

ALTER TABLE app.family_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.family_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY family_codes_owner ON app.family_codes TO hearth_owner
    USING (true) WITH CHECK (true);
