import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type AlertRule, alertRules, logMetrics, minute, nameInstance, type Watched } from './alert-rules.ts';
import type { Deployment } from './deployment.ts';

/** Makes the monitoring of a deployment: log-based metrics, and alerts that need an operator. */
export function makeMonitoring(deployment: Deployment, watched: Watched): void {
  const { settings, make } = deployment;
  const { project, name: prefix, alertEmail, notificationChannels } = settings;
  const addMetric = (what: string, filter: string, more: Omit<logging.MetricArgs, 'filter'>) => {
    const args = { project, name: `${prefix}/${what}`, filter, ...more };
    make(logging.Metric, `monitoring-${what.replaceAll('_', '-')}`, args);
  };
  const logged = `resource.type="cloud_run_revision" AND resource.labels.service_name="${prefix}-maintain" AND jsonPayload.action="metrics"`;
  for (const { name: field, title, unit } of logMetrics) {
    addMetric(field, logged, {
      valueExtractor: `EXTRACT(jsonPayload.${field})`,
      metricDescriptor: { metricKind: 'DELTA', valueType: 'DISTRIBUTION', unit, displayName: title },
      // The default of the API, set to avoid a difference in every update; only sum and count are used.
      bucketOptions: { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } },
    });
  }
  addMetric('metrics', logged, { metricDescriptor: { metricKind: 'DELTA', valueType: 'INT64', unit: '1' } });
  const channels = [...notificationChannels, ...(alertEmail ? [makeChannel(deployment, alertEmail)] : [])];
  for (const rule of alertRules(watched)) {
    make(monitoring.AlertPolicy, `monitoring-${rule.id}`, toPolicy(rule, watched, channels));
  }
}

function makeChannel({ settings, make }: Deployment, email_address: pulumi.Input<string>) {
  const { project, name } = settings;
  const args = {
    project,
    type: 'email',
    displayName: `Dead Letter Office: ${name}`,
    labels: { email_address },
  };
  return make(monitoring.NotificationChannel, 'monitoring-email', args).name;
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
