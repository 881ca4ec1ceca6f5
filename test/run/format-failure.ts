import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const maxLines = 24;
const maxColumns = 160;
const maxFrames = 4;
const maxStatementLines = 8;

type Frame = { readonly file: string; readonly line: number; readonly text: string };

/**
 * Formats an error for a person: its message and values, cut to a page, the statement of the test that
 * failed, which names the values of a list, and the frames in files of the project.
 */
export function formatFailure(error: unknown): string {
  const failure = error instanceof Error && 'failureType' in error ? (error.cause ?? error) : error;
  if (!(failure instanceof Error)) return cut(inspect(failure));
  const frames = listFrames(failure.stack ?? '');
  const statement = frames.slice(0, 1).map(readStatement);
  const parts = [
    cut(failure.message),
    formatFields(failure),
    ...statement,
    frames.map(formatFrame).join('\n'),
  ];
  const { cause } = failure;
  if (cause !== undefined)
    parts.push(`caused by: ${cut(cause instanceof Error ? cause.message : inspect(cause))}`);
  return parts.filter((part) => part !== '').join('\n');
}

/** The message of an assertion has its values already. */
const shownElsewhere = [
  'actual',
  'expected',
  'operator',
  'generatedMessage',
  'diff',
  'cause',
  'stack',
  'message',
];

function formatFields(error: Error): string {
  const fields = Object.entries(error).filter(
    ([name, value]) => !shownElsewhere.includes(name) && value !== undefined && value !== 'ERR_ASSERTION',
  );
  return fields.length === 0
    ? ''
    : cut(inspect(Object.fromEntries(fields), { depth: 2, maxStringLength: maxColumns }));
}

function cut(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => (line.length > maxColumns ? `${line.slice(0, maxColumns)}...` : line));
  const rest = lines.length - maxLines;
  return rest > 0 ? [...lines.slice(0, maxLines), `... ${rest} more lines`].join('\n') : lines.join('\n');
}

function listFrames(stack: string): Frame[] {
  const found = [...stack.matchAll(/^\s+at (.*?\(?)((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/gm)];
  return found
    .map(([, name = '', at = '', line]) => {
      const file = at.startsWith('file:') ? fileURLToPath(at) : at;
      const where = `${path.relative(root, file)}:${line}`;
      return { file, line: Number(line), text: name.endsWith('(') ? `${name}${where})` : where };
    })
    .filter(
      ({ file }) =>
        file.startsWith(root) && !file.includes('node_modules') && !file.startsWith(import.meta.dirname),
    )
    .slice(0, maxFrames);
}

function formatFrame({ text }: Frame): string {
  return `  at ${text}`;
}

/** Reads the lines of a statement, from the line of a frame on. */
function readStatement({ file, line }: Frame): string {
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(line - 1, line - 1 + maxStatementLines);
  const end = lines.findIndex((each) => each.endsWith(';'));
  return cut(
    lines
      .slice(0, end === -1 ? 1 : end + 1)
      .map((each) => `  > ${each}`)
      .join('\n'),
  );
}
