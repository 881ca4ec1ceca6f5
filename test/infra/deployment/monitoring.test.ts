import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { logMetrics } from '../../../infra/alert-rules.ts';
import { listedMetrics } from '../../../shared/metrics/metrics.ts';
import { all, at, deployed, find } from '../../support/deployment-program.ts';
import type { Registered } from '../../support/pulumi-program.ts';

const deployment = await deployed('prod');
const alerts = all(deployment, 'monitoring/alertPolicy:AlertPolicy');
const condition = ({ inputs }: Registered, key: string) =>
  at(inputs, 'conditions', 0, 'conditionPrometheusQueryLanguage', key);
const alert = (id: string) => find(deployment, 'monitoring/alertPolicy:AlertPolicy', `dlo-monitoring-${id}`);

describe('the alerts', () => {
  it('cover each condition that needs an operator', () => {
    const ids = alerts.map(({ name }) => name.replace('dlo-monitoring-', ''));
    const ofMetrics = listedMetrics.flatMap(([, { alert }]) => alert?.id ?? []);
    const others = ['capture-errors', 'no-metrics', 'no-tick', 'push-backlog'];
    const ofInstance = ['database-connections', 'database-disk', 'database-down'];
    assert.deepEqual(ids, [...ofMetrics, ...others, ...ofInstance].sort());
  });

  it('can be created before their metrics exist', () => {
    assert.ok(alerts.every((each) => condition(each, 'disableMetricValidation') === true));
  });

  it('query only metrics that exist, of the deployment or of Google Cloud', () => {
    const own = all(deployment, 'logging/metric:Metric').map(({ inputs }) =>
      String(inputs.name).replace('/', '_'),
    );
    for (const each of alerts) {
      const named = String(condition(each, 'query')).matchAll(
        /logging_googleapis_com:user_(\w+?)(_sum|_count)?\{/g,
      );
      for (const [, metric = ''] of named) assert.ok(own.includes(metric), `${each.name}: ${metric}`);
    }
  });

  it('name the resource type, without which some queries return nothing', () => {
    for (const each of alerts) {
      for (const [selector] of String(condition(each, 'query')).matchAll(/\{[^}]*\}/g)) {
        assert.match(selector, /monitored_resource="\w+"/, each.name);
      }
    }
  });

  it('watch the share of failed captures by both capture functions, over an hour and five minutes', () => {
    const query = String(condition(alert('capture-errors'), 'query'));
    assert.deepEqual(
      [...query.matchAll(/class="5xx"\}\[(\w+)\].*?\[(\w+)\]\)\) > ([\d.]+)/g)].map(([, ...found]) => found),
      [
        ['1h', '1h', '0.014'],
        ['5m', '5m', '0.014'],
      ],
    );
    const [, pattern = ''] = /service_name=~"([^"]+)"/.exec(query) ?? [];
    const watched = ['dlo-capture', 'dlo-signed-capture', 'dlo-retry'].map((name) =>
      new RegExp(`^${pattern}$`).test(name),
    );
    assert.deepEqual(watched, [true, true, false]);
  });

  it('compare connections with the connection budget', () => {
    const query = String(condition(alert('database-connections'), 'query'));
    assert.match(query, /database_id="acme-prod:dlo-database-instance-1a2b3c4"\}\) > 400$/);
  });

  it('are sent to alertEmail with a link to the runbook', () => {
    const { inputs } = alert('push-backlog');
    assert.deepEqual(inputs.notificationChannels, ['projects/acme-prod/notificationChannels/1']);
    const url = 'https://github.com/acme/dead-letter-office/blob/main/docs/runbook.md#push-backlog';
    assert.deepEqual(at(inputs.documentation, 'links'), [{ displayName: 'Runbook', url }]);
  });

  it('have one section of the runbook each', () => {
    const runbook = readFileSync(path.resolve(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const linked = alerts.map(({ inputs }) => at(inputs.documentation, 'links', 0, 'url'));
    const anchors = linked.map((url) => String(url).split('#')[1]);
    assert.deepEqual(headings.sort(), anchors.sort());
  });
});

describe('the log-based metrics', () => {
  it('are each read from the log field of the same name', () => {
    for (const { name } of logMetrics) {
      const { inputs } = find(
        deployment,
        'logging/metric:Metric',
        `dlo-monitoring-${name.replaceAll('_', '-')}`,
      );
      assert.equal(inputs.name, `dlo/${name}`);
      assert.equal(inputs.valueExtractor, `EXTRACT(jsonPayload.${name})`);
      assert.match(String(inputs.filter), /service_name="dlo-maintain" AND jsonPayload\.action="metrics"$/);
      assert.equal(at(inputs.metricDescriptor, 'valueType'), 'DISTRIBUTION');
    }
  });

  it('have a base unit of Prometheus at the end of their name, which the charts take: seconds and bytes', () => {
    const others = listedMetrics.filter(([name]) =>
      /_(ms|millis\w*|minutes|hours|days|[kmg]i?b)$/.test(name),
    );
    assert.deepEqual(others, []);
  });

  it('are reported often enough for alerts with a window of 15 minutes', () => {
    assert.equal(
      find(deployment, 'cloudscheduler/job:Job', 'dlo-metrics-job').inputs.schedule,
      '*/5 * * * *',
    );
  });
});

describe('the dashboard', () => {
  const { dashboard: json } = deployment.outputs as { readonly dashboard: string };
  const dashboard = JSON.parse(json);

  it('shows every metric', () => {
    const titles = dashboard.gridLayout.widgets.map(({ title }: { title: string }) => title);
    assert.deepEqual(
      logMetrics.filter(({ title }) => !titles.includes(title)),
      [],
    );
  });

  it('names the database instance in its queries', () => {
    assert.match(json, /database_id=\\"acme-prod:dlo-database-instance-1a2b3c4\\"/);
    assert.doesNotMatch(json, /\$INSTANCE/);
  });
});
