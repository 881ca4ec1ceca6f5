insert into dlq_runs (trigger) values (:trigger) returning id, started_at::text;
