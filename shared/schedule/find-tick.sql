-- Null if the session that opens the tick has not committed it.
select (select id from dlq_runs where trigger = 'schedule' and ended_at is null) as id, now()::text as due_at;
