import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { type Settings, SettingsSchema } from '../../infra/settings.ts';
import { stackSettings } from '../../infra/stack-settings.ts';
import { readSettings as readLocalSettings } from '../../local/settings.ts';
import { functionNames, type Setting } from '../../shared/config/setting.ts';
import { variables } from '../../shared/environment/environment.ts';
import { limits } from '../../shared/metrics/metrics.ts';
import { code, compareFile, replaceRows } from '../support/renewed-file.ts';
import { project } from '../support/stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const settings = Object.entries(SettingsSchema.entries).filter(([name]) => name !== 'project') as [
  keyof Settings,
  v.GenericSchema,
][];
const named = Object.entries<Setting>(variables);
const fromVariable = new Map(stackSettings.map((each) => [each.name, each]));
const fromLimit = new Map<string, (typeof limits)[number]>(limits.map((limit) => [limit.setting, limit]));

const codeOf = (value: unknown) =>
  code(typeof value === 'object' && value !== null ? '' : String(value ?? ''));

/** Returns the allowed values of a stack setting. */
function allowedBy(schema: v.GenericSchema): string {
  const inner = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema;
  const { allowed } = v.getMetadata(inner as v.SchemaWithPipe<readonly [v.GenericSchema]>) as {
    allowed?: string;
  };
  if (allowed) return allowed;
  if (inner.type === 'boolean') return '`true`, `false`';
  if ('options' in inner) return (inner.options as string[]).map(code).join(', ');
  return { array: 'list', lazy: 'text', record: 'object', string: 'text' }[inner.type] ?? inner.type;
}

/**
 * The words of a setting that follows from a number or a flag among the variables, or from the limit of an
 * alert; undefined for those that Pulumi.yaml describes itself.
 */
function findWords(name: string): string | undefined {
  const setting = fromVariable.get(name)?.setting;
  return setting?.kind ? setting.description : fromLimit.get(name)?.description;
}

describe('docs/configuration.md', () => {
  it('lists every variable and every stack setting as the code defines them (update: npm run renew)', (t) => {
    const variableRows = named.map(([name, { default: value, allowed, description, readBy }]) => {
      const readers = readBy.length === functionNames.length ? 'all' : readBy.join(', ');
      const inStack = stackSettings.find(({ variable }) => variable === name)?.name;
      return [code(name), inStack ? code(inStack) : '', codeOf(value), allowed, readers, description];
    });
    // Those that a variable describes are among the variables.
    const ownSettings = settings.filter(([name]) => !fromVariable.get(name)?.setting.kind);
    const settingRows = ownSettings.map(([name, schema]) => [
      code(name),
      schema.type === 'optional' ? codeOf(v.getDefault(schema)) : 'required',
      allowedBy(schema),
      findWords(name) ?? project.config[name]?.description?.replace(/ \(\d+ to \d+\)\.$/, '.') ?? '',
    ]);
    const overrideRows = stackSettings.flatMap(({ name, setting, stack: { reason } }) => {
      const schema = SettingsSchema.entries[name as keyof Settings];
      if (reason === undefined) return [];
      const differing = (now: string, before: string) => (now === before ? now : `${now}, not ${before}`);
      const ownDefault = differing(String(v.getDefault(schema)), String(setting.default));
      return [[code(name), ownDefault, differing(allowedBy(schema), setting.allowed), reason]];
    });
    compareFile(t, 'docs/configuration.md', (text) =>
      replaceRows(
        replaceRows(replaceRows(text, 'variables', variableRows), 'settings', settingRows),
        'overrides',
        overrideRows,
      ),
    );
  });
});

describe('Pulumi.yaml', () => {
  it('has each setting with its default, range and description (update: npm run renew)', (t) => {
    compareFile(t, 'Pulumi.yaml', (text) => {
      const [head = '', config = ''] = text.split(/(?<=^config:\n)/m);
      const found = [...config.matchAll(/^\n? {2}(\w+):\n(?: {4}.*\n)+/gm)];
      const blocks = new Map(found.map(([block, name = '']) => [name, block]));
      return head + settings.map(([name, schema]) => writeBlock(name, schema, blocks.get(name))).join('');
    });
  });
});

/** Keeps the block of a setting that Pulumi.yaml describes itself. */
function writeBlock(name: string, schema: v.GenericSchema, before = `  ${name}:\n`): string {
  const words = findWords(name);
  if (words === undefined) return before;
  const value = v.getDefault(schema as v.OptionalSchema<v.GenericSchema, number | boolean>);
  const type = typeof value === 'number' ? 'integer' : 'boolean';
  const range = type === 'integer' ? ` (${allowedBy(schema)}).` : '.';
  const description = words.replace(/\.$/, range).replaceAll("'", "''");
  const gap = before.startsWith('\n') ? '\n' : '';
  return `${gap}  ${name}:\n    type: ${type}\n    default: ${value}\n    description: '${description}'\n`;
}

describe('the settings of npm start', () => {
  it('have the defaults that docs/configuration.md lists', () => {
    const { port, isDemo, retryEverySeconds, dataFolder, ...others } = readLocalSettings({});
    // Those of the functions.
    assert.deepEqual(Object.keys(others), ['databaseUrl', 'routes']);
    const defaults = {
      PORT: String(port),
      DEMO: isDemo ? 'on' : 'off',
      RETRY_EVERY_SECONDS: String(retryEverySeconds),
      DATA_DIR: path.relative(root, dataFolder),
    };
    const text = readFileSync(path.join(root, 'docs/configuration.md'), 'utf8');
    for (const [name, value] of Object.entries(defaults)) {
      assert.ok(text.includes(`| \`${name}\` | \`${value}\` |`), name);
    }
  });
});
