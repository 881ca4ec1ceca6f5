import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { figures } from '../../infra/figures.ts';
import { all, at, exampleSettings, find, plainSettings, runOffice } from '../support/office-program.ts';
import { type Registered, unknown } from '../support/pulumi-program.ts';

const office = await runOffice(exampleSettings('prod'));
const plain = await runOffice(plainSettings);
const alerts = all(office, 'monitoring/alertPolicy:AlertPolicy');
const condition = ({ inputs }: Registered, key: string) =>
  at(inputs, 'conditions', 0, 'conditionPrometheusQueryLanguage', key);
const alert = (id: string, ran = office) =>
  find(ran, 'monitoring/alertPolicy:AlertPolicy', `dlo-monitoring-${id}`);

describe('the alerts', () => {
  it('are one for each thing that needs a person', () => {
    assert.deepEqual(
      alerts.map(({ name }) => name.replace('dlo-monitoring-', '')),
      [
        'database-connections',
        'database-disk',
        'no-figures',
        'no-tick',
        'oldest-pending-event',
        'pending-events',
        'permanent-failures',
        'push-backlog',
        'stuck-in-processing',
      ],
    );
  });

  it('can be made before there is anything to measure', () => {
    assert.ok(alerts.every((each) => condition(each, 'disableMetricValidation') === true));
  });

  it('call only for metrics that exist: those of the office, and of Google', () => {
    const own = all(office, 'logging/metric:Metric').map(({ inputs }) =>
      String(inputs.name).replace('/', '_'),
    );
    for (const each of alerts) {
      const named = String(condition(each, 'query')).matchAll(
        /logging_googleapis_com:user_(\w+?)(_sum|_count)?\{/g,
      );
      for (const [, metric = ''] of named) assert.ok(own.includes(metric), `${each.name}: ${metric}`);
    }
  });

  it('name the kind of resource, without which some metrics answer nothing', () => {
    for (const each of alerts) {
      for (const [selector] of String(condition(each, 'query')).matchAll(/\{[^}]*\}/g)) {
        assert.match(selector, /monitored_resource="\w+"/, each.name);
      }
    }
  });

  it('do not call out in an office that has just been opened', () => {
    const silence = alert('no-tick');
    assert.match(String(condition(silence, 'query')), /\[30m\]\)\) or vector\(0\)\) < 0\.5$/);
    assert.equal(condition(silence, 'duration'), `${6.5 * 3600}s`);
  });

  it('do not take a tick that left its work to another one for a tick', () => {
    const { inputs } = find(office, 'logging/metric:Metric', 'dlo-monitoring-ticks');
    assert.match(
      String(inputs.filter),
      /service_name="dlo-retry" AND jsonPayload\.act="tick" AND jsonPayload\.stopped!=/,
    );
  });

  it('go by the thresholds of the configuration', async () => {
    const strict = await runOffice({
      ...plainSettings,
      alertPending: 7,
      alertOldestHours: 2,
      alertTickHours: 25,
    });
    assert.match(String(condition(alert('pending-events', strict), 'query')), / > 7$/);
    assert.match(String(condition(alert('oldest-pending-event', strict), 'query')), / > 7200$/);
    assert.equal(condition(alert('no-tick', strict), 'duration'), `${24.5 * 3600}s`);
  });

  it('watch connections at the share that the budget keeps to', () => {
    const query = String(condition(alert('database-connections'), 'query'));
    assert.match(query, /database_id="acme-prod:dlo-database-instance-1a2b3c4"\}\) > 400$/);
  });

  it('go to whom they are addressed, with a link to what to do', () => {
    const { inputs } = alert('push-backlog');
    assert.deepEqual(inputs.notificationChannels, ['projects/acme-prod/notificationChannels/1']);
    const url = 'https://github.com/acme/dead-letter-office/blob/main/docs/runbook.md#push-backlog';
    assert.deepEqual(at(inputs.documentation, 'links'), [{ displayName: 'Runbook', url }]);
  });

  it('have a section of the runbook each, and it has none for an alert that does not exist', () => {
    const runbook = readFileSync(path.resolve(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const linked = alerts.map(({ inputs }) => at(inputs.documentation, 'links', 0, 'url'));
    // People are called for it by their own means: the office goes on by itself.
    const [isNoAlert] = headings.splice(headings.indexOf('target-down'), 1);
    assert.equal(isNoAlert, 'target-down');
    const anchors = linked.map((url) => String(url).split('#')[1]);
    assert.deepEqual(headings.sort(), anchors.sort());
  });

  it('name the place in the handbook where its address is not known', () => {
    const content = String(at(alert('no-tick', plain).inputs.documentation, 'content'));
    assert.match(content, /What to do: docs\/runbook\.md#no-tick$/);
  });

  it('say nothing of Cloud SQL where the database is elsewhere', async () => {
    const functions = ['capture', 'retry', 'replay', 'console', 'maintain'];
    const databaseUrls = Object.fromEntries(functions.map((name) => [name, 'postgres://10.0.0.2/office']));
    const elsewhere = await runOffice({ ...plainSettings, databaseUrls, maxConnections: 100 });
    assert.equal(all(elsewhere, 'monitoring/alertPolicy:AlertPolicy').length, alerts.length - 2);
    assert.doesNotMatch(JSON.stringify(elsewhere.resources), /cloudsql_googleapis_com/);
  });

  it('are previewed while the database has no name yet', async () => {
    const preview = await runOffice(plainSettings, { isPreview: true });
    assert.equal(condition(alert('database-disk', preview), 'query'), unknown);
    assert.notEqual(condition(alert('no-tick', preview), 'query'), unknown);
  });
});

describe('the figures', () => {
  it('are each read from the field of the log line that has their name', () => {
    for (const { field } of figures) {
      const { inputs } = find(
        office,
        'logging/metric:Metric',
        `dlo-monitoring-${field.replaceAll('_', '-')}`,
      );
      assert.equal(inputs.name, `dlo/${field}`);
      assert.equal(inputs.valueExtractor, `EXTRACT(jsonPayload.${field})`);
      assert.match(String(inputs.filter), /service_name="dlo-maintain" AND jsonPayload\.act="metrics"$/);
      assert.equal(at(inputs.metricDescriptor, 'valueType'), 'DISTRIBUTION');
    }
  });

  it('are asked for often enough for the alerts that look back a quarter of an hour', () => {
    assert.equal(find(office, 'cloudscheduler/job:Job', 'dlo-figures-job').inputs.schedule, '*/5 * * * *');
  });
});

describe('the dashboard', () => {
  const { inputs } = find(office, 'monitoring/dashboard:Dashboard', 'dlo-monitoring-dashboard');
  const dashboard = JSON.parse(String(inputs.dashboardJson));

  it('draws every figure', () => {
    const titles = dashboard.gridLayout.widgets.map(({ title }: { title: string }) => title);
    assert.deepEqual(
      figures.filter(({ title }) => !titles.includes(title)),
      [],
    );
  });

  it('sends nothing that Google would write otherwise, and so differ at the next update', () => {
    assert.deepEqual(Object.keys(dashboard), ['displayName', 'gridLayout']);
    assert.equal(dashboard.gridLayout.columns, '2');
    for (const widget of dashboard.gridLayout.widgets) {
      assert.deepEqual(Object.keys(widget), ['title', 'xyChart']);
      assert.deepEqual(Object.keys(widget.xyChart), ['dataSets']);
      assert.deepEqual(Object.keys(widget.xyChart.dataSets[0]), ['timeSeriesQuery', 'plotType']);
    }
  });
});
