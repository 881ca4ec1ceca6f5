-- Records that a job did all of its work: metrics and alerts read the time.
insert into dlq_jobs (name, completed_at) values (:name, now())
on conflict (name) do update set completed_at = now()
returning name;
