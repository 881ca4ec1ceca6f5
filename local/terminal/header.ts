import { relative } from 'node:path';
import type { Settings } from '../settings.ts';

export type HeaderFacts = {
  readonly url: string;
  /** Host, port and database, without user and password. */
  readonly databaseName: string;
  /** The folder of the embedded database. */
  readonly dataFolder: string | undefined;
};

/** What is open, and where. */
export function describeOffice(settings: Settings, { url, databaseName, dataFolder }: HeaderFacts): string {
  const { retryEverySeconds: seconds, isDemo } = settings;
  const facts = [
    ['Open on', url],
    ['Console', `${url}/console`],
    ['Database', dataFolder ? `PostgreSQL on ${databaseName}, kept in ${shorten(dataFolder)}` : databaseName],
    [
      'Schedule',
      seconds > 0 ? `retries what is due every ${seconds} s` : 'never: retries only when asked to',
    ],
    ['Demo', isDemo ? 'a shop whose payment service goes down and comes back (DEMO=off: none)' : 'off'],
    ['To close', 'Ctrl-C'],
  ];
  return `Dead Letter Office\n\n${facts.map(([name, fact]) => `  ${name?.padEnd(11)}${fact}`).join('\n')}`;
}

function shorten(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}
