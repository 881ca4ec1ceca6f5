-- A page of error groups in one of the :states, the highest or latest by :order first, each with its counts and its failures
-- in the 24 hours up to :until. The page begins after the group :afterFingerprint with :afterKey, if given. The groups
-- :folded are left out: they are listed as incidents. Each of :words is in the title, the causes, the frame, the owner or the
-- event types of a group, in upper or lower case; :owner is a name, or empty for groups without one. :eventType, :novelty, :consumer
-- and :target are null for all groups; of :routes, whose globs are patterns of LIKE, an event takes the first that fits it. :sign is -1
-- for the lowest or earliest first. Merged groups count for the group that they are merged into.
--
-- Of all groups, of at most some thousands, only the sums are computed that :order or :novelty depends on. Counts, types and trend are
-- looked up for the page. The tables are read instead of their views, which would first group by hour and type.
--
-- Longer than 60 lines because the page is chosen by sums that its rows show, in the same snapshot.
with merged as materialized (
  select fingerprint, merged_into from dlq_error_groups where merged_into is not null
),
routes as materialized (
  select * from records(:routes) as route (target text, event_type text, source_kind text, source_topic text, consumer_group text)
),
sums as (
  select
    coalesce(merged_into, fingerprint) as fingerprint, sum(events) as events, sum(failures) as failures, sum(late) as late
  from (
    select
      fingerprint, 0::float8 as failures, 0::float8 as late,
      case :order::text
        when 'open' then pending + processing
        when 'permanent' then failed_permanently
        else pending + processing + failed_permanently
      end::float8 as events
    from (
      select fingerprint, pending, processing, failed_permanently from dlq_counts_current
      union all
      select fingerprint, pending, processing, failed_permanently from dlq_count_deltas
    ) as depths
    where :order::text in ('size', 'open', 'permanent')
    union all
    select fingerprint, failures, case when hour > :until::timestamptz - interval '3 hours' then failures else 0 end, 0
    from (
      select fingerprint, hour, (captures + recurrences)::float8 as failures from dlq_counts_hourly
      union all
      select fingerprint, hour, captures + recurrences from dlq_count_deltas
    ) as hours
    where (:order::text in ('failures', 'novelty') or :novelty::text is not null)
      and hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
  ) as own
  left join merged using (fingerprint)
  group by 1
),
types_of_all as not materialized (
  select coalesce(merged_into, fingerprint) as fingerprint, event_type
  from (
    select fingerprint, event_type from dlq_counts_current
    union all
    select fingerprint, event_type from dlq_count_deltas
  ) as own
  left join merged using (fingerprint)
),
-- Only a search reads the names of all types. Among the sums, they would make PostgreSQL sort all types of all groups.
searched as (
  select fingerprint, string_agg(distinct event_type, ' ') as types from types_of_all where :words::text[] <> '{}' group by fingerprint
),
together as materialized (
  select
    merged_into, array_agg(fingerprint order by fingerprint) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(failures)::float8 as failures
  from dlq_error_groups
  where merged_into is not null
  group by merged_into
),
-- An offset keeps the conditions of a search from being applied before the joins: a plan for any parameters expects them to leave
-- one group, and would compare each group with each sum.
whole as (
  select
    fingerprint, together.members as merged_members,
    least(error_group.first_seen_at, together.first_seen_at) as first_seen_at,
    greatest(error_group.last_seen_at, together.last_seen_at) as last_seen_at,
    error_group.failures + coalesce(together.failures, 0) as failures, state, title, causes, frame, owner,
    coalesce(sums.events, 0) as events, coalesce(sums.failures, 0) as daily_failures, coalesce(sums.late, 0) as late, searched.types
  from dlq_error_groups as error_group
  left join together on together.merged_into = error_group.fingerprint
  left join sums using (fingerprint)
  left join searched using (fingerprint)
  where error_group.merged_into is null
  offset 0
),
groups as (
  select
    whole.*,
    case
      when state = 'REGRESSED' then 'regressed'
      when first_seen_at > :until::timestamptz - interval '24 hours' then 'new'
      -- At least 10 failures in the last 3 hours, and more than twice the rate of the 21 hours before.
      when late >= 10 and late > 2 * (daily_failures - late) / 7 then 'growing'
    end as novelty
  from whole
  where state = any (:states::text[]) and fingerprint not in (select unnest(:folded::text[]))
    and (:owner::text is null or coalesce(owner, '') = :owner::text)
    and (:target::text is null or fingerprint in (
      select types_of_all.fingerprint
      from types_of_all
      where event_type like any (array(select routes.event_type from routes where target = :target::text))
    ))
    and (:eventType::text is null or fingerprint in (select fingerprint from types_of_all where event_type = :eventType::text))
    and (:words::text[] = '{}' or lower(concat_ws(' ', title, array_to_string(causes, ' '), frame, owner, types)) like all (
      -- Computed once, not per group.
      array(select '%' || regexp_replace(lower(word), '([\\%_])', '\\\1', 'g') || '%' from unnest(:words::text[]) as word)
    ))
),
ranked as (
  select
    groups.*,
    case :order::text
      when 'failures' then daily_failures
      when 'first' then date_part('epoch', first_seen_at)
      when 'recent' then date_part('epoch', last_seen_at)
      when 'novelty' then array_position(array['growing', 'new', 'regressed'], novelty) * 1e11::float8 + date_part('epoch', last_seen_at)
      else events
    end as key
  from groups
  where :novelty::text is null or novelty = :novelty::text
),
-- Without the wide columns: the sort copies each group.
sorted as (
  select fingerprint, merged_members, first_seen_at, last_seen_at, failures, novelty, sort_key
  from (select *, :sign::float8 * coalesce(key, date_part('epoch', last_seen_at)) as sort_key from ranked) as keyed
  where :afterKey::float8 is null or (sort_key, fingerprint) < (:afterKey::float8, :afterFingerprint::text)
  order by sort_key desc, fingerprint desc
  limit case when num_nonnulls(:consumer::text, :target::text) = 0 then :limit::int end
),
-- Consumer and target are those of the latest event, which is looked up for one group after the other until the page is full.
page as materialized (
  select sorted.*, members
  from sorted
  cross join lateral (select fingerprint || merged_members as members) as whole
  where num_nonnulls(:consumer::text, :target::text) = 0 or (
    select
      (:consumer::text is null or :consumer::text in (latest.consumer_group, latest.source_subscription))
      and (:target::text is null or :target::text = (
        select target
        from routes
        where latest.event_type like routes.event_type and latest.source_kind like routes.source_kind
          and coalesce(latest.source_topic, '') like routes.source_topic
          and coalesce(latest.consumer_group, '') like routes.consumer_group
        order by nth
        limit 1
      ))
    from dlq_latest_event(members) as latest
  )
  order by sort_key desc, fingerprint desc
  limit :limit::int
),
-- Materialized, so that the deltas are read once, not for each group of the page.
listed as materialized (
  select fingerprint, member from page cross join unnest(members) as member
),
counts as (
  select fingerprint, event_type, sum(open) as open, sum(failed_permanently) as failed_permanently
  from (
    select listed.fingerprint, event_type, open, failed_permanently
    from listed
    -- An offset keeps the counts of all groups from being read for a join by a hash.
    cross join lateral (
      select event_type, (pending + processing)::float8 as open, failed_permanently::float8 as failed_permanently
      from dlq_counts_current as counts
      where counts.fingerprint = member
      offset 0
    ) as counts
    union all
    select listed.fingerprint, event_type, pending + processing, failed_permanently
    from listed
    join dlq_count_deltas as counts on counts.fingerprint = member
  ) as own
  group by fingerprint, event_type
),
totals as materialized (
  select
    fingerprint, (array_agg(event_type order by open + failed_permanently desc, event_type))[1:5] as event_types,
    count(*)::int as event_type_count, sum(open) as open, sum(failed_permanently) as failed_permanently
  from counts
  group by fingerprint
),
hourly as (
  select fingerprint, hour, sum(failures) as failures
  from (
    select listed.fingerprint, hour, failures
    from listed
    -- As above, for the hours of all groups.
    cross join lateral (
      select hour, (captures + recurrences)::float8 as failures
      from dlq_counts_hourly as counts
      where counts.fingerprint = member and hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
      offset 0
    ) as counts
    union all
    select listed.fingerprint, hour, captures + recurrences
    from listed
    join dlq_count_deltas as counts on counts.fingerprint = member
    where hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
  ) as own
  group by fingerprint, hour
),
trends as materialized (
  select
    fingerprint, array_agg(coalesce(hourly.failures, 0) order by hour) as trend,
    coalesce(sum(hourly.failures), 0) as failures_in_24_hours,
    coalesce(sum(hourly.failures) filter (where hour > :until::timestamptz - interval '3 hours'), 0) as late
  from page
  cross join lateral generate_series(
    date_trunc('hour', :until::timestamptz, 'UTC') - interval '23 hours', date_trunc('hour', :until::timestamptz, 'UTC'), interval '1 hour'
  ) as hour
  left join hourly using (fingerprint, hour)
  group by fingerprint
)
select
  page.fingerprint, members, state, coalesce(latest.title, error_group.title) as title, causes, frame, page.first_seen_at, page.last_seen_at,
  page.failures, owner,
  coalesce(open, 0) as open, coalesce(failed_permanently, 0) as failed_permanently, coalesce(event_types, '{}') as event_types,
  coalesce(event_type_count, 0) as event_type_count, failures_in_24_hours, trend, sort_key::text as key,
  coalesce(novelty, case when trends.late >= 10 and trends.late > 2 * (failures_in_24_hours - trends.late) / 7 then 'growing' end) as novelty
from page
join dlq_error_groups as error_group using (fingerprint)
left join totals using (fingerprint)
left join lateral dlq_latest_event(page.members) as latest on true
left join trends using (fingerprint)
order by sort_key desc, fingerprint desc;
