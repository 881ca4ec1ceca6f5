import { relative } from 'node:path';
import type { LocalDatabase } from '../database/open-database.ts';
import type { Settings } from '../settings.ts';

/** Returns the addresses and settings of a service that has started at `url`. */
export function describeService(settings: Settings, database: LocalDatabase, url: string): string {
  const { retryEverySeconds: seconds, isDemo } = settings;
  const { name, dataFolder } = database;
  const facts = [
    ['Console', `${url}/console`],
    ['API', `${url}/replay/openapi.json`],
    ['Database', dataFolder ? `PostgreSQL on ${name}, data in ${shorten(dataFolder)}` : name],
    [
      'Schedule',
      seconds > 0 ? `retries due events every ${seconds} s` : 'off: POST /retry retries due events',
    ],
    ['Demo', isDemo ? 'a shop with a flaky payment service (DEMO=off disables it)' : 'off'],
  ];
  const lines = facts.map(([fact, text]) => `  ${fact?.padEnd(10)}${text}`);
  return `Dead Letter Office is ready on ${url}. Ctrl-C stops it.\n\n${lines.join('\n')}`;
}

function shorten(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path.startsWith('..') ? folder : path;
}
