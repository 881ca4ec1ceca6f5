import * as logging from '@pulumi/gcp/logging/index.js';
import * as monitoring from '@pulumi/gcp/monitoring/index.js';
import type * as pulumi from '@pulumi/pulumi';
import { type AlertRule, minute, nameInstance, type Watched } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { Component } from './component.ts';
import { type LogMetric, logMetrics, metricsAction, stoppedForAnother, tickAction } from './metrics.ts';

/** Monitoring of a deployment: log-based metrics, and alerts that need an operator. */
export class Monitoring extends Component {
  readonly #watched: Watched;

  constructor(name: string, watched: Watched, opts?: pulumi.ComponentResourceOptions) {
    super('Monitoring', name, opts);
    this.#watched = watched;
    const { name: prefix, alertEmail, notificationChannels } = watched.settings;
    const logged = logFilter(prefix, 'maintain', metricsAction);
    for (const metric of logMetrics) this.#addMetric(metric, logged);
    this.#count('metrics', logged);
    const ticks = `${logFilter(prefix, 'retry', tickAction)} AND jsonPayload.stopped!="${stoppedForAnother}"`;
    this.#count('ticks', ticks);
    const channels = [...notificationChannels, ...(alertEmail ? [this.#addChannel()] : [])];
    for (const rule of alertRules(watched)) this.#alert(rule, channels);
  }

  #addMetric({ name: field, title, unit }: LogMetric, filter: string): void {
    const { project, name } = this.#watched.settings;
    this.make(logging.Metric, field.replaceAll('_', '-'), {
      project,
      name: `${name}/${field}`,
      filter,
      valueExtractor: `EXTRACT(jsonPayload.${field})`,
      metricDescriptor: {
        metricKind: 'DELTA',
        valueType: 'DISTRIBUTION',
        unit,
        displayName: title,
      },
      // The default of the API, set to avoid a difference in every update; only sum and count are used.
      bucketOptions: { exponentialBuckets: { numFiniteBuckets: 64, growthFactor: 2, scale: 0.01 } },
    });
  }

  #count(what: string, filter: string): void {
    const { project, name } = this.#watched.settings;
    const metricDescriptor = { metricKind: 'DELTA', valueType: 'INT64', unit: '1' };
    this.make(logging.Metric, what, { project, name: `${name}/${what}`, filter, metricDescriptor });
  }

  #addChannel(): pulumi.Output<string> {
    const { project, name, alertEmail } = this.#watched.settings;
    return this.make(monitoring.NotificationChannel, 'email', {
      project,
      type: 'email',
      displayName: `Dead Letter Office: ${name}`,
      labels: { email_address: alertEmail },
    }).name;
  }

  #alert(rule: AlertRule, notificationChannels: pulumi.Input<string>[]): void {
    const { project, name, runbookUrl } = this.#watched.settings;
    const { id, severity = 'WARNING', forSeconds = 15 * minute, meaning } = rule;
    const title = `Dead Letter Office ${name}: ${rule.title}`;
    const url = `${runbookUrl || 'docs/runbook.md'}#${id}`;
    const conditionPrometheusQueryLanguage = {
      query: nameInstance(rule.query, this.#watched),
      duration: `${forSeconds}s`,
      evaluationInterval: '60s',
      // A log-based metric exists only after its first log line: validation would fail the first update.
      disableMetricValidation: true,
    };
    this.make(monitoring.AlertPolicy, id, {
      project,
      displayName: title,
      combiner: 'OR',
      severity,
      conditions: [{ displayName: rule.title, conditionPrometheusQueryLanguage }],
      documentation: {
        mimeType: 'text/markdown',
        subject: title,
        content: `${meaning}\n\nRunbook: ${url}`,
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
