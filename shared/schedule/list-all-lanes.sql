select event_type, source_kind, source_topic, consumer_group, count(*)::int as events
from dlq_events
group by lane, event_type, source_kind, source_topic, consumer_group;
