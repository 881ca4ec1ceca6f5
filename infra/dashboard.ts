import { ofInstance, type Watched } from './alert-rule.ts';
import { logMetrics } from './metrics.ts';
import { counted, latest, measured } from './promql.ts';

/** Returns a dashboard in the format of the Cloud Monitoring API, with the placeholder of the instance. */
export function toDashboard(watched: Watched): string {
  const { name } = watched.settings;
  const charts = Object.entries({
    ...Object.fromEntries(logMetrics.map((each) => [each.title, latest(name, each.name)])),
    'Ticks in the last hour': counted(name, 'ticks', '1h'),
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
  const [quota, used] = [ofInstance('disk/quota'), ofInstance('disk/bytes_used')];
  return {
    'Connections to the database': `sum(${ofInstance('postgresql/num_backends')})`,
    'Disk utilization': `max(${ofInstance('disk/utilization')})`,
    'Days until the disk is full, at the growth of the last 6 hours': `max(${quota} - ${used}) / (max(deriv(${used}[6h])) > 0) / 86400`,
    'CPU utilization': `max(${ofInstance('cpu/utilization')})`,
  };
}
