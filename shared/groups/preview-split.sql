-- The latest 10,000 events of the groups :members in two parts: with the value of a rule, and without; of
-- each their number and up to three different titles.
with latest as materialized (
  select event.id, dlq_error_title(error_class, error_reason) as title, {hasValue} as has_value
  from unnest(:members::text[]) as member
  cross join lateral (
    select * from dlq_events where fingerprint = member order by fingerprint desc, id desc limit 10000
  ) as event
  order by event.id desc
  limit 10000
),
titles as (
  select has_value, title, count(*)::int as events, max(id) as latest_id from latest group by has_value, title
)
select
  has_value, sum(events)::int as events,
  coalesce((array_agg(title order by latest_id desc) filter (where title is not null))[1:3], '{}') as titles
from titles
group by has_value;
