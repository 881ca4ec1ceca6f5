import { spawn } from 'node:child_process';
import type { Command } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findFile } from '../settings.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export const openCommand: Command = {
  name: 'open',
  operation: 'showEvent',
  summary: 'Open the console in a browser',
  description: 'Prints its address on a pipe.',
  arguments: [{ name: '[event]', text: 'The id of the event to show.' }],
  examples: ['dlo open', 'dlo open 42'],
  run: async ({ settings, terminal }, { own: { event } }) => {
    if (settings.console === undefined) {
      const remedy = `Set DLO_CONSOLE, or "console" of the stack in ${findFile(process.env)}.`;
      throw new CommandError('usage', `The address of the console is not known. ${remedy}`);
    }
    const base = settings.console.replace(/\/$/, '');
    const url = event === undefined ? base : `${base}/events/${encodeURIComponent(String(event))}`;
    terminal.print(url);
    if (terminal.isText) launch(url);
    return undefined;
  },
};

function launch(url: string): void {
  const [file, ...args] = openers[process.platform] ?? ['xdg-open'];
  // Where there is no browser, the printed address is enough.
  spawn(file, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
