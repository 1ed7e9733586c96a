# shellcheck shell=bash
# A folder of small migrations, for measurements of hearth-migrate. Sourced.

# write_files FOLDER COUNT: writes typical small files: a table, an index, some rows, a comment.
write_files() {
  local number name
  mkdir "$1"
  for ((number = 1; number <= $2; number++)); do
    printf -v name '%04d' "$number"
    cat >"$1/${name}_step.sql" <<SQL
-- Why: one more thing to keep.
-- Locks: none, the table is new.
CREATE TABLE thing_$name (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (length(name) <= 100),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX thing_${name}_name ON thing_$name (name);
INSERT INTO thing_$name (name) VALUES ('first'), ('second');
COMMENT ON TABLE thing_$name IS 'Thing $number.';
SQL
  done
}
