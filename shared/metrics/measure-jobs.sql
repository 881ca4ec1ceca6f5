-- The time since the last complete run of each job, before its first one since it was first measured, and how
-- many jobs are late: two of their intervals have passed.
with wanted as materialized (
  select job, interval_seconds
  from records(:jobs) as wanted (job text, interval_seconds double precision)
),
known as (
  insert into dlq_jobs (name) select job from wanted on conflict do nothing
)
select
  job, max(age)::float8 as job_age_seconds,
  count(*) filter (where age > 2 * interval_seconds)::float8 as late_jobs
from wanted
left join dlq_jobs on name = job
cross join lateral (
  select coalesce(extract(epoch from now() - coalesce(completed_at, known_since)), 0) as age
) as aged
group by grouping sets ((job), ());
