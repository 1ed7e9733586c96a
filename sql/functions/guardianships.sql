-- Guardians of children without accounts: how an adult becomes one, and stops being one.
--
-- A guardian may name another adult of the family, who is a guardian at once and may decline. The
-- primary guardian may remove the others and make one of them the primary guardian. A guardian who
-- is no longer an active adult of the family stops being one automatically; if it was the primary
-- guardian, the longest-serving other guardian becomes the primary one. The last guardian of a
-- child can't leave without a successor: the foreign keys of guardianships refuse this for every
-- role.
--
-- A blocked guardian is treated as absent (blocking.sql): it takes over no child, and while the
-- primary guardian is blocked, the longest-serving other guardian has its rights.

-- Adds a guardian under the family's lock; does nothing if the adult is one already. If no slot is
-- free, the table's CHECK refuses the row.
CREATE OR REPLACE FUNCTION app.insert_guardianship(
    p_child app.family_members, p_guardian uuid
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot, added_by)
        VALUES (p_child.id, p_guardian, p_child.family_unit_id, (
            SELECT min(s.slot) FROM generate_series(1, app.max_guardians() + 1) AS s (slot)
            WHERE NOT EXISTS (
                SELECT FROM app.guardianships AS w
                WHERE w.member_id = p_child.id AND w.slot = s.slot)), app.actor_id())
        ON CONFLICT (member_id, guardian_user_id) DO NOTHING;
END $$;

-- Adds the row of the primary guardian when a child becomes active or gets another one. Deletes the
-- rows of guardians who are no longer active adults. Revokes a graduation invitation that the
-- former primary guardian sent, because otherwise the new one could send it again with the former
-- one's vouched mark.
CREATE OR REPLACE FUNCTION app.record_primary_guardian() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = NEW.id AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id);
    PERFORM app.insert_guardianship(NEW, NEW.active_guardian_id);
    PERFORM app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.graduate_id = NEW.id AND i.status = 'pending'
            AND i.invited_by <> NEW.active_guardian_id));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER primary_guardian_new AFTER INSERT ON app.family_members
    FOR EACH ROW WHEN (NEW.active_guardian_id IS NOT NULL)
    EXECUTE FUNCTION app.record_primary_guardian();
CREATE OR REPLACE TRIGGER primary_guardian_changed AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.active_guardian_id IS NOT NULL
                       AND NEW.active_guardian_id IS DISTINCT FROM OLD.active_guardian_id)
    EXECUTE FUNCTION app.record_primary_guardian();

-- Ends the guardianships and the graduation invitation of a child that is no longer active or has
-- graduated.
CREATE OR REPLACE FUNCTION app.end_guardianships_of_child() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    DELETE FROM app.guardianships AS w WHERE w.member_id = NEW.id;
    PERFORM app.end_invitations(ARRAY(
        SELECT i.id FROM app.family_invitations AS i
        WHERE i.graduate_id = NEW.id AND i.status = 'pending'));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER guardianships_of_child AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (OLD.active_guardian_id IS NOT NULL AND NEW.active_guardian_id IS NULL)
    EXECUTE FUNCTION app.end_guardianships_of_child();

-- The longest-serving guardian of the child except p_except, and except those who are blocked.
CREATE OR REPLACE FUNCTION app.longest_serving_guardian(p_child uuid, p_except uuid) RETURNS uuid
LANGUAGE sql STABLE
RETURN (
    SELECT w.guardian_user_id FROM app.guardianships AS w
    WHERE w.member_id = p_child AND w.guardian_user_id <> p_except
        AND NOT app.is_blocked(w.guardian_user_id)
    ORDER BY w.since, w.slot LIMIT 1);

-- The guardian with the rights of the primary one.
CREATE OR REPLACE FUNCTION app.acting_primary_guardian(p_child app.family_members) RETURNS uuid
LANGUAGE sql STABLE
RETURN coalesce(
    CASE WHEN app.is_blocked((p_child).active_guardian_id)
        THEN app.longest_serving_guardian((p_child).id, (p_child).active_guardian_id) END,
    (p_child).active_guardian_id);

