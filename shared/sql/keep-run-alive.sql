update dlq_runs set alive_until = now() + make_interval(secs => :aliveSeconds) where id = :id;
