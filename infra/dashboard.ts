import { figures } from './figures.ts';
import { counted, latest, measured } from './promql.ts';

/** What is drawn. */
export type Drawn = {
  readonly name: string;
  readonly subscriptions: readonly string[];
  readonly instanceId?: string | undefined;
};

type Line = { readonly title: string; readonly query: string };

/**
 * A dashboard as Cloud Monitoring's API takes it, with no field that may be left out: what it adds by itself would
 * otherwise differ at every update.
 */
export function toDashboard(drawn: Drawn): string {
  const lines = [...drawOffice(drawn), ...drawRequests(drawn), ...drawDatabase(drawn)];
  return JSON.stringify({
    displayName: `Dead Letter Office: ${drawn.name}`,
    gridLayout: { columns: '2', widgets: lines.map(toChart) },
  });
}

function drawOffice({ name }: Drawn): Line[] {
  return [
    ...figures.map(({ field, title }) => ({ title, query: latest(name, field) })),
    { title: 'Ticks within an hour', query: counted(name, 'ticks', '1h') },
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
    { title: 'Messages that wait in Pub/Sub', query: `sum(${waiting})` },
    {
      title: 'Requests a second, by function and answer',
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
    { title: 'Share of the disk that is used', query: `max(${own('disk/utilization')})` },
    { title: 'Share of the CPU that is used', query: `max(${own('cpu/utilization')})` },
  ];
}

function toChart({ title, query }: Line): object {
  const dataSets = [{ timeSeriesQuery: { prometheusQuery: query }, plotType: 'LINE' }];
  return { title, xyChart: { dataSets } };
}
