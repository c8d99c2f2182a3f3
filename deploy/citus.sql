-- Distributes a PostgreSQL store over the workers of a Citus cluster by scope.
--
--     psql "$DATABASE_URL" --set=schema=hypermnesia --file=citus.sql
--
-- Run it once on the coordinator, as the owner of the tables, after CREATE EXTENSION citus and
-- CREATE EXTENSION vector (on all nodes) and after a memory was opened on the store, best while it
-- is empty. Small tables are copied to every worker; all others lie with their scope, so that
-- every join of a query, and every transaction of one scope, stays on one worker.

\if :{?schema}
\else
    \set schema hypermnesia
\endif
SET search_path = :"schema", public;

-- The index of pg_textsearch would have another name on every worker than the one that a query
-- tells; words are ranked without it, and none is made beside the extension citus.
DROP INDEX IF EXISTS document_by_lexeme;

SELECT create_reference_table('setting');
SELECT create_reference_table('scope');
SELECT create_reference_table('encoder');
SELECT create_reference_table('outbox_batch');
SELECT create_reference_table('outbox_lease');

SELECT create_distributed_table('change', 'scope');
SELECT create_distributed_table('memory', 'scope', colocate_with => 'change');
SELECT create_distributed_table('label', 'scope', colocate_with => 'change');
SELECT create_distributed_table('access', 'scope', colocate_with => 'change');
SELECT create_distributed_table('vectors', 'scope', colocate_with => 'change');
SELECT create_distributed_table('chunk', 'scope', colocate_with => 'change');
SELECT create_distributed_table('document', 'scope', colocate_with => 'change');
SELECT create_distributed_table('posting', 'scope', colocate_with => 'change');
SELECT create_distributed_table('total', 'scope', colocate_with => 'change');
SELECT create_distributed_table('event', 'scope', colocate_with => 'change');
SELECT create_distributed_table('session', 'scope', colocate_with => 'change');
SELECT create_distributed_table('turn', 'scope', colocate_with => 'change');
SELECT create_distributed_table('day', 'scope', colocate_with => 'change');
SELECT create_distributed_table('source', 'scope', colocate_with => 'change');
SELECT create_distributed_table('member', 'scope', colocate_with => 'change');
SELECT create_distributed_table('consent', 'scope', colocate_with => 'change');
SELECT create_distributed_table('outbox', 'scope', colocate_with => 'change');
SELECT create_distributed_table('outbox_memory', 'scope', colocate_with => 'change');
SELECT create_distributed_table('outbox_total', 'scope', colocate_with => 'change');

-- Accounts, credentials, quotas, jobs and replies belong to the service and to no scope: they stay
-- on the coordinator.
