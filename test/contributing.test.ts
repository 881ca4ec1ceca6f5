import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../shared/database/database.ts';
import { useDatabase } from './support/database.ts';
import { anEvent } from './support/factories.ts';
import { copyProject, type ProjectCopy } from './support/project-copy.ts';
import { isItsTurn } from './support/taken-in-turn.ts';
import { changes } from './support/trial-changes.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The test files that `npm run renew` runs. */
const renewing = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts.renew as string)
  .split(' ')
  // Those need a database, and follow from the migrations.
  .filter((word) => word.endsWith('.test.ts') && !/role-matrix|schema/.test(word));
/** Tests that compare places with a definition, in the process that has registered the deployment. */
const ofDeployment = ['monitoring', 'schedules', 'variables'].map(
  (name) => `test/infra/deployment/${name}.test.ts`,
);
/** The others. They read what was renewed. */
const ofRenewed = ['test/infra/pulumi-project.test.ts', 'test/shared/events/filter/filter-fields.test.ts'];

describe('a change that CONTRIBUTING.md lists', { skip: !isItsTurn('contributing') }, () => {
  const database = useDatabase();
  let copy: ProjectCopy;
  /** A connection knows a statement by its name, and those of the copy have other texts. */
  let db: Database;
  let failed: string | undefined;
  const load = async (file: string) => await import(path.join(copy.folder, file));

  before(async () => {
    copy = await copyProject();
    for (const files of Object.values(changes)) {
      for (const [file, insertions] of Object.entries(files))
        for (const [i, place] of insertions.entries())
          if (i % 2 === 0) await copy.insert(file, place, insertions[i + 1] ?? '');
    }
    failed = await copy.runTests([...renewing, ...ofDeployment], '--test-update-snapshots');
    failed ??= await copy.runTests(ofRenewed);
    const { openDatabase } = await load('shared/database/database.ts');
    db = openDatabase({ kind: 'url', url: database().url, poolMax: 2 }, 'test');
  });
  after(async () => {
    await db.close();
    await copy.remove();
  });

  const page = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (.*?) \| .*`.*$/gm)];
  for (const [row, change = ''] of rows) {
    it(`takes the files of its row alone: ${change}`, () => {
      const files = changes[change] ?? {};
      assert.notDeepEqual(files, {});
      for (const file of Object.keys(files)) {
        const places = [file, `${path.dirname(file)}/`].map((place) => `\`${place}\``);
        assert.ok(
          places.some((place) => row.includes(place)),
          `${file} in the row`,
        );
      }
    });
  }

  it('needs no other file: after npm run renew, all that compares places with definitions passes', () => {
    if (failed !== undefined) assert.fail(failed);
  });

  it('brings a metric to the log, to Prometheus, to Cloud Monitoring, to an alert and to the documentation', async () => {
    const { measure } = await load('shared/metrics/measure.ts');
    const samples = await measure(db, []);
    const { formatMetrics } = await load('shared/metrics/format-metrics.ts');
    const { listMetrics } = await load('shared/metrics/format-metrics.ts');

    assert.equal(listMetrics(samples).trial_seconds, 7);
    assert.match(formatMetrics(samples), /^dead_letter_trial_seconds 7$/m);
    const stack = await copy.read('test/infra/deployment/prod.txt');
    assert.match(stack, /^gcp:logging\/metric:Metric dlo-monitoring-trial-seconds /m);
    assert.match(stack, /^gcp:monitoring\/alertPolicy:AlertPolicy dlo-monitoring-trial /m);
    assert.match(stack, /user_dlo_trial_seconds_sum.* > 7200/);
    assert.match(await copy.read('docs/metrics.md'), /dead_letter_trial_seconds.*runbook\.md#trial/);
    assert.match(
      await copy.read('Pulumi.yaml'),
      /^ {2}alertTrialHours:\n {4}type: integer\n {4}default: 2$/m,
    );
  });

  it('brings a setting to its functions, to the stack and to the documentation', async () => {
    const { readConfig } = await load('shared/environment/config.ts');
    const { retention } = readConfig({ DATABASE_URL: 'postgres://h/d', TRIAL_DAYS: '8' });

    assert.equal(retention.trialDays, 8);
    assert.match(
      await copy.read('Pulumi.yaml'),
      /^ {2}trialDays:\n.*\n.*5\n.*'Days of the trial \(1 to 9\)\.'$/m,
    );
    assert.match(
      await copy.read('docs/configuration.md'),
      /^\| `TRIAL_DAYS` \| `trialDays` \| `5` \| 1 to 9 \| maintain \| Days of the trial\. \|$/m,
    );
    const stack = await copy.read('test/infra/deployment/prod.txt');
    const set = [...stack.matchAll(/Function dlo-(\w+)-function .*\n(?: {2}.*\n)*? {2}serviceConfig: (.*)/g)];
    assert.deepEqual(
      set.filter(([, , config]) => config?.includes('"TRIAL_DAYS":"5"')).map(([, name]) => name),
      ['maintain'],
    );
  });

  it('brings an action to the API, the console, the audit, its undo and the documentation', async () => {
    const id = await anEvent(database());
    const { actions } = await load('shared/events/actions/actions.ts');
    const { runAction } = await load('shared/events/actions/run-action.ts');
    const request = { body: { filter: { ids: id }, reason: 'a trial' }, actor: 'ada', now: new Date() };
    const { action } = actions.find(({ name }: { name: string }) => name === 'trial').read(request);
    const { auditId } = await runAction({ db, costLimit: 0 }, action);
    const { previewUndo } = await load('shared/events/actions/undo-events.ts');
    const { remaining } = await previewUndo(db, { id: auditId });

    const [event] = await database().sql('select priority from dlq_events where id = $1', [id]);
    assert.deepEqual([event, remaining], [{ priority: 7 }, 1]);
    const { routes } = await load('functions/replay/replay.ts');
    const { pages } = await load('functions/console/pages.ts');
    for (const paths of [routes, pages])
      assert.ok(paths.some(([, path]: readonly string[]) => path === '/events/trial'));
    const { actionNames } = await load('functions/console/activity/action-words.ts');
    assert.equal(actionNames.trial, 'tried');
    assert.match(await copy.read('docs/actions.md'), /`POST \/events\/trial` \| PENDING \|.*priority 7/);
  });

  it('brings a field of the filter to its text, its SQL, the masks and the documentation', async () => {
    const { parseFilterText } = await load('shared/events/filter/parse-filter-text.ts');
    const { toCondition } = await load('shared/events/filter/filter-condition.ts');

    const { value } = parseFilterText('trial:text/*');
    assert.equal(
      toCondition(value, { now: new Date(), first: 1 }).text,
      "(event.payload ->> 'trial' like any ($1::text[]))",
    );
    const { maskFilter } = await load('shared/events/masking/mask-request.ts');
    assert.deepEqual(maskFilter(value, ['$.trial']), { trial: ['(hidden)'] });
    assert.match(
      await copy.read('docs/filter.md'),
      /^\| `trial` \| .*`trial:text\/\*` \| Its trial matches one of these globs\. \|$/m,
    );
  });

  it('brings a format to the documentation, and as a preset to capture', async () => {
    const { formats } = await load('shared/message/formats/formats.ts');

    assert.ok(formats.some(({ name }: { name: string }) => name === 'trial'));
    const page = await copy.read('docs/capture.md');
    assert.match(page, /^\| `trial` \| `x-trial-id` \| `x-trial-id` \| `json:\/type` \| {2}\|$/m);
    assert.match(
      page,
      /^\| \[`trial`\]\(https:\/\/trial.example\/webhooks\) \| documentation \| id, type \| {2}\|$/m,
    );
  });

  it('brings a kind of target to routes', async () => {
    const { readRoutes } = await load('shared/environment/routes.ts');
    const { ok } = readRoutes({ ROUTES: '[{"target": {"kind": "trial", "name": "a"}}]' });

    assert.ok(ok);
  });

  it('brings an operation to the OpenAPI document, and its command to the help', async () => {
    const { describeApi } = await load('functions/replay/api/describe-api.ts');
    const { routes } = await load('functions/replay/replay.ts');

    assert.ok('/runs/trial' in (await describeApi(routes)).paths);
    assert.match(await copy.read('docs/actions.md'), /^\| `GET \/runs\/trial` \| Try runs \|$/m);
    assert.match(await copy.read('docs/command-line.md'), /^\| `dlo trial`.*Try runs/m);
  });

  it('brings a column of an event to lists, exports, its page and the API', async () => {
    const id = await anEvent(database(), { content_type: 'text/plain' });
    const { listEvents, showEvents } = await load('shared/events/list-events.ts');
    const { readEvent } = await load('shared/events/read-event.ts');
    const { exportEvents } = await load('shared/events/export-events.ts');
    const { firstPosition } = await load('shared/events/filter/page-position.ts');
    const filter = { ids: [id] };
    const [listed] = await listEvents(db, filter, { ...firstPosition, max: 1 });
    const [{ json }] = await showEvents(db, { ids: [id], maxBytes: 99, maxTotal: 99 });
    const lines = exportEvents(
      { db, routes: [], costLimit: 0 },
      { filter, isArchived: false, format: 'csv' },
    );

    const shown = [listed, JSON.parse(json), await readEvent(db, id)];
    assert.deepEqual(
      shown.map(({ trial }) => trial),
      ['text/plain!', 'text/plain!', 'text/plain!'],
    );
    assert.match((await Array.fromAsync(lines)).join(''), /,trial,.*text\/plain!/s);
    const { EventSummarySchema } = await load('shared/events/event-columns.ts');
    assert.ok('trial' in EventSummarySchema.entries);
  });

  it('brings a job to maintain and to its schedule', async () => {
    const { steps } = await load('functions/maintain/jobs.ts');

    assert.deepEqual(await steps.trial.count(), { tried: 1 });
    assert.match(await copy.read('docs/operate.md'), /^\| `trial` \| `45 4 \* \* \*` \| Tries a job\. \|$/m);
    const stack = await copy.read('test/infra/deployment/prod.txt');
    assert.match(
      stack,
      /cloudscheduler\/job:Job dlo-trial-job .*\n(?: {2}.*\n)*? {2}schedule: "45 4 \* \* \*"/,
    );
  });
});
