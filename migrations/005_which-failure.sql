-- Which delivery failed, and is that failure known?

-- Ours are known by token and number, the application's by its publication, an earlier one by a failure that
-- is older than our latest delivery. A part of a publication that is not given, on either side, decides
-- nothing. The verdict is known, recurrence (our latest delivery failed) or another (failure of the
-- application); `failure` is the number of a known one, null if it is taken for the latest.
create function dlq_judge_failure(
  of bigint, capture dlq_captured, is_redelivered boolean, repeat_seconds float,
  out verdict text, out failure integer
) language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  select case
      when is_redelivered and is_delivered_since
        and coalesce(capture.attempt, delivery_count) >= delivery_count then 'recurrence'
      when is_redelivered or is_older then 'known'
      -- Its broker gave it up before: it was rewound.
      when told is not null and capture.origin is distinct from 'report'
        and coalesce(capture.failed_at, now()) > gave_up_at + repeats then 'another'
      when told is not null or cause is not null then 'known'
      when is_other or published_at is not null then 'another'
      when is_delivered_since then 'recurrence'
      when last_failure_at > now() - repeats then 'known'
      else 'another'
    end, case when not (is_redelivered or is_older) then coalesce(told, cause) end
  into verdict, failure
  from (
    select delivery_count, last_failure_at, failed_delivery < delivery_count as is_delivered_since,
      coalesce(capture.failed_at < greatest(
        (select max(started_at) from public.dlq_attempts where event_id = of),
        case when status = 'PROCESSING' then updated_at end), false) as is_older,
      to_timestamp(nullif(split_part(capture.publication, '@', 1), '')::numeric / 1000) as published_at,
      make_interval(secs => repeat_seconds) as repeats
    from public.dlq_events where id = of
  ) as event
  cross join lateral (
    select min(known.failure) filter (where is_told) as told, max(gave_up_at) as gave_up_at,
      bool_and(is_other) as is_other,
      min(known.failure) filter (where first_told_at >= published_at and not (is_told or is_other)) as cause
    -- The failures of the application: whether each is one of this publication, or of another.
    from (
      select voice.failure, coalesce(bool_or(is_same), false) as is_told,
        coalesce(bool_or(not is_same), false) as is_other, min(told_at) as first_told_at,
        max(told_at) filter (where is_same and not is_report) as gave_up_at
      from public.dlq_all_captures as voice
      cross join lateral string_to_array(capture.publication, '@', '') as said
      cross join lateral string_to_array(publication, '@', '') as heard
      cross join lateral (select case when said[1] <> heard[1] or said[2] <> heard[2] then false
        when said[1] = heard[1] or said[2] = heard[2] then true end as is_same) as comparison
      where event_id = of and attempt is null
      group by voice.failure
    ) as known
  ) as publications;
end
$$;
