-- Indexes for lists and searches of the console.
--
-- Many families have the same name, such as 'My Family', and lists by name continue after an id.
-- So the indexes of names have the id as well: otherwise all rows of a name would be sorted for a
-- page. The others find the families in which somebody waits for approval, and the discarded
-- e-mails to an account.
--
-- Locks: each index blocks writes to its table while it is built.

DROP INDEX app.users_by_name;
CREATE INDEX users_by_name ON app.users (lower(full_name) text_pattern_ops, id)
    WHERE full_name IS NOT NULL;
DROP INDEX app.users_by_mailbox;
CREATE INDEX users_by_mailbox ON app.users (mailbox text_pattern_ops, id)
    WHERE mailbox IS NOT NULL;
DROP INDEX app.family_units_by_name;
CREATE INDEX family_units_by_name ON app.family_units (lower(family_name) text_pattern_ops, id);

CREATE INDEX family_members_waiting ON app.family_members (family_unit_id)
    WHERE status = 'invited';
CREATE INDEX dead_mails_of_recipient ON jobs.dead ((payload ->> 'recipient'))
    WHERE queue = 'mail';
