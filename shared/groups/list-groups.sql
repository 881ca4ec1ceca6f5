-- A page of error groups in one of the :states, the highest or latest by :order first: their fingerprints,
-- and the key by which the page after each begins. The page begins after the group :afterFingerprint with
-- :afterKey, if given. The groups :folded are left out: they are listed as incidents. Each of :words is in
-- the title, the causes, the frame, the owner or the event types of a group, in upper or lower case; :owner
-- is a name, or empty for groups without one. :eventType, :novelty, :consumer and :target are null for all
-- groups; of :routes, whose globs are patterns of LIKE, an event takes the first that fits it. :sign is -1
-- for the lowest or earliest first. Merged groups count for the group that they are merged into.
-- error-groups.ts has the novelty.
--
-- Of all groups, of at most some thousands, only the sums are computed that :order or :novelty depends on.
--
-- Longer than 60 lines because conditions, order and position apply to one snapshot of the same sums.
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
    from dlq_counts_current_exact
    where :order::text in ('size', 'open', 'permanent')
    union all
    select fingerprint, failures, case when hour > :until::timestamptz - interval '3 hours' then failures else 0 end, 0
    from dlq_counts_hourly_exact
    where (:order::text in ('failures', 'novelty') or :novelty::text is not null)
      and hour > :until::timestamptz - interval '24 hours' and hour <= :until::timestamptz
  ) as own
  left join merged using (fingerprint)
  group by 1
),
types as not materialized (
  select coalesce(merged_into, fingerprint) as fingerprint, event_type
  from dlq_counts_current_exact
  left join merged using (fingerprint)
),
-- Only a search reads the names of all types. Among the sums, they would make PostgreSQL sort all types of
-- all groups.
searched as (
  select fingerprint, string_agg(distinct event_type, ' ') as types
  from types
  where :words::text[] <> '{}'
  group by fingerprint
),
together as materialized (
  select
    merged_into, array_agg(fingerprint) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at
  from dlq_error_groups
  where merged_into is not null
  group by merged_into
),
-- An offset keeps the conditions of a search from being applied before the joins: a plan for any parameters
-- expects them to leave one group, and would compare each group with each sum.
whole as (
  select
    fingerprint, together.members as merged_members,
    least(error_group.first_seen_at, together.first_seen_at) as first_seen_at,
    greatest(error_group.last_seen_at, together.last_seen_at) as last_seen_at,
    state, title, causes, frame, owner, searched.types, coalesce(sums.events, 0) as events,
    coalesce(sums.failures, 0) as daily_failures, coalesce(sums.late, 0) as late
  from dlq_error_groups as error_group
  left join together on together.merged_into = error_group.fingerprint
  left join sums using (fingerprint)
  left join searched using (fingerprint)
  where error_group.merged_into is null
  offset 0
),
groups as (
  select whole.*, {novelty} as novelty
  from whole
  where state = any (:states::text[]) and fingerprint not in (select unnest(:folded::text[]))
    and (:owner::text is null or coalesce(owner, '') = :owner::text)
    and (:target::text is null or fingerprint in (
      select types.fingerprint
      from types
      where event_type like any (array(select routes.event_type from routes where target = :target::text))
    ))
    and (:eventType::text is null or fingerprint in (
      select types.fingerprint from types where event_type = :eventType::text
    ))
    and (:words::text[] = '{}' or lower(
      concat_ws(' ', title, array_to_string(causes, ' '), frame, owner, whole.types)
    ) like all (
      -- Computed once, not per group.
      array(select '%' || regexp_replace(lower(word), '([\\%_])', '\\\1', 'g') || '%' from unnest(:words::text[]) as word)
    ))
),
-- Without the wide columns: the sort copies each group.
sorted as (
  select fingerprint, merged_members, :sign::float8 * key as sort_key
  from groups
  cross join lateral (
    select case :order::text
      when 'failures' then daily_failures
      when 'first' then date_part('epoch', first_seen_at)
      when 'recent' then date_part('epoch', last_seen_at)
      when 'novelty' then date_part('epoch', last_seen_at)
        + coalesce(array_position(array['growing', 'new', 'regressed'], novelty), 0) * 1e11::float8
      else events
    end as key
  ) as keyed
  where (:novelty::text is null or novelty = :novelty::text)
    and (
      :afterKey::float8 is null
      or (:sign::float8 * key, fingerprint) < (:afterKey::float8, :afterFingerprint::text)
    )
  order by sort_key desc, fingerprint desc
  limit case when num_nonnulls(:consumer::text, :target::text) = 0 then :limit::int end
)
-- Consumer and target are those of the latest event, which is looked up for one group after the other until
-- the page is full.
select fingerprint, sort_key::text as key
from sorted
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
  from dlq_latest_event(fingerprint || merged_members) as latest
)
order by sort_key desc, fingerprint desc
limit :limit::int;
