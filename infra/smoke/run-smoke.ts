// npm run smoke -- --stack prod [--type order.created] [--timeout 120]
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { type Outputs, runSmokeTest } from './smoke-test.ts';

const { values } = parseArgs({
  options: {
    stack: { type: 'string' },
    type: { type: 'string', default: '' },
    timeout: { type: 'string', default: '120' },
  },
});

try {
  if (!values.stack) throw new Error('Name the stack: npm run smoke -- --stack prod');
  const outputs = await run('pulumi', ['stack', 'output', '--json', '--stack', values.stack]);
  const deps = {
    outputs: JSON.parse(outputs) as Outputs,
    gcloud: (args: readonly string[]) => run('gcloud', args),
    report: (step: string) => console.log(`ok: ${step}`),
    timeoutSeconds: Number(values.timeout),
  };
  if (!values.type)
    console.log('Without --type, the events match no route: they are captured and discarded only.');
  await runSmokeTest(deps, values.type);
} catch (error) {
  console.error(`The smoke test failed. ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
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
