import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type AlertRule, alertRules, type Watched } from './alert-rules.ts';
import { toDashboard } from './dashboard.ts';
import { type Metric, metrics, metricsAction, stoppedForAnother, tickAction } from './metrics.ts';

export type MonitoringArgs = {
  readonly project: string;
  readonly watched: Watched;
  /** Address for alerts; empty: alerts appear in Cloud Monitoring only. */
  readonly alertEmail: string;
  /** URL of docs/runbook.md, linked in each alert; empty: alerts name the file. */
  readonly runbookUrl: string;
};

/** Monitoring of a deployment: log-based metrics, alerts that need an operator, and a dashboard. */
export class Monitoring extends pulumi.ComponentResource {
  constructor(name: string, args: MonitoringArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Monitoring', name, {}, opts);
    const { project, watched } = args;
    for (const metric of metrics) this.#addMetric(name, metric, args);
    this.#count(`${name}-metrics`, args, ['metrics', logged(watched.name, 'maintain', metricsAction)]);
    const ticks = `${logged(watched.name, 'retry', tickAction)} AND jsonPayload.stopped!="${stoppedForAnother}"`;
    this.#count(`${name}-ticks`, args, ['ticks', ticks]);
    const channels = args.alertEmail ? [this.#addChannel(name, args)] : [];
    for (const rule of alertRules(watched)) this.#alert(`${name}-${rule.id}`, rule, { ...args, channels });
    const dashboardJson = pulumi
      .output(watched.instance?.id)
      .apply((instanceId) => toDashboard({ ...watched, instanceId }));
    new monitoring.Dashboard(`${name}-dashboard`, { project, dashboardJson }, { parent: this });
    this.registerOutputs({});
  }

  #addMetric(
    name: string,
    { field, title, unit, description }: Metric,
    { project, watched }: MonitoringArgs,
  ): void {
    new logging.Metric(
      `${name}-${field.replaceAll('_', '-')}`,
      {
        project,
        name: `${watched.name}/${field}`,
        description,
        filter: logged(watched.name, 'maintain', metricsAction),
        valueExtractor: `EXTRACT(jsonPayload.${field})`,
        metricDescriptor: { metricKind: 'DELTA', valueType: 'DISTRIBUTION', unit, displayName: title },
        // The default of the API, set to avoid a difference in every update; only sum and count are used.
        bucketOptions: { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } },
      },
      { parent: this },
    );
  }

  #count(
    name: string,
    { project, watched }: MonitoringArgs,
    [what, filter]: readonly [string, string],
  ): void {
    new logging.Metric(
      name,
      {
        project,
        name: `${watched.name}/${what}`,
        filter,
        metricDescriptor: { metricKind: 'DELTA', valueType: 'INT64', unit: '1' },
      },
      { parent: this },
    );
  }

  #addChannel(name: string, { project, watched, alertEmail }: MonitoringArgs): pulumi.Output<string> {
    const channel = new monitoring.NotificationChannel(
      `${name}-email`,
      {
        project,
        type: 'email',
        displayName: `Dead Letter Office: ${watched.name}`,
        labels: { email_address: alertEmail },
      },
      { parent: this },
    );
    return channel.name;
  }

  #alert(name: string, rule: AlertRule, { project, watched, runbookUrl, channels }: Alerting): void {
    const url = `${runbookUrl || 'docs/runbook.md'}#${rule.id}`;
    new monitoring.AlertPolicy(
      name,
      {
        project,
        displayName: `Dead Letter Office ${watched.name}: ${rule.title}`,
        combiner: 'OR',
        severity: rule.severity,
        conditions: [
          {
            displayName: rule.title,
            conditionPrometheusQueryLanguage: {
              query: rule.query,
              duration: `${rule.forSeconds}s`,
              evaluationInterval: '60s',
              // A log-based metric exists only after its first log line: validation would fail the first update.
              disableMetricValidation: true,
            },
          },
        ],
        documentation: {
          mimeType: 'text/markdown',
          subject: `Dead Letter Office ${watched.name}: ${rule.title}`,
          content: `${rule.meaning}\n\nRunbook: ${url}`,
          ...(runbookUrl && { links: [{ displayName: 'Runbook', url }] }),
        },
        notificationChannels: [...channels],
        alertStrategy: { autoClose: '604800s' },
      },
      { parent: this },
    );
  }
}

type Alerting = MonitoringArgs & { readonly channels: readonly pulumi.Output<string>[] };

/** Returns a log filter for lines of a function with this `action`. */
function logged(prefix: string, fn: string, action: string): string {
  return `resource.type="cloud_run_revision" AND resource.labels.service_name="${prefix}-${fn}" AND jsonPayload.action="${action}"`;
}
