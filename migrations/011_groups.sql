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

  constraint dlq_error_groups_state check (state in ('OPEN', 'ACKNOWLEDGED', 'MUTED', 'RESOLVED', 'REGRESSED')),
  constraint dlq_error_groups_muted_until check ((state = 'MUTED') = (muted_until is not null)),
  constraint dlq_error_groups_seen_in_order check (first_seen_at <= last_seen_at),
  constraint dlq_error_groups_merge_targets unique (fingerprint, is_merged),
  constraint dlq_error_groups_merged_once foreign key (merged_into, into_merged)
    references dlq_error_groups (fingerprint, is_merged)
);

create index dlq_error_groups_merged on dlq_error_groups (merged_into) where merged_into is not null;

create view dlq_group_members with (security_invoker) as
select coalesce(merged_into, fingerprint) as fingerprint, fingerprint as member from dlq_error_groups;

comment on view dlq_group_members is 'The fingerprints of the events of each error group: its own, and those of the groups merged into it.';

comment on table dlq_error_groups is
  'Error groups: one row per fingerprint, with title, state, owner and note.';

-- The first line of a message, after its class unless it names it itself; null if neither was reported. In
-- PL/pgSQL, which takes a seventh of the time of the same expression in SQL: PostgreSQL starts a query for
-- each call of that.
create function dlq_error_title(error_class text, error_reason text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  class text := nullif(left(error_class, 200), '');
  message text := nullif(nullif(ltrim(left(error_reason, 4096), E' \t\r\n'), ''), 'not reported');
  words text := left(rtrim(split_part(message, E'\n', 1), E'\r'), 300);
  head text := split_part(words, ': ', 1);
begin
  return case
    when words is null then class
    when class is null or right(head, length(class)) = class then words
    when right(class, length(head)) = head then class || substr(words, length(head) + 1)
    else class || ': ' || words
  end;
end
$$;

comment on function dlq_error_title is 'Class and message of an error in one line, as titles of error groups show them.';

-- One index lookup per fingerprint. PostgreSQL inlines the query, and reads only the columns that are used.
-- Every name is qualified, because a function with a search path is not inlined.
create function dlq_latest_event(fingerprints text[]) returns table (
  id bigint, event_type text, error_class text, error_reason text, title text, source_kind text, source_topic text,
  source_subscription text, consumer_group text
)
language sql stable parallel safe rows 1 as $$
  select event.*
  from pg_catalog.unnest(fingerprints) as member
  cross join lateral (
    select
      id, event_type, error_class, error_reason, public.dlq_error_title(error_class, error_reason), source_kind, source_topic,
      source_subscription, consumer_group
    from public.dlq_events
    where fingerprint operator(pg_catalog.=) member
    order by fingerprint desc, id desc
    limit 1
  ) as event
  order by event.id desc
  limit 1
$$;

comment on function dlq_latest_event is 'The event of these error groups that was captured last.';

create index dlq_error_groups_seen on dlq_error_groups (last_seen_at, fingerprint);
-- Incidents are made of the groups that began last.
create index dlq_error_groups_began on dlq_error_groups (began_at)
  where merged_into is null and state in ('OPEN', 'ACKNOWLEDGED', 'REGRESSED');
create index dlq_error_groups_untitled on dlq_error_groups (fingerprint) where title is null;
-- Groups whose state may change without an operator: muted ones, and resolved ones that fail again.
create index dlq_error_groups_waiting on dlq_error_groups (fingerprint) where state in ('MUTED', 'RESOLVED');
