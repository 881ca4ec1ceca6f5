-- Error groups: events that failed for the same reason, with what operators decided about it.

create table dlq_error_groups (
  fingerprint      text primary key,
  state            text not null default 'OPEN',
  -- Class and message of an event of the group. Pages and views show those of its latest event instead, while
  -- it has one in dlq_events. Null until maintain, a tick or the console has read an event.
  title            text,
  -- Class and message of each cause that the stack trace of that event names, the root cause last, and its
  -- topmost frame of the application.
  causes           text[] not null default '{}',
  frame            text,
  -- The latest event, which may be in the archive.
  sample_event_id  bigint,
  first_seen_at    timestamptz not null,
  last_seen_at     timestamptz not null,
  owner            text,
  note             text,
  state_changed_at timestamptz not null default now(),
  -- When its failures began: for a resolved group, when it failed again.
  began_at         timestamptz not null generated always as (
    case state when 'REGRESSED' then state_changed_at else first_seen_at end
  ) stored,
  muted_until      timestamptz,
  -- The group that an operator merged this one into. Its events keep their fingerprint; state, owner and note
  -- are those of the other group. The foreign key with two generated columns allows only a group that is not
  -- merged itself.
  merged_into      text,
  is_merged        boolean not null generated always as (merged_into is not null) stored,
  into_merged      boolean generated always as (case when merged_into is not null then false end) stored,
  -- The rule by which an operator split this group off another one, or off all if there is no other: its
  -- events have this value, in lower case among their words or in this field. `why` is the reason.
  split_from       text,
  split_field      text,
  split_value      text,
  split_why        text,
  -- Its events of the other group that have a lower id were not yet compared with the rule. Null: all were.
  split_before     bigint default 9223372036854775807,

  constraint dlq_error_groups_state check (
    state in ('OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'REGRESSED')),
  constraint dlq_error_groups_muted_until check ((state = 'MUTED') = (muted_until is not null)),
  constraint dlq_error_groups_seen_in_order check (first_seen_at <= last_seen_at),
  constraint dlq_error_groups_merge_targets unique (fingerprint, is_merged),
  constraint dlq_error_groups_split_whole check (
    (split_field is null) = (split_value is null) and (split_from is null or split_field is not null)
  ),
  constraint dlq_error_groups_split_field check (split_field in ('words', 'class', 'type', 'consumer')),
  constraint dlq_error_groups_merged_once foreign key (merged_into, into_merged)
    references dlq_error_groups (fingerprint, is_merged)
);

create index dlq_error_groups_merged on dlq_error_groups (merged_into) where merged_into is not null;

create index dlq_error_groups_split on dlq_error_groups (fingerprint) where split_field is not null;

create view dlq_group_members with (security_invoker) as
select coalesce(merged_into, fingerprint) as fingerprint, fingerprint as member from dlq_error_groups;

comment on view dlq_group_members is
  'The fingerprints of the events of each error group: its own, and those of the groups merged into it.';

comment on table dlq_error_groups is
  'Error groups: one row per fingerprint, with title, state, owner and note.';

-- Error groups with those merged into them: one row for each that is not merged itself. A rule of the
-- configuration that no failure has met is none.
create view dlq_groups_merged with (security_invoker) as
select
  root.fingerprint, root.fingerprint || merged.members as members, state, title, causes, frame, owner, note,
  muted_until, least(root.first_seen_at, merged.first_seen_at) as first_seen_at,
  greatest(root.last_seen_at, merged.last_seen_at) as last_seen_at,
  case state when 'REGRESSED' then began_at else least(began_at, merged.first_seen_at) end as began_at,
  greatest(root.sample_event_id, merged.sample_event_id) as sample_event_id
from dlq_error_groups as root
left join (
  select
    merged_into, array_agg(fingerprint order by fingerprint) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, max(sample_event_id) as sample_event_id
  from dlq_error_groups
  where merged_into is not null
  group by merged_into
) as merged on merged.merged_into = root.fingerprint
where root.merged_into is null and not (
  root.split_field is not null and root.split_from is null and root.sample_event_id is null
  and merged.members is null
);

comment on view dlq_groups_merged is 'Error groups, each with those merged into it.';

-- Changes of the grouping by operators and the configuration, as a table to read.
create view dlq_group_rules with (security_invoker) as
select
  fingerprint, 'split' as rule, split_from as of, split_field as field, split_value as value,
  split_why as reason
from dlq_error_groups
where split_field is not null
union all
select fingerprint, 'merge', merged_into, null, null, null
from dlq_error_groups
where merged_into is not null;

comment on view dlq_group_rules is
  'Rules of grouping: events of the group `of` that have a value are another group, or one is merged into '
  'it.';

-- The group of a failure by the rules of operators: its fingerprint, or that of the group split off by its
-- value. In a flood of new reasons, one that is not known yet joins `crowd`.
create function dlq_group_of(
  fingerprint text, crowd text, event_type text, consumer text, error_class text, error_reason text,
  error_stacktrace text
) returns text language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  name text := fingerprint;
  part text;
begin
  if crowd is not null and not exists (
      select from public.dlq_error_groups as known where known.fingerprint = name) then
    name := crowd;
  end if;
  if not exists (select from public.dlq_error_groups where split_field is not null) then
    return name;
  end if;
  -- A part may be split again. Groups are compared with those that they are merged into.
  for depth in 1 .. 5 loop
    select rule.fingerprint into part
    from public.dlq_error_groups as rule
    left join public.dlq_error_groups as origin on origin.fingerprint = rule.split_from
    left join public.dlq_error_groups as own on own.fingerprint = name
    where rule.split_field is not null and rule.fingerprint <> name
      and (rule.split_from is null
        or coalesce(own.merged_into, name) = coalesce(origin.merged_into, rule.split_from))
      and public.dlq_has_value(rule.split_field, rule.split_value, event_type, consumer, error_class,
        error_reason, error_stacktrace)
    order by rule.split_from nulls last, rule.fingerprint
    limit 1;
    exit when part is null;
    name := part;
  end loop;
  return name;
end
$$;

create index dlq_error_groups_seen on dlq_error_groups (last_seen_at, fingerprint);
create index dlq_error_groups_untitled on dlq_error_groups (fingerprint) where title is null;
-- Groups whose state may change without an operator: muted ones, and resolved ones that fail again.
create index dlq_error_groups_waiting on dlq_error_groups (fingerprint) where state in ('MUTED', 'RESOLVED');

-- Whether a failure has the value of a rule. Not immutable, as concat_ws is not: PostgreSQL inlines it.
create function dlq_has_value(
  field text, value text, event_type text, consumer text, error_class text, error_reason text,
  error_stacktrace text
) returns boolean language sql stable parallel safe
return case field
  when 'words' then strpos(
    lower(concat_ws(' ', error_class, error_reason, left(error_stacktrace, 65536))), lower(value)) > 0
  when 'class' then coalesce(error_class, '') = value
  when 'type' then event_type = value
  else coalesce(consumer, '') = value
end;
