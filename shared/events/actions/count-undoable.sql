-- How many events of an action its undo returns to their state, and leaves for which reason.
select reason, count(*)::int as events from dlq_list_undoable(:auditId::bigint, 0, null) group by reason;
