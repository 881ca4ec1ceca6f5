import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { type Settings, SettingsSchema } from '../../infra/settings.ts';
import { overrides, variableOf } from '../../infra/variable-settings.ts';
import { readSettings as readLocalSettings } from '../../local/settings.ts';
import { type VariableName, variables } from '../../shared/config/environment.ts';
import { code, compareFile, replaceRows, toRow } from '../support/renewed-file.ts';
import { type Declared, project } from '../support/stack-config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const names = Object.keys(variables) as VariableName[];
const settings = Object.entries(SettingsSchema.entries) as [keyof Settings, v.GenericSchema][];
const describeVariable = (name: VariableName) => v.getMetadata(variables[name]).documentation;
const passedTo = new Map<string, VariableName>(Object.entries(variableOf));

/** Returns the allowed values of a stack setting. */
function allowedBy(schema: v.GenericSchema): string {
  const inner = 'wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema;
  const { allowed } = v.getMetadata(inner as v.SchemaWithPipe<readonly [v.GenericSchema]>) as {
    allowed?: string;
  };
  if (allowed) return allowed;
  if (inner.type === 'boolean') return '`true`, `false`';
  if ('options' in inner) return (inner.options as string[]).map(code).join(', ');
  return { array: 'list', record: 'object', string: 'text' }[inner.type] ?? inner.type;
}

/**
 * Returns what Pulumi.yaml declares, with the default of the schema and, if passed on as it is, the
 * variable's text.
 */
function declare(name: keyof Settings, schema: v.GenericSchema): Declared & { readonly description: string } {
  const declared = project.config[name];
  assert.ok(declared, name);
  const { type, default: value, description = '' } = declared;
  const variable = /integer|boolean/.test(type) ? passedTo.get(name) : undefined;
  return {
    ...declared,
    default: variable ? v.getDefault(schema) : value,
    description: variable
      ? describeVariable(variable).description
      : description.replace(/ \(\d+ to \d+\)\.$/, '.'),
  };
}

describe('docs/configuration.md', () => {
  it('lists every variable and every stack setting as the code defines them', (t) => {
    const variableRows = names.map((name) => {
      const { default: value, allowed, description } = describeVariable(name);
      return [code(name), code(value), allowed, description];
    });
    const settingRows = settings
      .filter(([name]) => name !== 'project')
      .map(([name, schema]) => {
        const { default: value, description } = declare(name, schema);
        const text = typeof value === 'object' ? '' : String(value ?? '');
        return [
          code(name),
          schema.type === 'optional' ? code(text) : 'required',
          allowedBy(schema),
          passedTo.has(name) ? code(passedTo.get(name)) : '',
          description,
        ];
      });
    const overrideRows = Object.entries(overrides).map(([name, { reason }]) => {
      const variable = describeVariable(passedTo.get(name) as VariableName);
      const schema = SettingsSchema.entries[name as keyof typeof overrides];
      const [own, allowed] = [String(v.getDefault(schema)), allowedBy(schema)];
      const differing = (now: string, before = '') => (now === before ? now : `${now}, not ${before}`);
      return [code(name), differing(own, variable.default), differing(allowed, variable.allowed), reason];
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
  it('has the defaults, ranges and descriptions of the variables', (t) => {
    compareFile(t, 'Pulumi.yaml', (text) =>
      settings
        .filter(([name]) => name !== 'project')
        .map(([name, schema]) => ({ name, ...declare(name, schema), allowed: allowedBy(schema) }))
        .filter(({ type }) => /integer|boolean/.test(type))
        .reduce((yaml, { name, type, default: value, description, allowed }) => {
          const block = new RegExp(`^  ${name}:\\n(?: {4}.*\\n)+`, 'm');
          const range = type === 'integer' ? ` (${allowed}).` : '.';
          const text = description.replace(/\.$/, range).replaceAll("'", "''");
          return yaml.replace(
            block,
            () => `  ${name}:\n    type: ${type}\n    default: ${value}\n    description: '${text}'\n`,
          );
        }, text),
    );
  });
});

describe('README.md', () => {
  it('lists variables with their defaults and descriptions', (t) => {
    compareFile(t, 'README.md', (text) =>
      text.replaceAll(/^\| `([A-Z_]+)` \| .*\n/gm, (row, name: string) => {
        const known = names.find((each) => each === name);
        if (!known) return row;
        const { default: value, description } = describeVariable(known);
        return `${toRow([code(name), code(value), description])}\n`;
      }),
    );
  });
});

describe('the settings of npm start', () => {
  it('have the defaults that README.md and docs/configuration.md list', () => {
    const { port, isDemo, retryEverySeconds, dataFolder } = readLocalSettings({});
    const defaults = {
      PORT: String(port),
      DEMO: isDemo ? 'on' : 'off',
      RETRY_EVERY_SECONDS: String(retryEverySeconds),
      DATA_DIR: path.relative(root, dataFolder),
    };
    for (const file of ['README.md', 'docs/configuration.md']) {
      const text = readFileSync(path.join(root, file), 'utf8');
      for (const [name, value] of Object.entries(defaults)) {
        assert.ok(text.includes(`| \`${name}\` | \`${value}\` |`), `${name} in ${file}`);
      }
    }
  });
});
