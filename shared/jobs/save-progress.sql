-- Saves what a job has done of its work, so that the next call goes on there if this one is killed.
insert into dlq_jobs (name, progress) values (:name, :progress::jsonb)
on conflict (name) do update set progress = excluded.progress;
