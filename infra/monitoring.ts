import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { Tick } from '../shared/schedule/run-tick.ts';
import {
  type AlertRule,
  alertRules,
  counted,
  latest,
  logMetrics,
  measured,
  minute,
  nameInstance,
  ofInstance,
  type Watched,
} from './alert-rules.ts';
import { type Make, openComponent } from './component.ts';

/** Makes the monitoring of a deployment: log-based metrics, and alerts that need an operator. */
export function makeMonitoring(name: string, watched: Watched, opts: pulumi.ComponentResourceOptions) {
  const { component, make } = openComponent('Monitoring', name, opts);
  const { project, name: prefix, alertEmail, notificationChannels } = watched.settings;
  const addMetric = (what: string, filter: string, more: Omit<logging.MetricArgs, 'filter'>) =>
    make(logging.Metric, what.replaceAll('_', '-'), { project, name: `${prefix}/${what}`, filter, ...more });
  const logged = logFilter(prefix, 'maintain', 'metrics');
  for (const { name: field, title, unit } of logMetrics) {
    addMetric(field, logged, {
      valueExtractor: `EXTRACT(jsonPayload.${field})`,
      metricDescriptor: { metricKind: 'DELTA', valueType: 'DISTRIBUTION', unit, displayName: title },
      // The default of the API, set to avoid a difference in every update; only sum and count are used.
      bucketOptions: { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } },
    });
  }
  const counting = { metricDescriptor: { metricKind: 'DELTA', valueType: 'INT64', unit: '1' } };
  addMetric('metrics', logged, counting);
  const otherRuns: Tick['stopped'] = 'another tick is running';
  const ticks = `${logFilter(prefix, 'retry', 'tick')} AND jsonPayload.stopped!="${otherRuns}"`;
  addMetric('ticks', ticks, counting);
  const channels = [...notificationChannels, ...(alertEmail ? [makeChannel(alertEmail, watched, make)] : [])];
  for (const rule of alertRules(watched)) {
    make(monitoring.AlertPolicy, rule.id, toPolicy(rule, watched, channels));
  }
  return component;
}

function makeChannel(email_address: pulumi.Input<string>, { settings }: Watched, make: Make) {
  const { project, name } = settings;
  const args = {
    project,
    type: 'email',
    displayName: `Dead Letter Office: ${name}`,
    labels: { email_address },
  };
  return make(monitoring.NotificationChannel, 'email', args).name;
}

function toPolicy(rule: AlertRule, watched: Watched, notificationChannels: pulumi.Input<string>[]) {
  const { project, name, runbookUrl } = watched.settings;
  const { id, severity = 'WARNING', forSeconds = 15 * minute, meaning } = rule;
  const title = `Dead Letter Office ${name}: ${rule.title}`;
  const url = pulumi.interpolate`${runbookUrl || 'docs/runbook.md'}#${id}`;
  const conditionPrometheusQueryLanguage = {
    query: nameInstance(rule.query, watched),
    duration: `${forSeconds}s`,
    evaluationInterval: '60s',
    // A log-based metric exists only after its first log line: validation would fail the first update.
    disableMetricValidation: true,
  };
  return {
    project,
    displayName: title,
    combiner: 'OR',
    severity,
    conditions: [{ displayName: rule.title, conditionPrometheusQueryLanguage }],
    documentation: {
      mimeType: 'text/markdown',
      subject: title,
      content: pulumi.interpolate`${meaning}\n\nRunbook: ${url}`,
      ...(runbookUrl && { links: [{ displayName: 'Runbook', url }] }),
    },
    notificationChannels,
    alertStrategy: { autoClose: '604800s' },
  };
}

/** Returns a log filter for lines of a function with this `action`. */
function logFilter(prefix: string, fn: string, action: string): string {
  return `resource.type="cloud_run_revision" AND resource.labels.service_name="${prefix}-${fn}" AND jsonPayload.action="${action}"`;
}

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
