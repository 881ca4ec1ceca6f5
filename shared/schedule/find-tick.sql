-- Finds the open tick without a lock; null if the session that opens it has not committed it. Its events are
-- those that are due now.
select (select id from dlq_runs where trigger = 'schedule' and ended_at is null) as id, now()::text as due_at;
