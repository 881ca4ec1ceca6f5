import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const root = path.resolve(import.meta.dirname, '../..');

/** A statement ends with a semicolon outside of a comment, a text and a body between dollar signs. */
const statementPattern = /(?:--.*|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|[^;$'-]|[$-])+;/g;

/**
 * Runs a file as psql does, one statement after the other, each in a transaction of its own. Returns the
 * notices.
 */
export function runSqlFile(url: string, file: string): Promise<string[]> {
  return runSql(url, readFileSync(path.join(root, file), 'utf8'));
}

/** Runs the commands at the end of a file that are a comment, indented, below the line "To go back". */
export function runGoingBack(url: string, file: string): Promise<string[]> {
  const [, comment = ''] = readFileSync(path.join(root, file), 'utf8').split('-- To go back');
  const lines = comment.split('\n').flatMap((line) => line.match(/^-- {3}(.*)/)?.[1] ?? []);
  return runSql(url, lines.join('\n'));
}

async function runSql(url: string, sql: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  await client.connect();
  try {
    for (const [statement] of sql.matchAll(statementPattern)) await client.query(statement);
  } finally {
    await client.end();
  }
  return notices;
}
