import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { SettingsSchema } from '../../infra/settings.ts';
import { SourceListSchema } from '../../shared/capture/sources/source.ts';
import { PolicySchema } from '../../shared/delivery/policy/policy.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { parseFilterText } from '../../shared/events/filter/parse-filter-text.ts';
import { readFilter } from '../../shared/events/filter/read-filter.ts';
import { listedMetrics } from '../../shared/metrics/metrics.ts';
import { readRunRequest } from '../../shared/replay/run-request.ts';
import { plainSettings } from '../support/deployment-program.ts';
import { type Block, readBlocks } from '../support/guide.ts';
import { loadYaml } from '../support/yaml.ts';

const pages = ['README.md', ...globSync('docs/*.md').sort()];

/** The names of answers, log lines and notifications that pages show; all other JSON is a request or a setting. */
const shown = [['severity'], ['events'], ['changed'], ['reasons'], ['captures', 'deliveries']];

function checkJson(code: string): void {
  const value = JSON.parse(code);
  const [first] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value)) {
    return void v.parse('target' in first ? RoutesSchema : SourceListSchema, value);
  }
  if (shown.some((names) => names.every((name) => name in value))) return;
  if ('filter' in value) return void readRunRequest({ raw: code, now: new Date() });
  if (Object.keys(value).every((name) => name in PolicySchema.entries))
    return void v.parse(PolicySchema, value);
  const filter = readFilter(value, { now: new Date(), at: 'filter' });
  assert.deepEqual(filter.ok ? [] : filter.problems, []);
}

function checkYaml(code: string): void {
  const value = loadYaml(code) as Record<string, unknown>;
  const sources = value['dead-letter-office:sources'];
  if (sources) v.parse(SettingsSchema, { ...plainSettings, sources });
  else assert.ok(Array.isArray(value.steps));
}

function checkMetrics(code: string): void {
  const known = listedMetrics.map(([name]) => `dead_letter_${name}`);
  const named = [...code.matchAll(/dead_letter_\w+/g)].map(([name]) => name);
  assert.deepEqual(
    named.filter((name) => !known.includes(name)),
    [],
  );
}

/** Text is what a program printed, or a filter. */
function checkText(code: string): void {
  if (!/^\w+:\S/.test(code)) return;
  const parsed = parseFilterText(code.trim());
  assert.ok(parsed.ok, JSON.stringify(parsed));
}

/** Where the blocks of a language run, or how they are checked here. */
const runners: Readonly<Record<string, string | ((code: string) => void)>> = {
  sh: 'test/docs/commands.test.ts, test/docs/start.test.ts, test/docs/bring-over.test.ts, test/docs/adopt.test.ts',
  sql: 'test/docs/statements.test.ts',
  ts: 'test/docs/samples.test.ts, test/packages/pulumi.test.ts',
  python: 'test/docs/samples.test.ts',
  java: 'test/docs/samples.test.ts',
  go: 'test/docs/samples.test.ts',
  ini: 'test/functions/pgbouncer.test.ts',
  json: checkJson,
  yaml: checkYaml,
  promql: checkMetrics,
  text: checkText,
  // The connectors of test/brokers have these settings.
  properties: (code) => assert.match(code, /^(?:(?:#.*|[\w.]+=\S+|)\n)+$/),
};

describe('the blocks of code of the documentation', () => {
  for (const page of pages) {
    const blocks = readBlocks(page);
    it(`of ${page} have a test each`, () => {
      assert.deepEqual(
        blocks.filter(({ language }) => !(language in runners)),
        [],
      );
    });
    for (const block of blocks) checkBlock(page, block);
  }
});

describe('CONTRIBUTING.md', () => {
  const { postinstall: _, ...scripts } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
  const listScripts = (pages: readonly string[]) => {
    const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
    return [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test))/g)].map(([, run, name = '']) => run ?? name);
  };

  it('names no script that package.json does not have', () => {
    assert.deepEqual(
      listScripts(['CONTRIBUTING.md']).filter((name) => !(name in scripts)),
      [],
    );
  });

  it('or a guide names each script of package.json', () => {
    const named = new Set(listScripts(['CONTRIBUTING.md', ...pages]));
    assert.deepEqual(
      Object.keys(scripts).filter((name) => !named.has(name)),
      [],
    );
  });
});

function checkBlock(page: string, { language, line, code }: Block): void {
  const check = runners[language];
  if (typeof check !== 'function') return;
  it(`${page}:${line} is ${language} that the product reads`, () => check(code));
}
