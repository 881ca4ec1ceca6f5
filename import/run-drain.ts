import { authorizeCalls } from './authorize.ts';
import { CommandError } from './command-error.ts';
import { readArguments, readNumber, readUrl } from './command-line.ts';
import { describeCounts, show } from './count-captured.ts';
import { type Drained, drain } from './drain.ts';
import { every } from './every.ts';
import { openSubscriber } from './open-subscriber.ts';
import { openCapture } from './send-lines.ts';
import { stopOnSignal } from './stop-on-signal.ts';

const usage = `npm run drain -- --subscription projects/P/subscriptions/S --capture URL [options]

Moves the messages of a Pub/Sub subscription to capture (docs/bring-over.md). A message is acknowledged
after capture stored it, so that nothing is lost when the command is stopped: run it again.

  --subscription NAME  the subscription, by its full name; its messages are removed from it
  --capture URL        the capture function; for npm start http://localhost:8080/capture
  --as NAME            the full name of the push subscription that sends new messages of the same
                       topic to capture: a message that comes by both is one event
  --limit N            ends after N messages, to try it; default: no limit
  --idle-seconds N     ends when no message came for N seconds; default: 60
  --help               prints this text

Exit codes: 0 nothing is left, or the limit is reached, 1 messages were rejected or a service failed,
130 stopped by Ctrl-C. Pub/Sub is called with the Application Default Credentials, which need
roles/pubsub.subscriber on the subscription; PUBSUB_EMULATOR_HOST names an emulator. CAPTURE_SECRETS has
the secret of a deployment that requires signatures; any other is called with the credentials of gcloud.`;

type Job = {
  readonly subscription: string;
  readonly url: URL;
  readonly as: string;
  readonly limit: number;
  readonly idleSeconds: number;
};

/** `npm run drain`: drains a subscription, prints the result, and returns the exit code. */
async function runCommand(args: readonly string[]): Promise<number> {
  const drained: Drained = { events: { new: 0, known: 0, conflicting: 0 }, rejected: new Set() };
  try {
    const job = readJob(args);
    if (job) return await runJob(job, drained);
    console.log(usage);
    return 0;
  } catch (error) {
    console.error(error instanceof CommandError ? error.message : `The command failed. ${error}`);
    if (drained.events.new + drained.events.known > 0) console.error(describeRest(drained));
    return 1;
  }
}

const options = {
  subscription: { type: 'string' },
  capture: { type: 'string' },
  as: { type: 'string' },
  limit: { type: 'string', default: `${Number.MAX_SAFE_INTEGER}` },
  'idle-seconds': { type: 'string', default: '60' },
  help: { type: 'boolean' },
} as const;

/** Returns undefined if help is asked for. Throws CommandError that names every invalid argument. */
function readJob(args: readonly string[]): Job | undefined {
  const { values, positionals } = readArguments(args, options, usage);
  if (values.help) return undefined;
  const subscription = readSubscription(values.subscription);
  const as = values.as === undefined ? subscription : readSubscription(values.as);
  const url = readUrl(values.capture);
  const limit = readNumber(values.limit, 1, Number.MAX_SAFE_INTEGER);
  const idleSeconds = readNumber(values['idle-seconds'], 0, 86_400);
  const isComplete = positionals.length === 0 && limit !== undefined && idleSeconds !== undefined;
  if (isComplete && subscription && as && url) return { subscription, as, url, limit, idleSeconds };
  const name = 'must look like projects/PROJECT/subscriptions/SUBSCRIPTION.';
  const problems = [
    positionals.length > 0 && `${positionals.join(' ')}: every argument needs the name of its option.`,
    !subscription && `--subscription ${values.subscription ?? '(not set)'}: ${name}`,
    values.as !== undefined && !as && `--as ${values.as}: ${name}`,
    !url && `--capture ${values.capture ?? '(not set)'}: give the URL of the capture function.`,
    limit === undefined && `--limit ${values.limit}: give a number from 1.`,
    idleSeconds === undefined && `--idle-seconds ${values['idle-seconds']}: give a number from 0 to 86400.`,
  ];
  throw new CommandError(`${problems.filter(Boolean).join('\n')}\n\n${usage}`);
}

function readSubscription(text: unknown): string | undefined {
  return typeof text === 'string' && /^projects\/[^/]+\/subscriptions\/[^/]+$/.test(text) ? text : undefined;
}

async function runJob({ subscription, as, url, limit, idleSeconds }: Job, drained: Drained): Promise<number> {
  const stop = stopOnSignal(() => console.error('Stopping after this batch ...'));
  const subscriber = await openSubscriber(subscription);
  const warn = (message: string) => console.error(message);
  const secret = process.env.CAPTURE_SECRETS?.split(',')[0] || undefined;
  const deps = {
    subscriber,
    send: openCapture({ url, authorize: authorizeCalls(url), secret, stop, warn }),
    stop,
    reject: (messageId: string, reason: string) => console.error(`message ${messageId} ${reason}`),
    onProgress: every(5000, () => console.log(describeCounts(drained.events))),
  };
  try {
    await drain(deps, { subscription: as, idleSeconds, limit }, drained);
  } finally {
    await subscriber.close();
  }
  console.log(describeCounts(drained.events));
  if (drained.rejected.size > 0) console.error(`${show(drained.rejected.size, 'message')} rejected.`);
  if (stop.aborted) console.error(describeRest(drained));
  if (stop.aborted) return 130;
  return drained.rejected.size > 0 ? 1 : 0;
}

function describeRest({ events }: Drained): string {
  return `Captured before the stop: ${describeCounts(events)}. All other messages are still in the subscription: run the same command again.`;
}

process.exitCode = await runCommand(process.argv.slice(2));
