/**
 * The changes of rows of CONTRIBUTING.md: for each file, texts, each with the lines that are inserted before
 * it. An empty text begins a new file.
 */
export const changes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'a metric, an alert': {
    'shared/metrics/metrics.ts': [
      '  database_size_bytes: {',
      `  trial_seconds: {
    help: 'trial of a metric',
    alert: {
      id: 'trial',
      title: 'the trial takes more than {limit} hours',
      meaning: 'It is a trial.',
      above: { setting: 'alertTrialHours', default: 2, max: 9, factor: hour },
    },
  },
`,
    ],
    'shared/metrics/measure-database.sql': ['  pg_database_size', '  7::float8 as trial_seconds,\n'],
    'docs/runbook.md': ['## database-disk\n', '## trial\n\nIt is a trial.\n\n'],
  },
  'a setting': {
    'shared/config/retention.ts': [
      '  GROUP_RULES:',
      `  TRIAL_DAYS: defineNumber(
    { default: 5, min: 1, max: 9, readBy: ['maintain'] },
    'Days of the trial.',
  ),
`,
    ],
  },
  'a job of maintain': {
    'shared/jobs/jobs.ts': [
      '  digest: {',
      `  trial: { description: 'Tries a job.', cron: '45 4 * * *', intervalSeconds: day },\n`,
    ],
    'functions/maintain/jobs.ts': ['  digest: {', '  trial: { count: async () => ({ tried: 1 }) },\n'],
  },
  'an action on many events': {
    'shared/events/actions/actions.ts': [
      '/** The actions on many events',
      `const trial = defineAction({
  name: 'trial',
  key: 't',
  verb: 'Try',
  done: 'tried',
  effect: 'Tried events have the priority 7.',
  tone: 'primary',
  statuses: ['PENDING'],
  inputs: {},
  sets: () => ({ priority: 7 }),
});

`,
      '] as const;',
      ', trial',
    ],
  },
  'a field of the filter': {
    'shared/events/filter/filter-fields.ts': [
      '  run: run(',
      `  trial: globs(scan("event.payload ->> 'trial'"), 'trial:text/*', 'trial'),\n`,
    ],
  },
  'a dead-letter format, a webhook, a transport': {
    'shared/message/formats/webhooks.ts': [
      "  {\n    name: 'job-webhook'",
      `  {
    name: 'trial',
    source: 'https://trial.example/webhooks',
    id: 'header:x-trial-id',
    type: 'json:/type',
  },
`,
    ],
  },
  'an operation of the API': {
    'functions/replay/run-operations.ts': [
      'export const showRunOperation',
      `export const tryRunsOperation = operation(
  { summary: 'Try runs', returns: v.strictObject({ tried: v.boolean() }) },
  async () => ({ body: { tried: true } }),
);

`,
    ],
    'functions/replay/replay.ts': [
      "  runs('get', '/runs/{id}', 'showRun')",
      "  runs('get', '/runs/trial', 'tryRuns'),\n",
    ],
  },
  'a kind of target': {
    'shared/delivery/targets/trial-target.ts': [
      '',
      `import * as v from 'valibot';
import type { TargetKind } from './target-kind.ts';

const schema = v.strictObject({ kind: v.literal('trial'), name: v.string() });

export const trial: TargetKind<typeof schema> = {
  schema,
  nameOf: ({ name }) => name,
  keepsOrder: true,
  compose: () => ({ limits: [], send: async () => ({ kind: 'delivered' }) }),
};
`,
    ],
    'shared/delivery/targets/target-kinds.ts': [
      'import { http }',
      "import { trial } from './trial-target.ts';\n",
      "'kafka-rest': kafkaRest",
      'trial, ',
    ],
    'docs/deliver.md': ['| `pubsub` | data', '| `trial` | nothing | all |\n'],
  },
  'a command of `dlo`': {
    'packages/cli/commands/trial.ts': [
      '',
      `import type { Command } from '../command.ts';

export const trialCommand: Command = {
  name: 'trial',
  operation: 'tryRuns',
  examples: ['dlo trial'],
  run: async () => undefined,
};
`,
    ],
    'packages/cli/commands.ts': [
      'import { errorsCommand }',
      "import { trialCommand } from './commands/trial.ts';\n",
      '  openCommand,',
      '  trialCommand,\n',
    ],
  },
  'a column of an event': {
    'shared/events/event-columns.ts': [
      '  replacedBy: [',
      `  trial: [\`event.content_type || '!'\`, textOrNull],\n`,
    ],
  },
};
