import { type AlertRule, hour, minute, type Watched } from './alert-rule.ts';
import { findLongestInterval } from './cron.ts';
import { ruleDatabase } from './database-rules.ts';
import { counted, latest, measured } from './promql.ts';

export function alertRules(watched: Watched): readonly AlertRule[] {
  return [
    ...ruleEvents(watched),
    ...ruleTargets(watched),
    ...ruleGroups(watched),
    ...ruleTicks(watched),
    ...ruleWork(watched),
    ...ruleDatabase(watched),
  ];
}

/** What is about a target, and what fails by itself there: two alerts, which different people act on. */
function ruleTargets({ settings: { name, alertFailingHours } }: Watched): AlertRule[] {
  return [
    {
      id: 'target-down',
      title: 'a target is down',
      query: `${latest(name, 'breakers_open')} > 0`,
      forSeconds: 30 * minute,
      severity: 'ERROR',
      meaning: 'It refuses connections, or answers nothing that it was not sent before. Ticks probe it.',
    },
    {
      id: 'failing-cause',
      title: `a cause fails by itself for more than ${alertFailingHours} h`,
      query: `${latest(name, 'failing_seconds')} > ${alertFailingHours * hour}`,
      meaning:
        'Events fail with the same answer at a target that takes others: a person has to mend or discard them.',
    },
  ];
}

function ruleEvents({ settings }: Watched): AlertRule[] {
  const { name, alertPending, alertOldestHours, alertFailedPermanently, alertInflowRatio } = settings;
  return [
    {
      id: 'pending-events',
      title: `more than ${alertPending} events are pending`,
      query: `${latest(name, 'depth_pending')} > ${alertPending}`,
      meaning: 'More events are captured than delivered: a consumer, or one of its dependencies, is down.',
    },
    {
      id: 'oldest-pending-event',
      title: `an event is pending for more than ${alertOldestHours} h`,
      query: `${latest(name, 'oldest_pending_seconds')} > ${alertOldestHours * hour}`,
      meaning: 'Its target is down or held, it matches no route, or it waits for another event of its key.',
    },
    {
      id: 'permanent-failures',
      title: `more than ${alertFailedPermanently} events failed permanently within a day`,
      query: `${latest(name, 'failed_permanently_24h')} > ${alertFailedPermanently}`,
      forSeconds: 0,
      severity: 'ERROR',
      meaning: 'They are not retried until an operator replays or discards them.',
    },
    {
      id: 'inflow',
      title: `an event type is captured at more than ${alertInflowRatio} times its usual rate`,
      query: `${latest(name, 'inflow_ratio')} > ${alertInflowRatio}`,
      forSeconds: 0,
      meaning:
        'A consumer fails on most of its messages, or a source repeats them. The log line of maintain names the type.',
    },
    {
      id: 'stuck-in-processing',
      title: 'events are stuck in processing',
      query: `${latest(name, 'stuck_processing')} > 0`,
      severity: 'ERROR',
      meaning: 'Their worker died or hangs, and the ticks since have not claimed them.',
    },
  ];
}

/** A count of the last hour, so that an incident ends by itself and the next group is reported again. */
function ruleGroups({ settings }: Watched): AlertRule[] {
  const { name, alertNewGroups, alertRegressedGroups } = settings;
  const rules: AlertRule[] = [
    {
      id: 'new-error-groups',
      title: 'events fail for a new reason',
      // The latest value is a mean of 15 minutes, which rises to the count.
      query: `${latest(name, 'groups_new_1h')} > ${alertNewGroups - 0.5}`,
      forSeconds: 0,
      meaning: 'An error group was first seen within an hour: a release, or a new kind of message.',
    },
    {
      id: 'regressed-error-groups',
      title: 'events fail again for a resolved reason',
      query: `${latest(name, 'groups_regressed_1h')} > ${alertRegressedGroups - 0.5}`,
      forSeconds: 0,
      meaning: 'An error group that was marked as resolved failed again within an hour.',
    },
  ];
  const wanted = [alertNewGroups, alertRegressedGroups];
  return rules.filter((_, index) => wanted[index] !== 0);
}

function ruleTicks({ settings: { name, alertTickHours, schedule, paused } }: Watched): AlertRule[] {
  if (paused) return [];
  const hours = alertTickHours || Math.ceil(findLongestInterval(schedule) / hour) + 1;
  const sinceTick = latest(name, 'seconds_since_last_tick');
  return [
    {
      id: 'no-tick',
      title: `no tick succeeded for ${hours} h`,
      query: `${sinceTick} > ${hours * hour}`,
      severity: 'CRITICAL',
      meaning: 'No event is retried: calls of the schedule are rejected, or retry fails.',
    },
    {
      id: 'no-first-tick',
      title: 'no tick has ever succeeded',
      query: `${counted(name, 'ticks', '30m')} < 0.5 unless ${sinceTick}`,
      // Cloud Monitoring allows 24 hours at most.
      forSeconds: Math.min(hours, 24) * hour - 30 * minute,
      severity: 'CRITICAL',
      meaning:
        'No event was retried since the deployment: calls of the schedule are rejected, or retry fails.',
    },
  ];
}

function ruleWork({ settings: { name }, subscriptions, deadLetterSubscriptions }: Watched): AlertRule[] {
  const among = (names: readonly string[]) => `subscription_id=~"${names.join('|')}"`;
  const oldest = 'pubsub.googleapis.com/subscription/oldest_unacked_message_age';
  const waiting = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
  return [
    {
      id: 'no-metrics',
      title: 'no metrics for an hour',
      query: `${counted(name, 'metrics', '30m')} < 0.5`,
      forSeconds: 30 * minute,
      severity: 'ERROR',
      meaning: 'maintain logs no metrics, so alerts on them cannot fire.',
    },
    {
      id: 'held-back',
      title: 'events are held back for a day',
      query: `${latest(name, 'held_open')} > 0 or ${latest(name, 'paused_run_events')} > 0`,
      forSeconds: 24 * hour,
      meaning: 'An operator holds their target, or their replay is paused: nothing else moves them.',
    },
    {
      id: 'push-backlog',
      title: 'captures wait in Pub/Sub',
      query:
        `max(${measured(oldest, 'pubsub_subscription', among(subscriptions))}) > ${15 * minute} or ` +
        `sum(${measured(waiting, 'pubsub_subscription', among(deadLetterSubscriptions))}) > 0`,
      forSeconds: 5 * minute,
      severity: 'ERROR',
      meaning:
        'A function rejects messages from Pub/Sub, or has rejected one 100 times. Pub/Sub keeps them for 31 days.',
    },
  ];
}
