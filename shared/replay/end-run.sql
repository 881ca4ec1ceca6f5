-- Ends a run at its time. Deliveries in flight are still counted.
update dlq_runs
set ended_at = now(), stopped = 'time over'
where id = :runId::bigint and trigger = 'replay' and ended_at is null;