-- Ends an adult's guardianship of the child; the next guardian replaces a primary one. If there is
-- no other guardian, changes nothing and returns false.
CREATE OR REPLACE FUNCTION app.end_guardianship(p_child app.family_members, p_guardian uuid)
RETURNS boolean
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_next constant uuid := app.longest_serving_guardian((p_child).id, p_guardian);
BEGIN
    IF v_next IS NULL THEN
        RETURN false;
    END IF;
    IF (p_child).active_guardian_id = p_guardian THEN
        UPDATE app.family_members AS m SET parent_user_id = v_next WHERE m.id = (p_child).id;
        PERFORM app.record_audit('managed.reassign', (p_child).family_unit_id, (p_child).user_id,
            (SELECT m.id FROM app.family_members AS m
             WHERE m.family_unit_id = (p_child).family_unit_id AND m.user_id = v_next));
    END IF;
    DELETE FROM app.guardianships AS w
        WHERE w.member_id = (p_child).id AND w.guardian_user_id = p_guardian;
    RETURN true;
END $$;

-- When an adult leaves, is demoted, removed or erased, ends their guardianships of children who
-- have another guardian. For other children the commit is refused unless another adult takes over.
CREATE OR REPLACE FUNCTION app.end_guardianships_of_adult() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.end_guardianship(m, OLD.active_adult_user_id)
        FROM app.guardianships AS w JOIN app.family_members AS m ON m.id = w.member_id
        WHERE w.family_unit_id = OLD.family_unit_id
            AND w.guardian_user_id = OLD.active_adult_user_id
        ORDER BY m.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER guardianships_of_adult AFTER UPDATE ON app.family_members
    FOR EACH ROW
    WHEN (OLD.active_adult_user_id IS NOT NULL AND NEW.active_adult_user_id IS NULL)
    EXECUTE FUNCTION app.end_guardianships_of_adult();

-- Locks the child's family and returns the child. Refuses unless the caller is a guardian of it.
CREATE OR REPLACE FUNCTION app.require_guarded_child(p_member uuid) RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_caller constant app.family_members := app.lock_family_of_member(p_member);
    v_child constant app.family_members := app.member_in_family_of(v_caller, p_member);
BEGIN
    IF v_child.user_kind <> 'managed' THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    END IF;
    PERFORM app.require_allowed(app.is_adult(v_caller) AND app.is_guardian(v_caller, v_child));
    RETURN v_child;
END $$;

-- Locks the child's family and returns the child. Refuses unless the caller has the rights of its
-- primary guardian.
CREATE OR REPLACE FUNCTION app.require_primarily_guarded_child(p_member uuid)
RETURNS app.family_members
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
BEGIN
    PERFORM app.require_allowed(app.acting_primary_guardian(v_child) = app.account_id());
    RETURN v_child;
END $$;

CREATE OR REPLACE FUNCTION app.is_guardian(
    p_caller app.family_members, p_child app.family_members
) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM app.guardianships AS w
        WHERE w.member_id = (p_child).id AND w.guardian_user_id = (p_caller).user_id);
END $$;

