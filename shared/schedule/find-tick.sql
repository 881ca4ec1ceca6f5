-- Finds the open tick without a lock. Its events are those that are due now.
select id, now()::text as due_at from dlq_runs where trigger = 'schedule' and ended_at is null;
