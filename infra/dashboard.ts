import { metrics } from './metrics.ts';
import { counted, latest, measured } from './promql.ts';

/** The resources that the dashboard shows. */
export type Drawn = {
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly instanceId?: string | undefined;
};

type Line = { readonly title: string; readonly query: string };

/**
 * Returns a dashboard in the format of the Cloud Monitoring API. Optional fields are omitted: the API adds
 * defaults to them, which would appear as a change in every update.
 */
export function toDashboard(drawn: Drawn): string {
  const lines = [...drawEvents(drawn), ...drawRequests(drawn), ...drawDatabase(drawn)];
  return JSON.stringify({
    displayName: `Dead Letter Office: ${drawn.name}`,
    gridLayout: { columns: '2', widgets: lines.map(toChart) },
  });
}

function drawEvents({ name }: Drawn): Line[] {
  return [
    ...metrics.map(({ field, title }) => ({ title, query: latest(name, field) })),
    { title: 'Ticks in the last hour', query: counted(name, 'ticks', '1h') },
  ];
}

function drawRequests({ name, subscriptions }: Drawn): Line[] {
  const queue = `subscription_id=~"${subscriptions.join('|')}"`;
  const waiting = measured(
    'pubsub.googleapis.com/subscription/num_undelivered_messages',
    'pubsub_subscription',
    queue,
  );
  const requests = measured(
    'run.googleapis.com/request_count',
    'cloud_run_revision',
    `service_name=~"${name}-(signed-)?[a-z]+"`,
  );
  return [
    { title: 'Undelivered messages in Pub/Sub', query: `sum(${waiting})` },
    {
      title: 'Requests per second, by function and status class',
      query: `sum by (service_name, response_code_class) (rate(${requests}[5m]))`,
    },
  ];
}

function drawDatabase({ instanceId }: Drawn): Line[] {
  if (!instanceId) return [];
  const own = (metric: string) =>
    measured(
      `cloudsql.googleapis.com/database/${metric}`,
      'cloudsql_database',
      `database_id="${instanceId}"`,
    );
  return [
    { title: 'Connections to the database', query: `sum(${own('postgresql/num_backends')})` },
    { title: 'Disk utilization', query: `max(${own('disk/utilization')})` },
    {
      title: 'Days until the disk is full, at the growth of the last 6 hours',
      query: `max(${own('disk/quota')} - ${own('disk/bytes_used')}) / (max(deriv(${own('disk/bytes_used')}[6h])) > 0) / 86400`,
    },
    { title: 'CPU utilization', query: `max(${own('cpu/utilization')})` },
  ];
}

function toChart({ title, query }: Line): object {
  const dataSets = [{ timeSeriesQuery: { prometheusQuery: query }, plotType: 'LINE' }];
  return { title, xyChart: { dataSets } };
}
