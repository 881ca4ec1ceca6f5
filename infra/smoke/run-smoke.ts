// Sends an event through a deployed stack, and follows it: `npm run smoke -- --help`.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { type Outputs, runSmokeTest } from './smoke-test.ts';

const usage = `npm run smoke -- --stack prod [--type order.created] [--timeout 120]

  --stack NAME       the stack, which is deployed
  --type TYPE        an event type that a route matches; without it the events are captured and discarded only
  --timeout SECONDS  how long each step may take; default: 120
  --help             prints this text`;

try {
  const { values } = parseArgs({
    options: {
      stack: { type: 'string' },
      type: { type: 'string', default: '' },
      timeout: { type: 'string', default: '120' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) console.log(usage);
  else await smoke(values);
} catch (error) {
  console.error(`The smoke test failed. ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function smoke({
  stack,
  type,
  timeout,
}: {
  stack?: string;
  type: string;
  timeout: string;
}): Promise<void> {
  if (!stack) throw new Error('Name the stack: npm run smoke -- --stack prod');
  const outputs = await run('pulumi', ['stack', 'output', '--json', '--stack', stack]);
  const deps = {
    outputs: JSON.parse(outputs) as Outputs,
    gcloud: (args: readonly string[]) => run('gcloud', args),
    report: (step: string) => console.log(`ok: ${step}`),
    timeoutSeconds: Number(timeout),
  };
  if (!type) console.log('Without --type, the events match no route: they are captured and discarded only.');
  await runSmokeTest(deps, type);
}

async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args)).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${stderr || message}`, {
      cause: error,
    });
  }
}
