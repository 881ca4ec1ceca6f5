update dlq_runs
set ended_at = clock_timestamp(), stopped = :stopped, tally = :tally, targets = :targets
where id = :id;
