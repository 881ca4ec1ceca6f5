-- Replaces an event by its edit, and records the actor and the reason. Returns no row if a worker delivers
-- it, or another edit has replaced it.
with entry as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor, 'edit', :reason, jsonb_build_object('filter', jsonb_build_object('ids', array[id::text]))
  from dlq_events as event
  where id = :id::bigint and (status <> 'PROCESSING' or lease_expires_at <= now()) and {isInPlace}
  returning id
)
select edit_id as id
from entry
cross join lateral dlq_edit_events(entry.id, array[:id::bigint], array[:body::bytea], array[:headers::jsonb]);
