-- Finds the open tick, whoever has locked it, and the events that are due now.
select id, now()::text as due_at from dlq_runs where trigger = 'schedule' and ended_at is null;
