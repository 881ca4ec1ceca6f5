-- The facts that decide whether these events can be replayed.
select
  id, event_type, source_kind, source_topic, consumer_group, status, payload_encoding,
  status = 'PROCESSING' and lease_expires_at > now() as is_leased
from dlq_events
where id = any (:ids::bigint[]);
