-- A page of error groups, the highest or latest by :order first, after the group :afterFingerprint with
-- :afterKey, if given: their fingerprints, the key by which the page after each begins, and the origin of the
-- latest event. The conditions are in list-groups.ts. Of all groups, only the sums are computed that :order
-- needs.
with merged as materialized (
  select fingerprint, merged_into from dlq_error_groups where merged_into is not null
),
sums as (
  select coalesce(merged_into, fingerprint) as fingerprint, sum(events)::float8 as events,
    sum(failures)::float8 as daily_failures, sum(late)::float8 as late
  from (
    select fingerprint, 0 as failures, 0 as late,
      case when :order::text = 'permanent' then 0 else pending + processing end + failed_permanently
        * case :order::text when 'open' then 0 when 'size' then 1e9::bigint else 1 end as events
    from dlq_counts_exact
    where hour is null and :order::text in ('size', 'open', 'permanent')
      and (failed_permanently <> 0 or :order::text <> 'permanent')
    union all
    select fingerprint, failures, (hour > :until::timestamptz - interval '3 hours')::int * failures, 0
    from dlq_counts_exact
    where (:order::text in ('failures', 'novelty') or :novelty::text is not null)
      and hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
  ) as own left join merged using (fingerprint)
  group by 1
),
types as (
  select coalesce(merged_into, fingerprint) as fingerprint, array_agg(distinct event_type) as types
  from dlq_counts_exact left join merged using (fingerprint)
  where hour is null and (:types::text[] is not null or :words::text[] <> '{}')
  group by 1
),
-- An offset keeps the conditions of a search from being applied before the joins: a plan for any parameters
-- expects them to leave one group, and would compare each group with each sum.
whole as (
  select all_groups.*, types, events, daily_failures, late
  from dlq_groups_merged as all_groups left join sums using (fingerprint) left join types using (fingerprint)
  offset 0
),
-- Without the wide columns: the sort copies each group.
sorted as (
  select fingerprint, members, coalesce(case :order::text when 'failures' then daily_failures
    when 'first' then date_part('epoch', first_seen_at) when 'recent' then date_part('epoch', last_seen_at)
    when 'novelty' then date_part('epoch', last_seen_at)
      + coalesce(array_position(array['growing', 'new', 'regressed'], {novelty}), 0) * 1e11::float8
    else events end, 0) as key
  from whole
  where state = any (:states::text[]) and fingerprint not in (select unnest(:folded::text[]))
    and (:owner::text is null or coalesce(owner, '') = :owner::text)
    and (:types::text[] is null or exists (select from unnest(types) as type where type like any (:types)))
    and (:novelty::text is null or {novelty} = :novelty::text)
    and (:words::text[] = '{}' or lower(
      concat_ws(' ', title, array_to_string(causes || frame || owner || types, ' '))
    ) like all (:words::text[]))
)
select fingerprint, key::text, origin
from (select * from sorted where :afterKey::float8 is null or
  (key, fingerprint) < (:afterKey::float8, :afterFingerprint::text)
  order by key desc, fingerprint desc limit :limit::int) as page
left join {latestEvent} on true
order by page.key desc, fingerprint desc;
