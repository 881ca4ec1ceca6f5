-- The time since the last complete run of each job, before its first one since it was first measured, and how
-- many jobs are late: two of their intervals have passed.
with wanted as materialized (
  select name, interval_seconds
  from json_to_recordset(:jobs) as job (name text, interval_seconds double precision)
),
known as (
  insert into dlq_jobs (name) select name from wanted on conflict do nothing
),
aged as (
  select
    name as job, interval_seconds,
    coalesce(extract(epoch from now() - coalesce(completed_at, known_since)), 0)::float8 as age
  from wanted
  left join dlq_jobs using (name)
)
select
  job, max(age) as job_age_seconds, count(*) filter (where age > 2 * interval_seconds)::float8 as late_jobs
from aged
group by grouping sets ((job), ());
