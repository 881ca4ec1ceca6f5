-- The open event that was captured first.
select id, event_type, created_at from dlq_events where is_open order by created_at limit 1;
