-- Records that the deliveries of these events begin, one row for each lease and target. The commit does not
-- wait for the disk: the record must survive the worker, and only a crash of the server within the same
-- moment loses it. Returns the time by the clock of the database, in seconds since the epoch.
with asynchronous as materialized (
  select set_config('synchronous_commit', 'off', true)
)
insert into dlq_leases (token, target, event_ids)
select lease_token, target, event_ids::bigint[]
from asynchronous
cross join records(:sends) as send (lease_token uuid, target text, event_ids text)
returning extract(epoch from leased_at)::float8 as sent_at;
