-- The number of permanent failures from before :before that nobody decided.
select count(*)::int as events from dlq_events where processed_at < :before and is_blocking and not is_open;
