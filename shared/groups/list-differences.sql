-- Values that a sample of an error's events has more often than a sample of all events: columns, headers, and
-- up to three levels of the payload. Of the error the latest, with :isOfLeft those left of the latest 10,000.
-- A share of all events is among those that have the field, and their sample is of some :max pages.
with sampled as materialized (
  (select true as is_own, event from unnest(:members::text[]) as member
  cross join lateral (
    select event from (
      select event, status from dlq_events as event where fingerprint = member
      order by fingerprint desc, id desc limit 10000
    ) as near
    where not :isOfLeft or status not in ('SUCCEEDED', 'DISCARDED') limit :max
  ) as latest
  order by (event).id desc limit :max)
  union all
  (select false, event from dlq_events as event tablesample system (
    least(100, 100.0 * :max * current_setting('block_size')::int
      / greatest(1, pg_relation_size('dlq_events')))
  ) repeatable (1)
  order by hashint8(id) limit 2 * :max)
),
facts as (
  select is_own, array_remove(array[one.key, two.key, three.key, four.key], null) as path, leaf as value
  from sampled
  cross join lateral jsonb_each(jsonb_build_object('type', (event).event_type,
    'consumer', (event).consumer_group, 'subscription', (event).source_subscription,
    'source', (event).source_kind, 'topic', (event).source_topic, 'key', (event).source_key,
    'headers', case when pg_column_size((event).headers) < 8192 then (event).headers end,
    'payload', case when pg_column_size((event).payload) < 8192 and jsonb_typeof((event).payload) = 'object'
      then (event).payload end)) as one
  left join jsonb_each(case when jsonb_typeof(one.value) = 'object' then one.value end) as two on true
  left join jsonb_each(case when jsonb_typeof(two.value) = 'object' then two.value end) as three on true
  left join jsonb_each(case when jsonb_typeof(three.value) = 'object' then three.value end) as four on true
  cross join lateral coalesce(four.value, three.value, two.value, one.value) as leaf
  where jsonb_typeof(leaf) in ('string', 'number', 'boolean')
),
counted as (
  select path, value, count(*) filter (where is_own) as own, count(*) filter (where not is_own) as of_all,
    sum(count(*) filter (where not is_own)) over (partition by path) as with_field
  from facts where length(value::text) <= 200
  group by path, value
),
sizes as (
  select count(*) filter (where is_own)::int as own, count(*) filter (where not is_own)::int as of_all
  from sampled
)
select sizes.own as sampled, sizes.of_all as compared, path, value::text as json,
  counted.own / sizes.own::float as share, counted.of_all / nullif(with_field, 0)::float as share_of_all
from sizes
left join counted on counted.own > 0.1 * sizes.own
  and counted.own / sizes.own::float > coalesce(counted.of_all / nullif(with_field, 0)::float, 0) + 0.1
-- By how much the value tells about the error: its part of the relative entropy.
order by counted.own / sizes.own::float
  * ln(counted.own / sizes.own::float / ((counted.of_all + 1) / (with_field + 2)::float)) desc nulls last
limit 200;
