import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, answerProblem, answerText } from './answers.ts';
import { forward } from './forward.ts';

/** A function as the gateway sees it. */
export type Upstream = { readonly name: string; readonly socket: string; readonly isReady: () => boolean };

export type Office = {
  readonly names: readonly string[];
  readonly find: (name: string) => Upstream | undefined;
  /** What is not ready yet, by name; none of it when all is. */
  readonly listMissing: () => Promise<readonly string[]>;
};

type Answer = (response: ServerResponse) => void | Promise<void>;

/** Answers one request to the office: `/<function>/...` goes to that function, with the first segment removed. */
export async function serve(
  office: Office,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { name, path } = splitPath(request.url ?? '/');
  const own: Readonly<Record<string, Answer>> = {
    '': (to) => answerText(to, 200, describePaths(office.names)),
    healthz: async (to) => answerHealth(to, await office.listMissing()),
  };
  const answer = Object.hasOwn(own, name) && path === '/' ? own[name] : undefined;
  if (answer) return answer(response);
  if (!office.names.includes(name)) return answerUnknown(office, response);
  const upstream = office.find(name);
  if (upstream?.isReady()) return forward(request, response, { name, socket: upstream.socket, path });
  response.setHeader('retry-after', '1');
  answerProblem(response, 503, `The function ${name} is starting. Send the same request again in a moment.`);
}

/** `/capture/x?y` is the function `capture` at `/x?y`. */
export function splitPath(url: string): { name: string; path: string } {
  const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
  return { name, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function answerHealth(response: ServerResponse, missing: readonly string[]): void {
  if (missing.length > 0) response.setHeader('retry-after', '1');
  const health = missing.length > 0 ? { status: 'not ready', missing } : { status: 'ok' };
  answerJson(response, missing.length > 0 ? 503 : 200, health);
}

function answerUnknown({ names }: Office, response: ServerResponse): void {
  const paths = ['/', '/healthz', ...names.map((name) => `/${name}`)];
  answerProblem(response, 404, `There is no such path. There are ${paths.join(', ')}.`, { paths });
}

const purposes: Readonly<Record<string, string>> = {
  capture: 'POST a failed message: a Pub/Sub push, a CloudEvent, or a report from a consumer',
  retry: 'POST to retry what is due, as the schedule does',
  replay: 'POST {"ids": [1]} to deliver these events now',
  console: 'open it in a browser: what failed, why, and what to do about it',
  maintain: 'GET /maintain/metrics for how the office is; POST to tend it, as the schedule does daily',
};

function describePaths(names: readonly string[]): string {
  const paths = [
    ...names.map((name) => [`/${name}`, purposes[name] ?? '']),
    ['/healthz', 'GET whether all is ready'],
  ];
  return `Dead Letter Office\n\n${paths.map(([path, purpose]) => `  ${path?.padEnd(12)}${purpose}`).join('\n')}\n`;
}
