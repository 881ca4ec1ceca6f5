import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, deployed, find } from '../../support/deployment-program.ts';
import { type Ran, unknown } from '../../support/pulumi-program.ts';

const plain = await deployed('plain');
const full = await deployed('full');
const type = 'monitoring/alertPolicy:AlertPolicy';
const alert = (ran: Ran, id: string) => find(ran, type, `dlo-monitoring-${id}`);
const query = (ran: Ran, name: string) =>
  at(find(ran, type, name).inputs, 'conditions', 0, 'conditionPrometheusQueryLanguage', 'query');

// Beside the alerts of the example for production: a test of changes registers that one again, and no other.
describe('the alerts of other deployments', () => {
  it('report new and regressed error groups, unless they are switched off', async () => {
    assert.match(
      String(query(await deployed('prod'), 'dlo-monitoring-new-error-groups')),
      /groups_new_1h_sum.* > 0\.5$/,
    );
    const off = await deployed('guest');
    assert.match(String(query(off, 'dlo-monitoring-new-error-groups')), / > 4\.5$/);
    assert.ok(!off.resources.some(({ name }) => name.endsWith('-regressed-error-groups')));
  });

  it('use the thresholds of the settings', () => {
    assert.match(String(query(full, 'dlo-monitoring-pending-events')), / > 7$/);
    assert.match(String(query(full, 'dlo-monitoring-oldest-pending-event')), / > 7200$/);
  });

  it('count the connections of the deployment only, on an instance that it shares', async () => {
    const shared = await deployed('two');
    assert.match(
      String(query(shared, 'two-monitoring-database-connections')),
      /database_id="p{30}:main", database="two"\}\) > 800$/,
    );
    assert.match(String(query(shared, 'two-monitoring-database-disk')), /database_id="p{30}:main"\}\)/);
  });

  it('omit an instance in another project, whose metrics they cannot query', async () => {
    const foreign = await deployed('guest');
    const monitored = foreign.resources.filter(({ type }) => type.startsWith('gcp:monitoring/'));
    assert.doesNotMatch(JSON.stringify(monitored), /cloudsql_googleapis_com/);
  });

  it('are sent to existing channels, too', () => {
    assert.deepEqual(alert(full, 'no-tick').inputs.notificationChannels, [
      'projects/acme-prod/notificationChannels/42',
      'projects/acme-prod/notificationChannels/1',
    ]);
  });

  it('name the section of docs/runbook.md without runbookUrl', () => {
    const content = String(at(alert(plain, 'no-tick').inputs.documentation, 'content'));
    assert.match(content, /Runbook: docs\/runbook\.md#no-tick$/);
  });

  it('omit Cloud SQL if the database is elsewhere', async () => {
    const elsewhere = await deployed('elsewhere');
    assert.equal(all(elsewhere, type).length, all(await deployed('prod'), type).length - 3);
    assert.doesNotMatch(JSON.stringify(elsewhere.resources), /cloudsql_googleapis_com/);
  });

  it('can be previewed before the database has a name', async () => {
    const preview = await deployed('prod', { isPreview: true });
    assert.equal(query(preview, 'dlo-monitoring-database-disk'), unknown);
    assert.notEqual(query(preview, 'dlo-monitoring-no-tick'), unknown);
  });
});