-- Any guardian may call this function. Returns false, and changes nothing, if the adult is a
-- guardian already.
CREATE OR REPLACE FUNCTION app.add_guardian(p_member uuid, p_guardian_member uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_consent_to('guardian.add');
    RETURN app.make_guardian(app.require_guarded_child(p_member), p_guardian_member);
END $$;

COMMENT ON FUNCTION app.add_guardian(uuid, uuid) IS
    'Makes another adult a guardian of a child whose guardian the caller is, and enqueues an '
    'e-mail to the adult; false if the adult is one already.';

CREATE OR REPLACE FUNCTION app.make_guardian(
    p_child app.family_members, p_guardian_member uuid
) RETURNS boolean
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_guardian constant app.family_members :=
        app.member_in_family_of(p_child, p_guardian_member);
BEGIN
    IF app.is_adult(v_guardian) IS NOT TRUE OR app.is_blocked(v_guardian.user_id) THEN
        PERFORM app.refuse('HF409', 'guardian_not_adult',
            'A guardian is another adult of the family with an account.');
    ELSIF app.is_guardian(v_guardian, p_child) THEN
        RETURN false;
    ELSIF (SELECT count(*) FROM app.guardianships AS w WHERE w.member_id = p_child.id)
        >= app.max_guardians() THEN
        PERFORM app.refuse('HF409', 'too_many_guardians',
            'A child has at most four guardians.');
    END IF;
    PERFORM app.insert_guardianship(p_child, v_guardian.user_id);
    PERFORM app.enqueue_family_mail('mail.guardian_named', p_child.family_unit_id,
        v_guardian.user_id, p_child.user_id);
    PERFORM app.record_audit('guardian.add', p_child.family_unit_id, p_child.user_id,
        v_guardian.id);
    RETURN true;
END $$;

-- A guardian may end its own guardianship; the primary guardian may end another's.
CREATE OR REPLACE FUNCTION app.remove_guardian(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_child constant app.family_members := app.require_guarded_child(p_member);
    v_guardian constant app.family_members :=
        app.member_in_family_of(v_child, p_guardian_member);
BEGIN
    PERFORM app.require_consent_to('guardian.remove');
    PERFORM app.require_allowed(
        app.account_id() IN (v_guardian.user_id, app.acting_primary_guardian(v_child)));
    PERFORM app.dismiss_guardian(v_child, v_guardian);
END $$;

COMMENT ON FUNCTION app.remove_guardian(uuid, uuid) IS
    'Ends a guardianship: the caller''s own, or another''s if the caller is the primary guardian.';

-- Ends a guardianship, and enqueues an e-mail to the former guardian, unless that is the caller.
CREATE OR REPLACE FUNCTION app.dismiss_guardian(
    p_child app.family_members, p_guardian app.family_members
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF NOT app.is_guardian(p_guardian, p_child) THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    ELSIF NOT app.end_guardianship(p_child, p_guardian.user_id) THEN
        PERFORM app.refuse('HF409', 'guardian_has_managed_members',
            'This is the child''s only guardian. Name another first.');
    END IF;
    IF p_guardian.user_id IS DISTINCT FROM app.account_id() THEN
        PERFORM app.enqueue_family_mail('mail.guardian_removed', p_child.family_unit_id,
            p_guardian.user_id, p_child.user_id);
    END IF;
    PERFORM app.record_audit('guardian.remove', p_child.family_unit_id, p_child.user_id,
        p_guardian.id);
END $$;

CREATE OR REPLACE FUNCTION app.make_primary_guardian(p_member uuid, p_guardian_member uuid)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.require_consent_to('guardian.promote');
    PERFORM app.promote_guardian(app.require_primarily_guarded_child(p_member), p_guardian_member);
END $$;

COMMENT ON FUNCTION app.make_primary_guardian(uuid, uuid) IS
    'Makes a guardian of the caller''s child its primary guardian; the caller stays a guardian.';

CREATE OR REPLACE FUNCTION app.promote_guardian(
    p_child app.family_members, p_guardian_member uuid
) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_guardian constant app.family_members :=
        app.member_in_family_of(p_child, p_guardian_member);
BEGIN
    IF NOT app.is_guardian(v_guardian, p_child) OR app.is_blocked(v_guardian.user_id) THEN
        PERFORM app.refuse('HF404', 'member_not_found', 'Member not found.');
    ELSIF v_guardian.user_id = p_child.active_guardian_id THEN
        RETURN;
    END IF;
    UPDATE app.family_members AS m SET parent_user_id = v_guardian.user_id
        WHERE m.id = p_child.id;
    PERFORM app.record_audit('guardian.promote', p_child.family_unit_id, p_child.user_id,
        v_guardian.id);
END $$;

GRANT EXECUTE ON FUNCTION
    app.add_guardian(uuid, uuid), app.remove_guardian(uuid, uuid),
    app.make_primary_guardian(uuid, uuid)
    TO hearth_api;
