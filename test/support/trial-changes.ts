/**
 * The changes of rows of CONTRIBUTING.md: for each file, texts, each with the lines that are inserted before
 * it.
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
  'a column of an event': {
    'shared/events/event-columns.ts': [
      '  replacedBy: [',
      `  trial: [\`event.content_type || '!'\`, textOrNull],\n`,
    ],
  },
};
