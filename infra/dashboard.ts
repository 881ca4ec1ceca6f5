import { latest, logMetrics, measured, ofInstance, type Watched } from './alert-rules.ts';

/** Returns a dashboard in the format of the Cloud Monitoring API, with the placeholder of the instance. */
export function toDashboard(watched: Watched): string {
  const { name } = watched.settings;
  const charts = Object.entries({
    ...Object.fromEntries(logMetrics.map((each) => [each.title, latest(name, each.name)])),
    ...drawRequests(watched),
    ...(watched.instance && drawDatabase()),
  });
  const widgets = charts.map(([title, prometheusQuery]) => ({
    title,
    xyChart: { dataSets: [{ timeSeriesQuery: { prometheusQuery }, plotType: 'LINE' }] },
  }));
  return JSON.stringify({
    displayName: `Dead Letter Office: ${name}`,
    gridLayout: { columns: '2', widgets },
  });
}

function drawRequests({ settings: { name }, subscriptions }: Watched): Record<string, string> {
  const undelivered = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
  const queue = measured(undelivered, 'pubsub_subscription', `subscription_id=~"${subscriptions.join('|')}"`);
  const services = `service_name=~"${name}-(signed-)?[a-z]+"`;
  const requests = measured('run.googleapis.com/request_count', 'cloud_run_revision', services);
  return {
    'Undelivered messages in Pub/Sub': `sum(${queue})`,
    'Requests per second, by function and status class': `sum by (service_name, response_code_class) (rate(${requests}[5m]))`,
  };
}

function drawDatabase(): Record<string, string> {
  return {
    'Connections to the database': `sum(${ofInstance('postgresql/num_backends')})`,
    'Disk utilization': `max(${ofInstance('disk/utilization')})`,
    'CPU utilization': `max(${ofInstance('cpu/utilization')})`,
  };
}
