import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import * as pulumi from '@pulumi/pulumi';
import { type AlertRule, alertRules, type Watched } from './alert-rules.ts';
import { toDashboard } from './dashboard.ts';
import { type Figure, figures, figuresAct, leftToAnother, tickAct } from './figures.ts';

export type MonitoringArgs = {
  readonly project: string;
  readonly watched: Watched;
  /** Where alerts go; empty: they are to be seen in Cloud Monitoring only. */
  readonly alertEmail: string;
  /** The address of docs/runbook.md, for a link in each alert; empty: they name the file. */
  readonly runbookUrl: string;
};

/** Watches an office: metrics from what the functions log, an alert for each thing that needs a person, a dashboard. */
export class Monitoring extends pulumi.ComponentResource {
  constructor(name: string, args: MonitoringArgs, opts?: pulumi.ComponentResourceOptions) {
    super('dead-letter-office:gcp:Monitoring', name, {}, opts);
    const { project, watched } = args;
    for (const figure of figures) this.#keepFigure(name, figure, args);
    this.#count(`${name}-figures`, args, ['figures', logged(watched.name, 'maintain', figuresAct)]);
    const ticks = `${logged(watched.name, 'retry', tickAct)} AND jsonPayload.stopped!="${leftToAnother}"`;
    this.#count(`${name}-ticks`, args, ['ticks', ticks]);
    const channels = args.alertEmail ? [this.#addressTo(name, args)] : [];
    for (const rule of alertRules(watched)) this.#alert(`${name}-${rule.id}`, rule, { ...args, channels });
    const dashboardJson = pulumi
      .output(watched.instance?.id)
      .apply((instanceId) => toDashboard({ ...watched, instanceId }));
    new monitoring.Dashboard(`${name}-dashboard`, { project, dashboardJson }, { parent: this });
    this.registerOutputs({});
  }

  #keepFigure(
    name: string,
    { field, title, unit, description }: Figure,
    { project, watched }: MonitoringArgs,
  ): void {
    new logging.Metric(
      `${name}-${field.replaceAll('_', '-')}`,
      {
        project,
        name: `${watched.name}/${field}`,
        description,
        filter: logged(watched.name, 'maintain', figuresAct),
        valueExtractor: `EXTRACT(jsonPayload.${field})`,
        metricDescriptor: { metricKind: 'DELTA', valueType: 'DISTRIBUTION', unit, displayName: title },
        // Only sum and count are used; this is what an API would choose that got none, and would report as a change.
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

  #addressTo(name: string, { project, watched, alertEmail }: MonitoringArgs): pulumi.Output<string> {
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
              // A metric from the log exists only some time after its first line: the first update would fail.
              disableMetricValidation: true,
            },
          },
        ],
        documentation: {
          mimeType: 'text/markdown',
          subject: `Dead Letter Office ${watched.name}: ${rule.title}`,
          content: `${rule.meaning}\n\nWhat to do: ${url}`,
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

/** Matches what a function of the office logs as one of its acts. */
function logged(office: string, fn: string, act: string): string {
  return `resource.type="cloud_run_revision" AND resource.labels.service_name="${office}-${fn}" AND jsonPayload.act="${act}"`;
}
