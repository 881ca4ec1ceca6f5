import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import * as pulumi from '@pulumi/pulumi';
import type { AlertRule, Watched } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { Component } from './component.ts';
import { toDashboard } from './dashboard.ts';
import { type Metric, metrics, metricsAction, stoppedForAnother, tickAction } from './metrics.ts';

export type MonitoringArgs = {
  readonly project: string;
  readonly watched: Watched;
  /** Address for alerts; empty: alerts appear in Cloud Monitoring only. */
  readonly alertEmail: string;
  /** Full names of existing channels that receive alerts, too. */
  readonly notificationChannels: readonly string[];
  /** URL of docs/runbook.md, linked in each alert; empty: alerts name the file. */
  readonly runbookUrl: string;
};

/** Monitoring of a deployment: log-based metrics, alerts that need an operator, and a dashboard. */
export class Monitoring extends Component {
  constructor(name: string, args: MonitoringArgs, opts?: pulumi.ComponentResourceOptions) {
    super('Monitoring', name, opts);
    const { project, watched, alertEmail } = args;
    const logged = logFilter(watched.name, 'maintain', metricsAction);
    for (const metric of metrics) this.#addMetric(metric, logged, args);
    this.#count('metrics', logged, args);
    const ticks = `${logFilter(watched.name, 'retry', tickAction)} AND jsonPayload.stopped!="${stoppedForAnother}"`;
    this.#count('ticks', ticks, args);
    const channels = [...args.notificationChannels, ...(alertEmail ? [this.#addChannel(args)] : [])];
    for (const rule of alertRules(watched)) this.#alert(rule, channels, args);
    const dashboardJson = pulumi
      .output(watched.instance?.id)
      .apply((instanceId) => toDashboard({ ...watched, instanceId }));
    this.make(monitoring.Dashboard, 'dashboard', { project, dashboardJson });
  }

  #addMetric(metric: Metric, filter: string, { project, watched }: MonitoringArgs): void {
    const { field, title: displayName, unit = '1', description } = metric;
    this.make(logging.Metric, field.replaceAll('_', '-'), {
      project,
      name: `${watched.name}/${field}`,
      description,
      filter,
      valueExtractor: `EXTRACT(jsonPayload.${field})`,
      metricDescriptor: { metricKind: 'DELTA', valueType: 'DISTRIBUTION', unit, displayName },
      // The default of the API, set to avoid a difference in every update; only sum and count are used.
      bucketOptions: { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } },
    });
  }

  #count(what: string, filter: string, { project, watched }: MonitoringArgs): void {
    const metricDescriptor = { metricKind: 'DELTA', valueType: 'INT64', unit: '1' };
    this.make(logging.Metric, what, { project, name: `${watched.name}/${what}`, filter, metricDescriptor });
  }

  #addChannel({ project, watched, alertEmail }: MonitoringArgs): pulumi.Output<string> {
    return this.make(monitoring.NotificationChannel, 'email', {
      project,
      type: 'email',
      displayName: `Dead Letter Office: ${watched.name}`,
      labels: { email_address: alertEmail },
    }).name;
  }

  #alert(rule: AlertRule, notificationChannels: pulumi.Input<string>[], args: MonitoringArgs): void {
    const { project, watched, runbookUrl } = args;
    const title = `Dead Letter Office ${watched.name}: ${rule.title}`;
    const url = `${runbookUrl || 'docs/runbook.md'}#${rule.id}`;
    this.make(monitoring.AlertPolicy, rule.id, {
      project,
      displayName: title,
      combiner: 'OR',
      severity: rule.severity,
      conditions: [
        {
          displayName: rule.title,
          conditionPrometheusQueryLanguage: {
            query: rule.query,
            duration: `${rule.forSeconds}s`,
            evaluationInterval: '60s',
            // A log-based metric exists only after its first log line: validation would fail the first
            // update.
            disableMetricValidation: true,
          },
        },
      ],
      documentation: {
        mimeType: 'text/markdown',
        subject: title,
        content: `${rule.meaning}\n\nRunbook: ${url}`,
        ...(runbookUrl && { links: [{ displayName: 'Runbook', url }] }),
      },
      notificationChannels,
      alertStrategy: { autoClose: '604800s' },
    });
  }
}

/** Returns a log filter for lines of a function with this `action`. */
function logFilter(prefix: string, fn: string, action: string): string {
  return `resource.type="cloud_run_revision" AND resource.labels.service_name="${prefix}-${fn}" AND jsonPayload.action="${action}"`;
}
