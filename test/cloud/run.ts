import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describeMissingEngine } from './find-engine.ts';

// Runs the deployment on Pulumi's real engine, or where that is missing, on one that only records what is
// registered.
const missing = describeMissingEngine();
if (missing)
  console.log(`${missing} Until then, only the program is run, on an engine that records what it registers.`);
else console.log('Deploys to a stand-in of Google Cloud: about 45 minutes on two cores.');
const files = missing
  ? 'recorded.ts'
  : '{agent,component,deployed,dev,existing-instance,outputs,prod,risks,two-projects}.ts';
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-reporter=spec', `test/cloud/scenarios/${files}`],
  { cwd: path.resolve(import.meta.dirname, '../..'), stdio: 'inherit' },
);
process.exit(status ?? 1);
