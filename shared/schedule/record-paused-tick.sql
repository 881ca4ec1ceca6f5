-- A tick that finds the schedule paused: whatever calls it is alive, and the next call can be expected.
insert into dlq_runs (trigger, due_at, ended_at, stopped)
values ('schedule', now(), now(), 'the schedule is paused')
returning id;
