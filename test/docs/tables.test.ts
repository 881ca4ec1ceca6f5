import { describe, it } from 'node:test';
import { routes } from '../../functions/replay/replay.ts';
import { actions } from '../../shared/events/actions/actions.ts';
import { type ActionInput, describeInput } from '../../shared/events/actions/define-action.ts';
import { fields } from '../../shared/events/filter/filter-fields.ts';
import { jobNames, jobs } from '../../shared/jobs/jobs.ts';
import { formats } from '../../shared/message/formats/formats.ts';
import { webhookFormats } from '../../shared/message/formats/webhooks.ts';
import { listFormats, listPresets } from '../support/format-table.ts';
import { compareTable } from '../support/renewed-file.ts';

describe('the tables of the documentation (update: npm run renew)', () => {
  it('list the fields of a filter with their values, an example and their condition', (t) => {
    const rows = fields.map(({ name, kind, example, description }) => [
      `\`${name}\``,
      kind.values,
      `\`${example}\``,
      description,
    ]);
    compareTable(t, 'docs/filter.md', 'fields', rows);
  });

  it('list the formats with what they read, and the presets', (t) => {
    compareTable(t, 'docs/capture.md', 'formats', listFormats(formats));
    compareTable(t, 'docs/capture.md', 'presets', listPresets(webhookFormats));
  });

  it('list the jobs of maintain with their schedules', (t) => {
    const rows = jobNames.map((name) => [`\`${name}\``, `\`${jobs[name].cron}\``, jobs[name].description]);
    compareTable(t, 'docs/operate.md', 'jobs', rows);
  });

  it('list the actions on many events', (t) => {
    const rows = actions.map(({ name, statuses, inputs, effect }) => [
      `\`POST /events/${name}\``,
      statuses.join(', '),
      Object.entries<ActionInput>(inputs)
        .map(([input, asked]) => `\`${input}\`: ${describeInput(asked)}`)
        .join('; '),
      effect,
    ]);
    compareTable(t, 'docs/actions.md', 'actions', rows);
  });

  it('list the operations of the API beside these actions', async (t) => {
    const ofActions = new Set(actions.map(({ name }) => `/events/${name}`));
    const listed = routes.filter(([, path]) => !ofActions.has(path));
    const rows = listed.map(async ([method, path, , load]) => [
      `\`${method.toUpperCase()} ${path}\``,
      (await load()).description.summary,
    ]);
    compareTable(t, 'docs/actions.md', 'operations', await Promise.all(rows));
  });
});
