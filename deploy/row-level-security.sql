-- Row-level security by scope for a PostgreSQL store, on top of the conditions of every query.
--
--     psql "$DATABASE_URL" --set=schema=hypermnesia --file=row-level-security.sql
--
-- Run it as the owner of the tables, after a memory was opened on the store, and again after an
-- upgrade that adds tables. It may be run any number of times. Restart the processes that use the
-- store: they look for the policies when they open it.
--
-- A session sees the rows of the scope whose number stands in hypermnesia.scope, all rows when it
-- is '*', and none when it is not set. The application sets it in every transaction: to the scope
-- that is read, or to '*' for writes and for what spans scopes, such as an export of everything.
-- Superusers and roles with BYPASSRLS are not bound: let the application use neither.
--
-- To switch it off: ALTER TABLE ... DISABLE ROW LEVEL SECURITY on the same tables.

\if :{?schema}
\else
    \set schema hypermnesia
\endif
SET search_path = :"schema";

DO $$
DECLARE
    named text;
BEGIN
    FOR named IN
        SELECT c.table_name FROM information_schema.columns c
        JOIN information_schema.tables t
            ON t.table_schema = c.table_schema AND t.table_name = c.table_name
        WHERE c.table_schema = current_schema() AND c.column_name = 'scope'
            AND c.data_type = 'bigint' AND t.table_type = 'BASE TABLE'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', named);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', named);
        EXECUTE format('DROP POLICY IF EXISTS one_scope ON %I', named);
        EXECUTE format(
            'CREATE POLICY one_scope ON %I USING ('
            '(SELECT current_setting(''hypermnesia.scope'', true)) = ''*'''
            ' OR scope::text = (SELECT current_setting(''hypermnesia.scope'', true)))',
            named);
    END LOOP;
END
$$;
