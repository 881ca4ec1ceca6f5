-- Deletes what was recorded of deliveries more than an hour ago, except those of events whose lease has expired and was not claimed
-- again. The lookup goes by primary key: with NOT EXISTS the planner may read all events. Fails if another session keeps a row locked
-- for a tenth of a second.
with timeout as materialized (
  select set_config('lock_timeout', '100ms', true)
)
delete from dlq_sends using timeout
where sent_at < now() - interval '1 hour'
  and (
    select true from dlq_events where id = any (event_ids) and lease_token = dlq_sends.lease_token limit 1
  ) is null;
